#include "assay/trace/Align.h"
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

/// Module and item of a name without class and counter: what a right pair has
/// in common.
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

TEST(Align, MissingExtraAndFusedModulesShiftNothing) {
  std::vector<AlignItem> a = model(4, "net."), b = model(4, "vit.");
  // The target lost block 1's norm2; the bench has q, k and v apart in block 2,
  // and an extra norm in block 3.
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
