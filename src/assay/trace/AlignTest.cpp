#include "assay/trace/Align.h"
#include "assay/trace/AlignCalls.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace assay;
using namespace assay::trace;

static AlignItem item(const std::string &name, tensor::Shape shape,
                      std::string hash = "") {
  return {parseDumpName("/1/" + name),
          {tensor::ElementType::floating(numerics::FloatFormat::F16),
           std::move(shape)},
          std::move(hash)};
}

/// A transformer's leaf modules as a recorder lists them.
static std::vector<AlignItem> model(int blocks, const std::string &prefix = "",
                                    const std::string &linear = "Linear.0") {
  std::vector<AlignItem> items;
  auto add = [&](const std::string &module, const std::string &className,
                 int64_t in, int64_t out) {
    std::string name = prefix + module + "." + className;
    items.push_back(item(name + ".forward_params.bias", {out}));
    items.push_back(item(name + ".forward_input.0", {260, in}));
    items.push_back(item(name + ".forward_output.0", {260, out}));
  };
  add("patch_embed.proj", "Conv3d.0", 588, 1152);
  for (int i = 0; i < blocks; ++i) {
    std::string block = "blocks." + std::to_string(i) + ".";
    add(block + "norm1", "LayerNorm.0", 1152, 1152);
    add(block + "attn.qkv", linear, 1152, 3456);
    add(block + "attn.proj", linear, 1152, 1152);
    add(block + "norm2", "LayerNorm.0", 1152, 1152);
    add(block + "mlp.fc1", linear, 1152, 4304);
    add(block + "mlp.fc2", linear, 4304, 1152);
  }
  return items;
}

/// Module and item of a name without class and counter, which are equal in a
/// right pair.
static std::string core(const AlignItem &item, llvm::StringRef prefix = "") {
  llvm::StringRef module = item.name.module;
  module.consume_front(prefix);
  return (module + "|" + kindName(item.name.kind) + "|" + item.name.item).str();
}

static int countPairs(const Alignment &alignment) {
  int pairs = 0;
  for (const AlignedPair &pair : alignment.pairs)
    pairs += pair.target >= 0 && pair.bench >= 0;
  return pairs;
}

TEST(Align, EqualNamesPairExactly) {
  std::vector<AlignItem> a = model(3);
  Alignment alignment = alignNames(a, a);
  ASSERT_EQ(alignment.pairs.size(), a.size());
  for (const AlignedPair &pair : alignment.pairs) {
    EXPECT_EQ(pair.target, pair.bench);
    EXPECT_EQ(pair.confidence, 1);
    EXPECT_EQ(pair.how, "exact");
  }
}

TEST(Align, ClassTypoAndMissingCounterAreLearned) {
  std::vector<AlignItem> a = model(3, "", "ColumnParallelLinear.0"),
                         b = model(3, "", "ColumnParalleLinear");
  Alignment alignment = alignNames(a, b);
  EXPECT_EQ(countPairs(alignment), static_cast<int>(a.size()));
  for (const AlignedPair &pair : alignment.pairs)
    EXPECT_EQ(core(a[pair.target]), core(b[pair.bench]));
  ASSERT_EQ(alignment.renames.size(), 1u);
  EXPECT_EQ(alignment.renames[0].target, "ColumnParallelLinear.N");
  EXPECT_EQ(alignment.renames[0].bench, "ColumnParalleLinear");
  EXPECT_EQ(alignment.renames[0].modules, 12);
}

TEST(Align, AWholePrefixIsLearned) {
  std::vector<AlignItem> a = model(4, "model.visual."),
                         b = model(4, "encoder.");
  Alignment alignment = alignNames(a, b);
  EXPECT_EQ(countPairs(alignment), static_cast<int>(a.size()));
  for (const AlignedPair &pair : alignment.pairs)
    EXPECT_EQ(core(a[pair.target], "model.visual."),
              core(b[pair.bench], "encoder."));
  ASSERT_EQ(alignment.renames.size(), 1u);
  EXPECT_EQ(alignment.renames[0].target, "model.visual");
  EXPECT_EQ(alignment.renames[0].bench, "encoder");
}

TEST(Align, AModelInAWrapperIsTheModelAndNotTheWrapper) {
  auto root = [](std::vector<AlignItem> items, const std::string &name) {
    items.push_back(item(name + ".forward_params.scale", {1152}));
    items.push_back(item(name + ".forward_output.0", {260, 1152}));
    return items;
  };
  std::vector<AlignItem> plain = root(model(2), "Net.0"),
                         wrapped = root(model(2, "model."), "model.Net.0");
  wrapped.push_back(item("Wrapper.0.forward_output.0", {260, 1152}));
  for (bool ofTarget : {true, false}) {
    Alignment alignment =
        ofTarget ? alignNames(wrapped, plain) : alignNames(plain, wrapped);
    EXPECT_EQ(countPairs(alignment), static_cast<int>(plain.size()));
    for (const AlignedPair &pair : alignment.pairs)
      if (pair.target >= 0 && pair.bench >= 0) {
        EXPECT_EQ((ofTarget ? wrapped : plain)[pair.target].name.className,
                  (ofTarget ? plain : wrapped)[pair.bench].name.className);
      }
  }
}

TEST(Align, MissingExtraAndFusedModulesShiftNothing) {
  std::vector<AlignItem> a = model(4, "net."), b = model(4, "vit.");
  // The target lost block 1's norm2; the bench has separate q, k and v in block
  // 2, and an extra norm in block 3.
  std::erase_if(a, [](const AlignItem &i) {
    return i.name.module == "net.blocks.1.norm2";
  });
  std::vector<AlignItem> changed;
  for (const AlignItem &i : b) {
    if (i.name.module == "vit.blocks.2.attn.qkv") {
      if (i.name.item == "bias")
        for (const char *part : {"q", "k", "v"}) {
          std::string name =
              std::string("vit.blocks.2.attn.") + part + "_proj.Linear.0";
          changed.push_back(item(name + ".forward_params.bias", {1152}));
          changed.push_back(item(name + ".forward_input.0", {260, 1152}));
          changed.push_back(item(name + ".forward_output.0", {260, 1152}));
        }
      continue;
    }
    if (i.name.module == "vit.blocks.3.norm1" && i.name.item == "bias")
      changed.push_back(item(
          "vit.blocks.3.extra_norm.LayerNorm.0.forward_output.0", {260, 1152}));
    changed.push_back(i);
  }
  Alignment alignment = alignNames(a, changed);
  int alone = 0;
  for (const AlignedPair &pair : alignment.pairs) {
    if (pair.target < 0 || pair.bench < 0) {
      ++alone;
      continue;
    }
    EXPECT_EQ(core(a[pair.target], "net."), core(changed[pair.bench], "vit."));
  }
  EXPECT_EQ(
      alone,
      3 + 3 + 9 +
          1); // norm2 of the bench; the fused one and its parts; the extra one
}

TEST(Align, DifferentNamesAlignByShapeAndOrder) {
  std::vector<AlignItem> a, b;
  for (int i = 0; i < 20; ++i) {
    a.push_back(
        item("enc.lin" + std::to_string(i) + ".Linear.0.forward_output.0",
             {2, 3 + i % 5}));
    if (i != 7)
      b.push_back(
          item("stack.dense_" + std::to_string(i) + ".Dense.forward_output.0",
               {2, 3 + i % 5}));
  }
  Alignment alignment = alignNames(a, b);
  for (const AlignedPair &pair : alignment.pairs) {
    if (pair.target >= 0 && pair.bench >= 0) {
      EXPECT_EQ(a[pair.target].name.module.substr(7),
                b[pair.bench].name.module.substr(12));
      EXPECT_LT(pair.confidence, 0.97);
    } else {
      EXPECT_EQ(pair.target, 7);
    }
  }
}

/// A trace of operator calls: names are numbers, classes the operators.
static std::vector<AlignItem> calls(llvm::ArrayRef<std::string> operators) {
  std::vector<AlignItem> items;
  for (size_t i = 0; i < operators.size(); ++i) {
    std::string name = llvm::formatv("{0:d5}-aten.aten-{1}.0", i, operators[i]);
    int64_t size = 4 + static_cast<int64_t>(i % 3 == 0);
    items.push_back(item(name + ".forward_input.0", {8, size}));
    items.push_back(item(name + ".forward_output.0", {8, size}));
  }
  return items;
}

TEST(Align, OneMoreOperatorShiftsNoOther) {
  std::vector<std::string> operators = {
      "view-default", "addmm-default", "gelu-default", "addmm-default",
      "add-Tensor",   "view-default",  "mul-Tensor",   "_softmax-default"};
  std::vector<AlignItem> bench = calls(operators), target = bench;
  // One more call in the target: later calls have other numbers.
  for (AlignItem &i : target) {
    int number = std::stoi(i.name.module);
    if (number >= 3)
      i.name.module = llvm::formatv("{0:d5}-aten", number + 1);
  }
  std::vector<AlignItem> extra = {
      item("00003-aten.aten-clone-default.0.forward_input.0", {8, 4}),
      item("00003-aten.aten-clone-default.0.forward_output.0", {8, 4})};
  target.insert(target.begin() + 6, extra.begin(), extra.end());
  Alignment alignment = alignNames(target, bench);
  EXPECT_EQ(countPairs(alignment), static_cast<int>(bench.size()));
  for (const AlignedPair &pair : alignment.pairs) {
    ASSERT_GE(pair.target, 0);
    const DumpName &name = target[pair.target].name;
    if (name.className == "aten-clone-default") {
      EXPECT_EQ(pair.bench, -1);
      continue;
    }
    ASSERT_GE(pair.bench, 0) << name.text();
    EXPECT_EQ(name.className, bench[pair.bench].name.className);
    EXPECT_EQ(pair.target < 6 ? pair.target : pair.target - 2, pair.bench);
    EXPECT_EQ(pair.how, pair.target < 6 ? "exact" : "order");
  }
}

TEST(Align, AnotherOperatorOfTheSameShapeIsNotACounterpart) {
  std::vector<AlignItem> target = calls({"view-default", "relu-default"}),
                         bench = calls({"view-default", "tanh-default"});
  EXPECT_EQ(countPairs(alignNames(target, bench)), 2);
  // In-place forms and overloads are the same operator.
  bench = calls({"view-default", "relu_-default"});
  EXPECT_EQ(countPairs(alignNames(target, bench)), 4);
}

TEST(Align, EqualDataDecideBetweenEqualOperators) {
  auto call = [](int number, const std::string &hash) {
    std::string name = llvm::formatv("{0:d5}-aten.aten-add-Tensor.0", number);
    return std::vector<AlignItem>{
        item(name + ".forward_input.0", {64}, hash),
        item(name + ".forward_output.0", {64}, hash + "out")};
  };
  std::vector<AlignItem> target, bench;
  auto add = [](std::vector<AlignItem> &to, std::vector<AlignItem> what) {
    to.insert(to.end(), what.begin(), what.end());
  };
  add(target, calls({"view-default"}));
  add(bench, calls({"neg-default"}));
  add(target, call(1, "extra"));
  add(target, call(2, "same"));
  add(bench, call(1, "same"));
  add(target, calls({"exp-default"}));
  add(bench, calls({"abs-default"}));
  Alignment alignment = alignNames(target, bench);
  EXPECT_EQ(countPairs(alignment), 2);
  for (const AlignedPair &pair : alignment.pairs)
    if (pair.target >= 0 && pair.bench >= 0) {
      EXPECT_EQ(target[pair.target].hash, bench[pair.bench].hash);
    }
}

TEST(DumpName, NumbersThatAreNoNames) {
  EXPECT_TRUE(isOperatorCall("00037-aten"));
  EXPECT_TRUE(isNumbered("00037-aten"));
  EXPECT_TRUE(isNumbered("main/12"));
  for (const char *name :
       {"blocks.0.norm1", "main", "a/b/3", "12", "-aten", ""})
    EXPECT_FALSE(isNumbered(name)) << name;
}

TEST(Align, TheMapDecides) {
  std::vector<AlignItem> a = model(1), b = model(1);
  NameMap map;
  map.modules["blocks.0.norm1"] = "blocks.0.norm2";
  map.tensors["blocks.0.mlp.fc1.Linear.0.forward_params.bias"] = std::nullopt;
  Alignment alignment = alignNames(a, b, map);
  for (const AlignedPair &pair : alignment.pairs) {
    if (pair.target >= 0 && a[pair.target].name.module == "blocks.0.norm1") {
      EXPECT_EQ(b[pair.bench].name.module, "blocks.0.norm2");
      EXPECT_EQ(pair.how, "map");
    }
    if (pair.target >= 0 &&
        a[pair.target].name.text() ==
            "blocks.0.mlp.fc1.Linear.0.forward_params.bias") {
      EXPECT_EQ(pair.bench, -1);
    }
  }
}

TEST(Align, TheMapLeavesAModuleWithoutACounterpart) {
  std::vector<AlignItem> a = model(1), b = model(1);
  NameMap map;
  map.modules["blocks.0.norm1"] = std::nullopt;
  Alignment alignment = alignNames(a, b, map);
  int alone = 0;
  for (const AlignedPair &pair : alignment.pairs)
    if (pair.target >= 0 && a[pair.target].name.module == "blocks.0.norm1") {
      EXPECT_EQ(pair.bench, -1);
      ++alone;
    }
  EXPECT_EQ(alone, 3);
  // A prefix of the map ends at a dot.
  map = {};
  map.prefixes.push_back({"blocks.0.mlp.fc", "blocks.0.other"});
  for (const AlignedPair &pair : alignNames(a, b, map).pairs)
    EXPECT_NE(pair.how, "map");
}

TEST(Align, OneSimilarPairIsNotAPrefix) {
  // Two modules with an equal last name by accident, among modules that have
  // nothing in common.
  std::vector<AlignItem> a = {item("left.gate.Linear.0.forward_output.0", {3}),
                              item("left.up.Linear.0.forward_output.0", {5})},
                         b = {item("right.gate.Dense.0.forward_output.0", {3}),
                              item("right.down.Dense.0.forward_output.0", {7})};
  for (const Rename &rename : alignNames(a, b).renames)
    EXPECT_NE(rename.kind, "prefix") << rename.target << " " << rename.bench;
}

TEST(Align, TwoLikenessesAreAPrefix) {
  std::vector<AlignItem> a = {item("left.gate.Linear.0.forward_output.0", {3}),
                              item("left.up.Linear.0.forward_output.0", {5})},
                         b = {item("right.gate.Dense.0.forward_output.0", {3}),
                              item("right.up.Dense.0.forward_output.0", {5})};
  bool found = false;
  for (const Rename &rename : alignNames(a, b).renames)
    found |= rename.kind == "prefix" && rename.target == "left" &&
             rename.bench == "right" && rename.modules == 2;
  EXPECT_TRUE(found);
}

TEST(Align, NumberedCallsOfOtherShapesAreNoCounterparts) {
  auto call = [](int number, int64_t size) {
    return item(
        llvm::formatv("{0:d5}-aten.aten-mm-default.0.forward_output.0", number),
        {size, size});
  };
  std::vector<AlignItem> a = {call(0, 4), call(1, 8), call(2, 16)},
                         b = {call(0, 8), call(1, 16)};
  Alignment alignment = alignNames(a, b);
  EXPECT_EQ(countPairs(alignment), 2);
  for (const AlignedPair &pair : alignment.pairs)
    if (pair.target >= 0 && pair.bench >= 0) {
      EXPECT_EQ(a[pair.target].type.shape, b[pair.bench].type.shape);
    }
}

TEST(Align, ATensorOfTheBenchAloneStandsWhereItWas) {
  std::vector<AlignItem> a = model(1), b = model(1);
  b.insert(b.begin(), item("first.Embedding.0.forward_output.0", {9, 9}));
  b.insert(b.begin() + 5, item("mid.Embedding.0.forward_output.0", {7, 9}));
  Alignment alignment = alignNames(a, b);
  ASSERT_EQ(alignment.pairs.size(), a.size() + 2);
  EXPECT_EQ(alignment.pairs[0].target, -1);
  EXPECT_EQ(alignment.pairs[0].bench, 0);
  EXPECT_EQ(alignment.pairs[5].target, -1);
  EXPECT_EQ(alignment.pairs[5].bench, 5);
}

TEST(Align, AStepThatTheBenchLacksHasNoCounterpart) {
  std::vector<AlignItem> a = model(1), b = a;
  std::vector<AlignItem> second = a;
  for (AlignItem &i : second)
    i.name.step = 2;
  a.insert(a.end(), second.begin(), second.end());
  Alignment alignment = alignNames(a, b);
  EXPECT_EQ(countPairs(alignment), static_cast<int>(b.size()));
  for (const AlignedPair &pair : alignment.pairs)
    if (pair.target >= 0 && a[pair.target].name.step == 2) {
      EXPECT_EQ(pair.bench, -1);
    }
}

TEST(Align, StepsOfOtherNumbersPairInOrder) {
  std::vector<AlignItem> a = model(1), b = model(1);
  for (AlignItem &i : b)
    i.name.step = 5;
  EXPECT_EQ(countPairs(alignNames(a, b)), static_cast<int>(a.size()));
}

TEST(Align, TenThousandRenamedNamesWithAMissingBlock) {
  std::vector<AlignItem> a = model(560, "x."), b = model(560, "some.where.y.");
  std::erase_if(b, [](const AlignItem &i) {
    return i.name.module.find("blocks.100.") != std::string::npos;
  });
  Alignment alignment = alignNames(a, b);
  EXPECT_EQ(countPairs(alignment), static_cast<int>(b.size()));
  for (const AlignedPair &pair : alignment.pairs)
    if (pair.target >= 0 && pair.bench >= 0) {
      ASSERT_EQ(core(a[pair.target], "x."),
                core(b[pair.bench], "some.where.y."));
    }
}

TEST(Align, AModuleThatTheMapLeavesAloneIsPairedWithNothing) {
  std::vector<AlignItem> a = model(2);
  NameMap map;
  map.modules["blocks.1.norm2"] = std::nullopt;
  int alone = 0;
  for (const AlignedPair &pair : alignNames(a, a, map).pairs) {
    if (pair.target < 0)
      continue;
    bool named = a[pair.target].name.module == "blocks.1.norm2";
    EXPECT_EQ(pair.bench < 0, named) << a[pair.target].name.text();
    alone += pair.bench < 0;
  }
  EXPECT_EQ(alone, 3);
}

TEST(Align, ATensorThatAMapNamesTwiceIsInOneRow) {
  std::vector<AlignItem> a = {item("p.Linear.0.forward_output.0", {4}),
                              item("q.Linear.0.forward_output.0", {4})},
                         b = {item("x.Dense.0.forward_output.0", {4})};
  NameMap map;
  map.tensors["p.Linear.0.forward_output.0"] = "x.Dense.0.forward_output.0";
  map.tensors["q.Linear.0.forward_output.0"] = "x.Dense.0.forward_output.0";
  Alignment alignment = alignNames(a, b, map);
  ASSERT_EQ(alignment.pairs.size(), 2u);
  EXPECT_EQ(alignment.pairs[0].bench, 0);
  EXPECT_EQ(alignment.pairs[0].how, "map");
  EXPECT_EQ(alignment.pairs[1].target, 1);
  EXPECT_EQ(alignment.pairs[1].bench, -1);
}

namespace {
/// Two equal calls of class "Linear".
struct Likeness {
  align::Interner words;
  align::Call a, b;

  Likeness() {
    a.classId = b.classId = words.id("Linear");
    a.path = b.path = {1, 2, 3, 4};
    a.shapes = b.shapes = {5, 7};
    a.outputShapes = b.outputShapes = {9};
  }
  double now() const { return align::similarity(a, b, words); }
};
} // namespace

// The sum of the three similarities of AlignCalls.h, by hand.
TEST(Similarity, IsTheSumOfPathClassAndShapes) {
  auto with = [](auto change) {
    Likeness likeness;
    change(likeness);
    return likeness.now();
  };
  EXPECT_DOUBLE_EQ(with([](Likeness &) {}), 1);
  // Longest common subsequences: 1 1 of 1 1 2 and 1 2 1; 1 2 4 of four and three.
  EXPECT_DOUBLE_EQ(
      with([](Likeness &l) { l.a.path = {1, 1, 2}, l.b.path = {1, 2, 1}; }),
      0.3 * 4 / 6 + 0.7);
  EXPECT_DOUBLE_EQ(with([](Likeness &l) { l.b.path = {1, 2, 4}; }),
                   0.3 * 6 / 7 + 0.7);
  EXPECT_DOUBLE_EQ(with([](Likeness &l) { l.a.path = {8, 8, 8}; }), 0.7);
  EXPECT_DOUBLE_EQ(with([](Likeness &l) { l.a.path = l.b.path = {}; }), 1);
  EXPECT_DOUBLE_EQ(with([](Likeness &l) { l.a.numbers = {1}; }), 0.85);
  EXPECT_DOUBLE_EQ(
      with([](Likeness &l) { l.b.classId = l.words.id("linEAR8"); }),
      0.8 + 0.2 * 6 / 7);
  EXPECT_DOUBLE_EQ(with([](Likeness &l) { l.b.shapes = {5, 6, 8}; }),
                   0.5 + 0.5 * 2 / 5);
  EXPECT_DOUBLE_EQ(with([](Likeness &l) { l.b.outputShapes = {10}; }), 0.5);
  EXPECT_DOUBLE_EQ(with([](Likeness &l) { l.b.outputShapes = {}; }), 1);
  // Half of the data are equal.
  EXPECT_DOUBLE_EQ(with([](Likeness &l) {
                     l.a.path = {8};
                     l.a.contents = {1, 2}, l.b.contents = {2, 3, 4};
                   }),
                   0.7 + 0.3 * 0.6 * 0.5);
}

TEST(Similarity, OfNumberedCallsIsNotThatOfTheirPaths) {
  Likeness l;
  l.a.numbered = l.b.numbered = true;
  l.a.path = {8};
  l.a.numbers = {3};
  EXPECT_DOUBLE_EQ(l.now(), 1);
  l.a.contents = {1, 2}, l.b.contents = {2, 3};
  EXPECT_DOUBLE_EQ(l.now(), 0.9);
  l.b.operation = 1;
  EXPECT_DOUBLE_EQ(l.now(), 0);
}
