// Data around a program: arguments, comparison with expected results, prints,
// messages to another process, positions in a mesh, counts of a profile.
// Expected values are computed by hand.
#include "assay/formats/Npz.h"
#include "assay/program/Expect.h"
#include "assay/program/Inputs.h"
#include "assay/program/Plan.h"
#include "assay/program/Print.h"
#include "assay/program/Profile.h"
#include "assay/formats/SavedFolder.h"
#include "assay/program/Shardings.h"
#include "assay/program/ValueBytes.h"
#include "assay/support/Random.h"
#include "assay/support/TestFolder.h"

#include <cmath>
#include <cstring>
#include <fstream>

using namespace assay;
using namespace assay::program;
using numerics::ElementType;

static TensorType typeOf(const char *element, tensor::Shape shape) {
  return {*numerics::parseElementType(element), std::move(shape)};
}

template <typename T>
static Tensor tensorOf(const char *element, tensor::Shape shape,
                       std::vector<T> values) {
  Tensor made =
      llvm::cantFail(Tensor::allocate(typeOf(element, std::move(shape))));
  EXPECT_EQ(made.denseBytes(), static_cast<int64_t>(values.size() * sizeof(T)));
  std::memcpy(made.mutableBytes(), values.data(), values.size() * sizeof(T));
  return made;
}

template <typename T> static std::vector<T> valuesOf(const Tensor &tensor) {
  Tensor dense = llvm::cantFail(tensor.dense());
  std::vector<T> values(static_cast<size_t>(dense.denseBytes()) / sizeof(T));
  std::memcpy(values.data(), dense.bytes(), values.size() * sizeof(T));
  return values;
}

TEST(RandomTensors, HaveTheRangeOfTheirTypeAndTheNumbersOfTheirSeed) {
  auto range = [](const char *element, auto zero) {
    using T = decltype(zero);
    std::vector<T> values = valuesOf<T>(llvm::cantFail(
        randomTensor(typeOf(element, {100000}), /*seed=*/3, /*argument=*/1)));
    auto [low, high] = std::minmax_element(values.begin(), values.end());
    return std::pair<int64_t, int64_t>(*low, *high);
  };
  using Range = std::pair<int64_t, int64_t>;
  EXPECT_EQ(range("i8", int8_t()), Range(-128, 127));
  EXPECT_EQ(range("ui8", uint8_t()), Range(0, 255));
  EXPECT_EQ(range("i4", int8_t()), Range(-8, 7));
  EXPECT_EQ(range("ui2", uint8_t()), Range(0, 3));
  EXPECT_EQ(range("i1", uint8_t()), Range(0, 1));
  EXPECT_EQ(range("i16", int16_t()), Range(-1000, 1000));
  EXPECT_EQ(range("ui64", uint64_t()), Range(0, 1000));
  // A seed must give the same numbers in every version, because repro lines
  // contain it.
  EXPECT_EQ(valuesOf<int8_t>(
                llvm::cantFail(randomTensor(typeOf("i4", {6}), 3, 1))),
            (std::vector<int8_t>{6, 2, 4, 5, 0, -3}));
  EXPECT_EQ(valuesOf<int8_t>(
                llvm::cantFail(randomTensor(typeOf("i8", {6}), 3, 1))),
            (std::vector<int8_t>{110, 41, 71, 81, 5, -41}));
  auto normals = [](uint64_t seed, uint64_t argument) {
    return valuesOf<double>(
        llvm::cantFail(randomTensor(typeOf("f64", {5}), seed, argument)));
  };
  EXPECT_EQ(normals(3, 1)[4], CounterRandom(3, 1).normal(4));
  EXPECT_NE(normals(3, 1), normals(3, 2));
  EXPECT_NE(normals(3, 1), normals(4, 1));
  std::vector<double> parts = valuesOf<double>(
      llvm::cantFail(randomTensor(typeOf("complex<f64>", {5}), 3, 1)));
  EXPECT_EQ(parts[9], CounterRandom(3, 1).normal(9));
}

namespace {
struct Inputs : TestFolder {
  void SetUp() override {
    TestFolder::SetUp();
    program = llvm::cantFail(Program::parse(
        "func.func @main(%a: tensor<2x2xi32>, %b: tensor<3xf32>) -> "
        "tensor<3xf32> { return %b : tensor<3xf32> }",
        "p"));
  }
  llvm::Expected<std::vector<Tensor>> make(std::vector<std::string> specs) {
    return makeInputs(*program, llvm::cantFail(program->function()), specs, 7);
  }
  std::string error(std::vector<std::string> specs) {
    auto made = make(std::move(specs));
    return made ? "none" : takeError(made.takeError()).message;
  }
  std::shared_ptr<const Program> program;
};
} // namespace

TEST_F(Inputs, AreMadeFromTheirSpecs) {
  std::vector<Tensor> made = llvm::cantFail(
      make({"iota", "dense<[1.5, 2.5, 3.5]> : tensor<3xf32>"}));
  EXPECT_EQ(valuesOf<int32_t>(made[0]), std::vector<int32_t>({0, 1, 2, 3}));
  EXPECT_EQ(valuesOf<float>(made[1]), std::vector<float>({1.5, 2.5, 3.5}));
  made = llvm::cantFail(make({"zeros", "dense<4.0> : tensor<3xf32>"}));
  EXPECT_EQ(valuesOf<int32_t>(made[0]), std::vector<int32_t>(4, 0));
  EXPECT_EQ(valuesOf<float>(made[1]), std::vector<float>(3, 4));
  // `random` serves all arguments; each draws by its own number.
  made = llvm::cantFail(make({"random"}));
  EXPECT_EQ(valuesOf<float>(made[1])[2],
            static_cast<float>(CounterRandom(7, 1).normal(2)));
  made = llvm::cantFail(make({"random:9"}));
  EXPECT_EQ(valuesOf<float>(made[1])[2],
            static_cast<float>(CounterRandom(9, 1).normal(2)));
  {
    auto file = llvm::cantFail(formats::NpzWriter::create(path("x.npz")));
    llvm::cantFail(
        file.add("in1", tensorOf<float>("f32", {3}, {7, 8, 9})));
    llvm::cantFail(
        file.add("in0", tensorOf<int32_t>("i32", {2, 2}, {4, 3, 2, 1})));
    llvm::cantFail(file.finish());
  }
  made = llvm::cantFail(make({path("x.npz")}));
  EXPECT_EQ(valuesOf<int32_t>(made[0]), std::vector<int32_t>({4, 3, 2, 1}));
  EXPECT_EQ(valuesOf<float>(made[1]), std::vector<float>({7, 8, 9}));
}

TEST_F(Inputs, ThatDoNotFitAreRefusedByNumber) {
  EXPECT_EQ(error({"zeros"}),
            "@main takes 2 arguments, 1 input was given (--input, one each; or "
            "one FILE.npz with in0, in1, ...; or random)");
  EXPECT_EQ(error({"zeros", "dense<1.0> : tensor<4xf32>"})
                .rfind("argument 1 of @main: ", 0),
            0u);
  EXPECT_NE(error({"zeros", "dense<1> : tensor<3xi32>"})
                .find("is tensor<3xi32>, the program takes tensor<3xf32>"),
            std::string::npos)
      << error({"zeros", "dense<1> : tensor<3xi32>"});
  EXPECT_NE(error({"random:x", "zeros"}).find("argument 0 of @main"),
            std::string::npos);
  EXPECT_NE(error({"dense<1", "zeros"}).find("not a tensor literal"),
            std::string::npos);
  EXPECT_EQ(
      llvm::cantFail(splitArgs(
          " [dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>, x.npy , dense<(1,2)> : "
          "tensor<complex<f32>>] ")),
      (std::vector<std::string>{"dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>",
                                "x.npy",
                                "dense<(1,2)> : tensor<complex<f32>>"}));
  EXPECT_TRUE(llvm::cantFail(splitArgs("[]")).empty());
  auto wrong = splitArgs("dense<1> : tensor<i32>");
  EXPECT_FALSE(bool(wrong));
  llvm::consumeError(wrong.takeError());
}

TEST(Results, DifferencesLeaveOutWhatIsNotFinite) {
  Tensor got = tensorOf<float>("f32", {4}, {1, NAN, INFINITY, -2}),
         expected = tensorOf<float>("f32", {4}, {1.25, NAN, 5, -2});
  ResultVerdict verdict = compareResult(got, expected, "out0");
  EXPECT_EQ(verdict.name, "out0");
  EXPECT_EQ(verdict.maxAbs, 0.25);
  verdict = compareResult(
      tensorOf<float>("f32", {2}, {1, 0}),
      tensorOf<float>("f32", {2}, {std::nextafter(1.0f, 2.0f), 0}), "x");
  EXPECT_EQ(verdict.maxUlp, 1u);
  verdict = compareResult(tensorOf<float>("complex<f32>", {1}, {1, 2}),
                          tensorOf<float>("complex<f32>", {1}, {1, 4}), "x");
  EXPECT_EQ(verdict.maxAbs, 2);
}

static Value tupleOf(std::vector<Value> parts) {
  return Value(Tuple(std::make_shared<std::vector<Value>>(std::move(parts))));
}

TEST(Results, PartsOfTuplesHaveNamesOfTheirOwn) {
  Tensor one = tensorOf<float>("f32", {1}, {1});
  std::vector<Value> results;
  results.emplace_back(Token());
  results.push_back(tupleOf({one, tupleOf({Value(Token()), one})}));
  results.emplace_back(one);
  std::vector<std::string> names;
  std::vector<size_t> indices;
  for (const NamedValue &named : tensorsOf(results)) {
    names.push_back(named.name);
    indices.push_back(named.index);
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"out1.0", "out1.1.1", "out2"}));
  EXPECT_EQ(indices, (std::vector<size_t>{1, 1, 2}));
}

TEST(Results, ArePrintedAsNestedRowsOrAsLiterals) {
  auto printed = [](const Tensor &tensor, bool dense) {
    std::string text;
    llvm::raw_string_ostream os(text);
    dense ? printDense(os, tensor) : printTensor(os, tensor);
    return text;
  };
  Tensor matrix = tensorOf<int32_t>("i32", {2, 3}, {1, 2, 3, 4, 5, -6});
  EXPECT_EQ(printed(matrix, false),
            "tensor<2x3xi32> {\n  [\n    [1, 2, 3],\n    [4, 5, -6]\n  ]\n}");
  EXPECT_EQ(printed(matrix, true),
            "dense<[[1, 2, 3], [4, 5, -6]]> : tensor<2x3xi32>");
  EXPECT_EQ(printed(tensorOf<int32_t>("i32", {}, {7}), false),
            "tensor<i32> {7}");
  EXPECT_EQ(printed(tensorOf<int32_t>("i32", {2}, {7, 7}), true),
            "dense<7> : tensor<2xi32>");
  EXPECT_EQ(printed(tensorOf<int32_t>("i32", {2, 0}, {}), true),
            "dense<> : tensor<2x0xi32>");
  EXPECT_EQ(printed(tensorOf<int32_t>("i32", {0}, {}), false),
            "tensor<0xi32> {\n  []\n}");
  // The two zeros have different bits.
  EXPECT_NE(printed(tensorOf<float>("f32", {2}, {0, -0.0f}), true).find("["),
            std::string::npos);
}

TEST(ValueBytes, WhatIsWrittenIsReadAndNothingIsReadBehindTheEnd) {
  ThreadPool pool(1);
  RunContext run(pool);
  int16_t seven = 6 * 256 + 7; // two different bytes, both have to survive
  Value shadowed(tensorOf<float>("f32", {2}, {1.5, -2.5}));
  shadowed.setShadow(tensorOf<double>("f64", {2}, {1.25, -2.75}));
  std::vector<Value> values;
  values.push_back(shadowed);
  values.emplace_back(Tensor::splat(typeOf("i16", {3, 4}), &seven));
  values.emplace_back(Token());
  values.emplace_back();
  values.push_back(tupleOf({shadowed, Value(Token())}));
  values.emplace_back(tensorOf<float>("complex<f32>", {1, 0, 3}, {}));
  ASSERT_TRUE(canBeWritten(values));
  std::string bytes;
  writeText(bytes, "head");
  writeValues(bytes, values);
  writeNumber(bytes, -9);
  llvm::StringRef rest = bytes;
  EXPECT_EQ(llvm::cantFail(readText(rest)), "head");
  std::vector<Value> read = llvm::cantFail(readValues(rest, run));
  EXPECT_EQ(llvm::cantFail(readNumber(rest)), -9);
  EXPECT_TRUE(rest.empty());
  ASSERT_EQ(read.size(), 6u);
  EXPECT_EQ(valuesOf<float>(read[0].tensor()), std::vector<float>({1.5, -2.5}));
  EXPECT_EQ(valuesOf<double>(read[0].shadow()),
            std::vector<double>({1.25, -2.75}));
  EXPECT_TRUE(read[1].tensor().isSplat());
  EXPECT_FALSE(read[1].shadow().valid());
  EXPECT_EQ(valuesOf<int16_t>(read[1].tensor()),
            std::vector<int16_t>(12, seven));
  EXPECT_TRUE(!read[2].isTensor() && !read[2].isTuple() && !read[2].empty());
  EXPECT_TRUE(read[3].empty());
  EXPECT_EQ(valuesOf<double>(read[4].tuple()[0].shadow())[1], -2.75);
  EXPECT_EQ(read[5].tensor().type(), typeOf("complex<f32>", {1, 0, 3}));
  std::string whole;
  writeValues(whole, values);
  for (size_t size = 0; size < whole.size(); ++size) {
    llvm::StringRef cut = llvm::StringRef(whole).take_front(size);
    auto short_ = readValues(cut, run);
    ASSERT_FALSE(bool(short_)) << size;
    EXPECT_EQ(takeError(short_.takeError()).code, ErrorCode::DataLoss);
  }
}

TEST(Meshes, PlacesGoByTheLastAxisFirst) {
  Mesh mesh = llvm::cantFail(makeMesh({{"x", 2}, {"y", 3}}, {}));
  EXPECT_EQ(mesh.size(), 6);
  EXPECT_EQ(mesh.coordinate(4, "x"), 1);
  EXPECT_EQ(mesh.coordinate(4, "y"), 1);
  EXPECT_EQ(mesh.coordinate(2, "x"), 0);
  EXPECT_EQ(mesh.coordinate(2, "y"), 2);
  using Rows = std::vector<std::vector<int64_t>>;
  EXPECT_EQ(mesh.groupsAlong({"y"}), (Rows{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(mesh.groupsAlong({"x"}), (Rows{{0, 3}, {1, 4}, {2, 5}}));
  EXPECT_EQ(mesh.groupsAlong({"x", "y"}), (Rows{{0, 1, 2, 3, 4, 5}}));
  EXPECT_EQ(mesh.groupsAlong({"y", "x"}), (Rows{{0, 3, 1, 4, 2, 5}}));
  Mesh turned =
      llvm::cantFail(makeMesh({{"x", 2}, {"y", 3}}, {5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(turned.groupsAlong({"x"}), (Rows{{5, 2}, {4, 1}, {3, 0}}));
  for (std::vector<int64_t> wrong :
       {std::vector<int64_t>{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4, 4},
        {-1, 0, 1, 2, 3, 4}}) {
    auto made = makeMesh({{"x", 2}, {"y", 3}}, wrong);
    ASSERT_FALSE(bool(made));
    EXPECT_EQ(takeError(made.takeError()).code, ErrorCode::InvalidArgument);
  }
  auto empty = makeMesh({{"x", 0}}, {});
  EXPECT_FALSE(bool(empty));
  llvm::consumeError(empty.takeError());
}

static const char *const kProducts = R"(
func.func @main(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>,
                %c: tensor<3x4xf32>, %d: tensor<4x5xf32>,
                %e: tensor<1x8x8x4xf32>, %f: tensor<3x3x2x6xf32>)
    -> tensor<f32> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0],
       contracting_dims = [2] x [1]
       : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %1 = stablehlo.dot %c, %d
       : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %2 = stablehlo.convolution(%e, %f)
       dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
       {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
       : (tensor<1x8x8x4xf32>, tensor<3x3x2x6xf32>) -> tensor<1x6x6x6xf32>
  %3 = stablehlo.add %c, %c : tensor<3x4xf32>
  %4 = stablehlo.constant dense<0.0> : tensor<f32>
  return %4 : tensor<f32>
})";

TEST(Profiles, CountMultiplyAddsAsTwo) {
  auto program = llvm::cantFail(Program::parse(kProducts, "p"));
  std::vector<double> flops;
  mlir::Operation *dot = nullptr;
  program->module()->walk([&](mlir::Operation *op) {
    if (op->getNumOperands() == 2)
      flops.push_back(flopsOf(op));
    if (op->getName().getStringRef() == "stablehlo.dot")
      dot = op;
  });
  // Two for each term of 2 * 3 * 5 sums of 4, 3 * 5 sums of 4, and
  // 6 * 6 * 6 sums of 3 * 3 * 2.
  EXPECT_EQ(flops, (std::vector<double>{240, 120, 7776, 0}));

  Profile profile;
  StepNode node;
  node.op = dot;
  node.name = "stablehlo.dot";
  Value left(tensorOf<float>("f32", {3, 4}, std::vector<float>(12))),
      right(tensorOf<float>("f32", {4, 5}, std::vector<float>(20)));
  std::vector<Value> result;
  result.emplace_back(tensorOf<float>("f32", {3, 5}, std::vector<float>(15)));
  Value *operands[] = {&left, &right};
  profile.onStep(node, operands, result, 1000000);
  profile.onStep(node, operands, result, 2000000);
  StepNode other;
  other.name = "stablehlo.abs";
  profile.onStep(other, {&operands[0], 1}, result, 1000000);
  std::string text;
  llvm::raw_string_ostream os(text);
  MachineLimits limits;
  limits.gflops = 0.0002;
  limits.gigabytes = 0.001;
  profile.print(os, limits);
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  auto cells = [](llvm::StringRef line) {
    llvm::SmallVector<llvm::StringRef> parts;
    line.split(parts, ' ', -1, /*KeepEmpty=*/false);
    return std::vector<std::string>(parts.begin(), parts.end());
  };
  // 3 ms for 30 elements, 240 operations, 2 * (12 + 20 + 15) * 4 bytes.
  EXPECT_EQ(cells(lines[2]),
            (std::vector<std::string>{"stablehlo.dot", "3x4xf32", "4x5xf32",
                                      "2", "3.000", "75.0", "%", "100000.00",
                                      "0.0", "0.0", "40", "%"}))
      << text;
  EXPECT_EQ(cells(lines[3]),
            (std::vector<std::string>{"stablehlo.abs", "1", "1.000", "25.0",
                                      "%", "66666.67", "-", "0.0", "11", "%"}))
      << text;
}

//===--- Folders as PyTorch/XLA saves them -------------------------------===//

TEST_F(Inputs, OfASavedFolderCountThoseThatTheProgramIgnores) {
  llvm::sys::fs::create_directories(path("saved/functions"));
  std::ofstream(path("saved/functions/forward.mlir")) << "\n";
  for (auto [used, unused, inputs] :
       {std::tuple(0, 2, 3), std::tuple(4, 1, 5), std::tuple(0, 0, 1)}) {
    std::ofstream(path("saved/functions/forward.meta"))
        << "{\"input_locations\": [{\"type_\": \"input_arg\", \"position\": "
        << used << "}], \"unused_inputs\": [[{\"type_\": \"input_arg\", "
        << "\"position\": " << unused << "}, {}]]}";
    formats::SavedFolder found =
        llvm::cantFail(formats::SavedFolder::open(path("saved"), ""));
    EXPECT_EQ(found.inputs, inputs);
    ASSERT_EQ(found.arguments.size(), 1u);
    EXPECT_EQ(found.arguments[0].position, used);
  }
}
