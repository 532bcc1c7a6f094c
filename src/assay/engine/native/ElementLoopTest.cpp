// Compiled loops against plain C++ on special values, on every instruction set
// of this machine: whole vectors, a rest, and nothing written after the end.
#include "assay/engine/native/ElementLoop.h"

#include "assay/engine/native/NativeAgreement.h"
#include "assay/engine/native/VectorMath.h"
#include "assay/kernels/jit/OnEachIsa.h"
#include "assay/reference/ops/Loops.h"

#include <bit>
#include <cmath>
#include <functional>

using namespace assay;
using namespace assay::engine;

namespace {
class ElementLoops : public kernels::OnEachIsa {};

struct Case {
  ElementOp op;
  int arity;
  std::function<float(float, float, float)> meaning;
};
} // namespace

static float greater(float a, float b) {
  if (std::isnan(a) || std::isnan(b))
    return NAN;
  return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
}
static float lesser(float a, float b) { return -greater(-a, -b); }

static std::vector<Case> cases() {
  using Op = ElementOp;
  return {{Op::Add, 2, [](float a, float b, float) { return a + b; }},
          {Op::Subtract, 2, [](float a, float b, float) { return a - b; }},
          {Op::Multiply, 2, [](float a, float b, float) { return a * b; }},
          {Op::Divide, 2, [](float a, float b, float) { return a / b; }},
          {Op::Maximum, 2, [](float a, float b, float) { return greater(a, b); }},
          {Op::Minimum, 2, [](float a, float b, float) { return lesser(a, b); }},
          {Op::Clamp, 3,
           [](float a, float b, float c) { return lesser(greater(b, a), c); }},
          {Op::Negate, 1, [](float a, float, float) { return -a; }},
          {Op::Abs, 1, [](float a, float, float) { return std::fabs(a); }},
          {Op::Sqrt, 1, [](float a, float, float) { return std::sqrt(a); }},
          {Op::Square, 1, [](float a, float, float) { return a * a; }},
          {Op::Cube, 1, [](float a, float, float) { return a * a * a; }}};
}

static std::vector<float> numbers(size_t count, size_t first) {
  const float some[] = {0.0f,  -0.0f,   1.0f,  -2.5f,     INFINITY, NAN,
                        1e-40f, -3e38f, 7.25f, -INFINITY, 3e38f};
  std::vector<float> values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(some[(i * (first + 1) + first) % 11]);
  return values;
}

static bool same(float a, float b) {
  return std::memcmp(&a, &b, 4) == 0 || (std::isnan(a) && std::isnan(b));
}

TEST_P(ElementLoops, EachOperationIsWhatItSays) {
  kernels::Jit jit(isa, "", /*diskCache=*/false, nullptr);
  for (const Case &one : cases()) {
    ElementLoop loop;
    std::vector<std::vector<float>> in;
    loop.nodes.push_back({one.op, {}});
    for (int i = 0; i < one.arity; ++i) {
      loop.inputIsTruth.push_back(false);
      loop.nodes[0].inputs.push_back(i);
      in.push_back(numbers(150, static_cast<size_t>(i)));
    }
    loop.outputs = {one.arity};
    ElementFunction function = llvm::cantFail(compileLoop(loop, jit));
    for (size_t count : {size_t{1}, size_t{37}, size_t{64}, size_t{149}}) {
      std::vector<float> out(151, 5.0f);
      llvm::SmallVector<void *, 4> pointers;
      for (std::vector<float> &values : in)
        pointers.push_back(values.data());
      pointers.push_back(out.data());
      function(pointers.data(), 1, static_cast<int64_t>(count));
      for (size_t i = 0; i < count; ++i) {
        float x[3] = {in[0][i], one.arity > 1 ? in[1][i] : 0,
                      one.arity > 2 ? in[2][i] : 0};
        EXPECT_TRUE(same(out[i], one.meaning(x[0], x[1], x[2])))
            << loop.text() << " of " << x[0] << ", " << x[1] << ", " << x[2]
            << " is " << out[i];
      }
      EXPECT_EQ(out[count], 5.0f);
    }
  }
}

/// In a build for sanitizers, functions have a single loop without fused
/// multiply-adds.
static bool ownLoopsAreContracted() {
#ifdef ASSAY_LOOP_LEVELS
  return reference::loopLevel() >= 3;
#else
  return false;
#endif
}

TEST_P(ElementLoops, FunctionsHaveTheBitsOfTheirOwnLoops) {
  using Op = ElementOp;
  if (isa.fma != ownLoopsAreContracted())
    GTEST_SKIP() << "their own loops are contracted otherwise";
  kernels::Jit jit(isa, "", /*diskCache=*/false, nullptr);
  std::vector<float> in = numbers(11, 0);
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 300007)
    in.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  for (int i = -20000; i <= 20000; ++i)
    in.push_back(static_cast<float>(i) * 0x1.3p-11f);
  for (auto [name, op] : {std::pair("stablehlo.exponential", Op::Exponential),
                          {"stablehlo.logistic", Op::Logistic},
                          {"stablehlo.tanh", Op::Tanh},
                          {"chlo.erf", Op::Erf},
                          {"chlo.erfc", Op::Erfc}}) {
    ElementLoop loop;
    loop.inputIsTruth = {false};
    loop.nodes = {{op, {0}}};
    loop.outputs = {1};
    ElementFunction function = llvm::cantFail(compileLoop(loop, jit));
    std::vector<float> got(in.size()), want(in.size());
    void *pointers[] = {in.data(), got.data()};
    auto count = static_cast<int64_t>(in.size());
    function(pointers, 1, count);
    vectorFunctionOf(name).loop(in.data(), want.data(), count);
    for (size_t i = 0; i < in.size(); ++i)
      ASSERT_TRUE(same(got[i], want[i])) << name << " of " << in[i];
  }
}

TEST(ElementLoop, ErrorFunctionsAreAmongItsOperations) {
  // GELU as JAX writes it, and operations that must not be computed in f32.
  auto parsed = program::Program::parse(
      R"(func.func @main(%x: tensor<4xf32>, %y: tensor<4xf64>) -> tensor<4xf32> {
    %0 = chlo.erf %x : tensor<4xf32> -> tensor<4xf32>
    %1 = chlo.erfc %0 : tensor<4xf32> -> tensor<4xf32>
    %2 = chlo.erfc %y : tensor<4xf64> -> tensor<4xf64>
    return %1 : tensor<4xf32>
  })",
      "test");
  ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
  std::vector<std::optional<ElementOp>> found;
  mlir::func::FuncOp function = llvm::cantFail((*parsed)->function());
  for (mlir::Operation &op : function.getBody().front().without_terminator())
    found.push_back(elementOpOf(&op, /*quick=*/true));
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0], ElementOp::Erf);
  EXPECT_EQ(found[1], ElementOp::Erfc);
  EXPECT_EQ(found[2], std::nullopt);
}

TEST_P(ElementLoops, TruthValuesAreBytes) {
  // select(not(a < b) or t, a, b), and the truth value itself.
  kernels::Jit jit(isa, "", /*diskCache=*/false, nullptr);
  ElementLoop loop;
  loop.inputIsTruth = {false, false, true};
  loop.nodes = {{ElementOp::Less, {0, 1}},
                {ElementOp::Not, {3}},
                {ElementOp::Or, {4, 2}},
                {ElementOp::Select, {5, 0, 1}}};
  loop.outputs = {6, 5};
  ElementFunction function = llvm::cantFail(compileLoop(loop, jit));
  std::vector<float> a = numbers(53, 0), b = numbers(53, 2), out(54, 5.0f);
  std::vector<uint8_t> t, truth(54, 9);
  for (size_t i = 0; i < 53; ++i)
    t.push_back(i % 3 == 0);
  void *pointers[] = {a.data(), b.data(), t.data(), out.data(), truth.data()};
  function(pointers, 1, 53);
  for (size_t i = 0; i < 53; ++i) {
    bool first = !(a[i] < b[i]) || t[i];
    EXPECT_EQ(truth[i], first) << i;
    EXPECT_TRUE(same(out[i], first ? a[i] : b[i])) << i;
  }
  EXPECT_EQ(out[53], 5.0f);
  EXPECT_EQ(truth[53], 9);
}

TEST_P(ElementLoops, ScalarInputsAreOneElement) {
  // select(t, a * s, s) with t and s one each.
  kernels::Jit jit(isa, "", /*diskCache=*/false, nullptr);
  ElementLoop loop;
  loop.inputIsTruth = {false, false, true};
  loop.reads = {ElementReads::Each, ElementReads::One, ElementReads::One};
  loop.nodes = {{ElementOp::Multiply, {0, 1}}, {ElementOp::Select, {2, 3, 1}}};
  loop.outputs = {4};
  ElementFunction function = llvm::cantFail(compileLoop(loop, jit));
  for (uint8_t truth : {uint8_t{0}, uint8_t{1}})
    for (float scalar : numbers(11, 0)) {
      std::vector<float> a = numbers(53, 1), out(54, 5.0f);
      void *pointers[] = {a.data(), &scalar, &truth, out.data()};
      function(pointers, 1, 53);
      for (size_t i = 0; i < 53; ++i)
        EXPECT_TRUE(same(out[i], truth ? a[i] * scalar : scalar)) << i;
      EXPECT_EQ(out[53], 5.0f);
    }
}

// If one number serves all elements, its effect on zeros, infinities and NaN is
// determined before the loop begins.
TEST_P(ElementLoops, ExtremesOfOneNumberAreThoseOfMany) {
  kernels::Jit jit(isa, "", /*diskCache=*/false, nullptr);
  for (const Case &one : cases()) {
    if (one.op != ElementOp::Maximum && one.op != ElementOp::Minimum &&
        one.op != ElementOp::Clamp)
      continue;
    for (int element = 0; element < one.arity; ++element) {
      ElementLoop loop;
      loop.nodes.push_back({one.op, {}});
      for (int i = 0; i < one.arity; ++i) {
        loop.inputIsTruth.push_back(false);
        loop.reads.push_back(i == element ? ElementReads::Each
                                          : ElementReads::One);
        loop.nodes[0].inputs.push_back(i);
      }
      loop.outputs = {one.arity};
      ElementFunction function = llvm::cantFail(compileLoop(loop, jit));
      std::vector<float> some = numbers(11, 0);
      for (float first : some)
        for (float second : some) {
          std::vector<float> out(12, 5.0f);
          float x[3] = {first, second, first};
          void *pointers[4] = {&x[0], &x[1], &x[2]};
          pointers[element] = some.data();
          pointers[one.arity] = out.data();
          function(pointers, 1, 11);
          for (size_t i = 0; i < 11; ++i) {
            float y[3] = {x[0], x[1], x[2]};
            y[element] = some[i];
            EXPECT_TRUE(same(out[i], one.meaning(y[0], y[1], y[2])))
                << loop.text() << " of " << y[0] << ", " << y[1] << ", " << y[2]
                << " is " << out[i];
          }
          EXPECT_EQ(out[11], 5.0f);
        }
    }
  }
}

// (a + row) * column, and a select by truth values of either kind: both orders
// of the loops, with rows of whole vectors, shorter rows, and rows with a rest.
TEST_P(ElementLoops, RowsAndColumnsOfInputs) {
  kernels::Jit jit(isa, "", /*diskCache=*/false, nullptr);
  for (bool columnsOutside : {false, true}) {
    ElementLoop loop;
    loop.inputIsTruth = {false, false, false, true, true};
    loop.reads = {ElementReads::Each, ElementReads::ARow, ElementReads::OneARow,
                  ElementReads::ARow, ElementReads::OneARow};
    loop.nodes = {{ElementOp::Add, {0, 1}},
                  {ElementOp::Multiply, {5, 2}},
                  {ElementOp::And, {3, 4}},
                  {ElementOp::Select, {7, 6, 0}}};
    loop.outputs = {8, 7};
    loop.columnsOutside = columnsOutside;
    ElementFunction function = llvm::cantFail(compileLoop(loop, jit));
    for (size_t length : {size_t{1}, size_t{5}, size_t{16}, size_t{24}, size_t{70}})
      for (size_t rows : {size_t{1}, size_t{4}}) {
        std::vector<float> a = numbers(rows * length, 3), row = numbers(length, 2),
                           column = numbers(rows, 4),
                           out(rows * length + 1, 5.0f);
        std::vector<uint8_t> rowTruth(length), columnTruth(rows),
            truth(rows * length + 1, 9);
        for (size_t i = 0; i < length; ++i)
          rowTruth[i] = i % 3 != 1;
        for (size_t i = 0; i < rows; ++i)
          columnTruth[i] = i % 4 != 2;
        void *pointers[] = {a.data(),        row.data(),         column.data(),
                            rowTruth.data(), columnTruth.data(), out.data(),
                            truth.data()};
        function(pointers, static_cast<int64_t>(rows),
                 static_cast<int64_t>(length));
        for (size_t i = 0; i < rows * length; ++i) {
          size_t c = i % length, r = i / length;
          uint8_t both = rowTruth[c] & columnTruth[r];
          EXPECT_EQ(truth[i], both) << i;
          EXPECT_TRUE(same(out[i], both ? (a[i] + row[c]) * column[r] : a[i]))
              << rows << " x " << length << ": " << i;
        }
        EXPECT_EQ(out.back(), 5.0f);
        EXPECT_EQ(truth.back(), 9);
      }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ElementLoops, kernels::everyIsa(),
                         kernels::isaName);

TEST(Loops, ChainsOfEveryOperationEqualTheReference) {
  expectAgreement(
      R"(func.func @main(%x: tensor<700x33xf32>, %y: tensor<700x33xf32>, %z: tensor<33xf32>) -> (tensor<700x33xf32>, tensor<700x33xi1>) {
    %half = stablehlo.constant dense<0.5> : tensor<700x33xf32>
    %0 = stablehlo.add %x, %half : tensor<700x33xf32>
    %1 = stablehlo.divide %0, %y : tensor<700x33xf32>
    %2 = stablehlo.broadcast_in_dim %z, dims = [1] : (tensor<33xf32>) -> tensor<700x33xf32>
    %3 = stablehlo.maximum %1, %2 : tensor<700x33xf32>
    %4 = stablehlo.abs %3 : tensor<700x33xf32>
    %5 = stablehlo.sqrt %4 : tensor<700x33xf32>
    %6 = stablehlo.compare LT, %5, %x : (tensor<700x33xf32>, tensor<700x33xf32>) -> tensor<700x33xi1>
    %7 = stablehlo.negate %5 : tensor<700x33xf32>
    %8 = stablehlo.select %6, %7, %2 : tensor<700x33xi1>, tensor<700x33xf32>
    %9 = stablehlo.not %6 : tensor<700x33xi1>
    %10 = stablehlo.minimum %8, %half : tensor<700x33xf32>
    return %10, %9 : tensor<700x33xf32>, tensor<700x33xi1>
  })",
      2);
}

TEST(Loops, PowersWithOneWholeExponentAreProducts) {
  // Exponents that are whole values, one per row, and others.
  for (const char *exponent : {"2.0", "3.0", "4.0", "0.0"}) {
    std::string text = R"(func.func @main(%x: tensor<90x64xf32>) -> (tensor<90x64xf32>, tensor<90xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %one = stablehlo.constant dense<EXPONENT> : tensor<f32>
    %e = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<f32>) -> tensor<90x64xf32>
    %f = stablehlo.constant dense<EXPONENT> : tensor<90xf32>
    %0 = stablehlo.power %x, %e : tensor<90x64xf32>
    %1 = stablehlo.add %0, %x : tensor<90x64xf32>
    %2 = stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<90x64xf32>, tensor<f32>) -> tensor<90xf32>
    %3 = stablehlo.power %2, %f : tensor<90xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<90xf32>) -> tensor<90x64xf32>
    %5 = stablehlo.multiply %1, %4 : tensor<90x64xf32>
    return %5, %3 : tensor<90x64xf32>, tensor<90xf32>
  })";
    for (size_t at; (at = text.find("EXPONENT")) != std::string::npos;)
      text.replace(at, 8, exponent);
    expectAgreement(text.c_str(), 1);
  }
}

/// A softmax under a mask, as PyTorch writes it: rows without a true value are
/// zeros. Later loops read values of a row, and one of these is also a result.
static std::string masked(const char *any, const char *init) {
  std::string text = R"(func.func @main(%x: tensor<90x61xf32>, %m: tensor<90x61xi1>) -> (tensor<90x61xf32>, tensor<90x61xf32>) {
    %low = stablehlo.constant dense<-1.0e30> : tensor<f32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %none = stablehlo.constant dense<INIT> : tensor<i1>
    %lows = stablehlo.constant dense<-1.0e30> : tensor<90x61xf32>
    %zeros = stablehlo.constant dense<0.0> : tensor<90x61xf32>
    %0 = stablehlo.select %m, %x, %lows : tensor<90x61xi1>, tensor<90x61xf32>
    %1 = stablehlo.reduce(%0 init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<90x61xf32>, tensor<f32>) -> tensor<90xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<90xf32>) -> tensor<90x61xf32>
    %3 = stablehlo.subtract %0, %2 : tensor<90x61xf32>
    %4 = stablehlo.abs %3 : tensor<90x61xf32>
    %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<90x61xf32>, tensor<f32>) -> tensor<90xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<90xf32>) -> tensor<90x61xf32>
    %7 = stablehlo.divide %4, %6 : tensor<90x61xf32>
    %8 = stablehlo.reduce(%m init: %none) applies stablehlo.ANY across dimensions = [1] : (tensor<90x61xi1>, tensor<i1>) -> tensor<90xi1>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<90xi1>) -> tensor<90x61xi1>
    %10 = stablehlo.select %9, %7, %zeros : tensor<90x61xi1>, tensor<90x61xf32>
    return %10, %2 : tensor<90x61xf32>, tensor<90x61xf32>
  })";
  auto put = [&](const char *word, const char *with) {
    text.replace(text.find(word), std::strlen(word), with);
  };
  put("INIT", init);
  put("ANY", any);
  return text;
}

TEST(Loops, ValuesOfARowStayInRegisters) {
  expectAgreement(masked("or", "false").c_str(), 1, -1, 1e-6f);
  expectAgreement(masked("or", "true").c_str(), 1, -1, 1e-6f);
  expectAgreement(masked("and", "true").c_str(), 1, -1, 1e-6f);
  expectAgreement(masked("and", "false").c_str(), 1, -1, 1e-6f);
}

TEST(Loops, ColumnsAreReducedARowAtATime) {
  for (const char *op : {"add", "maximum", "minimum"})
    expectAgreement(
        ("func.func @main(%x: tensor<3x9000x300xf32>, %i: tensor<f32>) -> tensor<3x300xf32> {\n"
         "  %0 = stablehlo.reduce(%x init: %i) applies stablehlo." +
         std::string(op) +
         " across dimensions = [1] : (tensor<3x9000x300xf32>, tensor<f32>) -> tensor<3x300xf32>\n"
         "  return %0 : tensor<3x300xf32>\n}")
            .c_str(),
        1);
}

TEST(Loops, SumsOfWindowsCountThePadding) {
  expectAgreement(
      R"(func.func @main(%x: tensor<2x9x8x20xf32>, %i: tensor<f32>) -> tensor<2x5x8x20xf32> {
    %0 = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 1, 1>, padding = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %m = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<2x9x8x20xf32>, tensor<f32>) -> tensor<2x5x8x20xf32>
    return %0 : tensor<2x5x8x20xf32>
  })",
      1);
}

/// conv, bias, relu, and a sum with a shortcut: one step, by every algorithm.
static std::string followed(const std::string &image, const std::string &filter,
                            const std::string &out, const std::string &form) {
  return "func.func @main(%x: " + image + ", %w: " + filter + ", %s: " + out +
         ") -> " + out + " {\n  %0 = stablehlo.convolution(%x, %w) " + form +
         " : (" + image + ", " + filter + ") -> " + out + R"(
  %zero = stablehlo.constant dense<0.0> : )" + out + R"(
  %1 = stablehlo.add %0, %s : )" + out + R"(
  %2 = stablehlo.maximum %1, %zero : )" + out + R"(
  %3 = stablehlo.subtract %2, %0 : )" + out + "\n  return %3 : " + out + "\n}";
}

TEST(Loops, FollowConvolutionsPieceByPiece) {
  std::string form = "dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
                     "window = {pad = [[P, P], [P, P]]} {batch_group_count = 1 "
                     ": i64, feature_group_count = G : i64}";
  auto with = [&](const char *pad, const char *groups) {
    std::string text = form;
    for (size_t at; (at = text.find('P')) != std::string::npos;)
      text.replace(at, 1, pad);
    return text.replace(text.find('G'), 1, groups);
  };
  // Windows, products of pixels (large enough for several pieces), depthwise.
  expectAgreement(followed("tensor<2x40x31x8xf32>", "tensor<3x3x8x24xf32>",
                           "tensor<2x40x31x24xf32>", with("1", "1"))
                      .c_str(),
                  2, 2); // with the constant
  expectAgreement(followed("tensor<2x60x51x24xf32>", "tensor<1x1x24x200xf32>",
                           "tensor<2x60x51x200xf32>", with("0", "1"))
                      .c_str(),
                  2, 2); // with the constant
  expectAgreement(followed("tensor<1x40x30x48xf32>", "tensor<3x3x1x48xf32>",
                           "tensor<1x40x30x48xf32>", with("1", "48"))
                      .c_str(),
                  2, 2); // with the constant
  expectAgreement(followed("tensor<1x8x8x32xf32>", "tensor<3x3x8x64xf32>",
                           "tensor<1x8x8x64xf32>", with("1", "4"))
                      .c_str(),
                  2, 2); // with the constant
}

// A loop that reads two convolutions follows only one of them.
TEST(Loops, OfTwoConvolutionsFollowOne) {
  std::string image = "tensor<2x20x21x8xf32>", filter = "tensor<3x3x8x24xf32>",
              out = "tensor<2x20x21x24xf32>",
              form = " dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
                     "window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 "
                     ": i64, feature_group_count = 1 : i64} : (" +
                     image + ", " + filter + ") -> " + out;
  expectAgreement(
      ("func.func @main(%x: " + image + ", %y: " + image + ", %v: " + filter +
       ", %w: " + filter + ") -> " + out +
       " {\n  %0 = stablehlo.convolution(%x, %v)" + form +
       "\n  %1 = stablehlo.convolution(%y, %w)" + form +
       "\n  %2 = stablehlo.multiply %0, %1 : " + out +
       "\n  %3 = stablehlo.subtract %2, %0 : " + out +
       "\n  %4 = stablehlo.tanh %3 : " + out + "\n  return %4 : " + out + "\n}")
          .c_str(),
      3, 2);
}
