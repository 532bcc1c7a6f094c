// The uses of arguments in hand-written programs, and the resulting data: each
// pattern of Range data occurs.
#include "assay/judge/program/EdgeData.h"
#include "assay/judge/program/ProgramFill.h"
#include "assay/judge/program/ProgramJudge.h"
#include "assay/numerics/Convert.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace assay;
using namespace assay::judge;
using tensor::Tensor;
using SharedProgram = std::shared_ptr<const program::Program>;

static const char *const kSoftmax = R"(
func.func @main(%x: tensor<24x8xf32>) -> tensor<24x8xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<24x8xf32>, tensor<f32>) -> tensor<24xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<24xf32>) -> tensor<24x8xf32>
  %d = stablehlo.subtract %x, %mb : tensor<24x8xf32>
  %e = stablehlo.exponential %d : tensor<24x8xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<24x8xf32>, tensor<f32>) -> tensor<24xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<24xf32>) -> tensor<24x8xf32>
  %r = stablehlo.divide %e, %sb : tensor<24x8xf32>
  func.return %r : tensor<24x8xf32>
})";

static const char *const kProduct = R"(
func.func @main(%a: tensor<4x6x8xf32>, %b: tensor<4x8x5xf32>, %bias: tensor<5xf32>) -> tensor<4x6x5xf32> {
  %t = stablehlo.transpose %a, dims = [0, 2, 1] : (tensor<4x6x8xf32>) -> tensor<4x8x6xf32>
  %p = stablehlo.dot_general %t, %b, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<4x8x6xf32>, tensor<4x8x5xf32>) -> tensor<4x6x5xf32>
  %w = stablehlo.broadcast_in_dim %bias, dims = [2] : (tensor<5xf32>) -> tensor<4x6x5xf32>
  %r = stablehlo.add %p, %w : tensor<4x6x5xf32>
  func.return %r : tensor<4x6x5xf32>
})";

static const char *const kConvert = R"(
func.func @main(%x: tensor<512xf32>) -> (tensor<512xi8>, tensor<512xbf16>) {
  %i = stablehlo.convert %x : (tensor<512xf32>) -> tensor<512xi8>
  %b = stablehlo.convert %x : (tensor<512xf32>) -> tensor<512xbf16>
  func.return %i, %b : tensor<512xi8>, tensor<512xbf16>
})";

static const char *const kElementwise = R"(
func.func @main(%x: tensor<512xf32>, %y: tensor<512xf32>, %z: tensor<512xf32>) -> tensor<512xf32> {
  %e = stablehlo.exponential %x : tensor<512xf32>
  %s = stablehlo.sine %y : tensor<512xf32>
  %t = stablehlo.add %e, %s : tensor<512xf32>
  %r = stablehlo.multiply %t, %z : tensor<512xf32>
  func.return %r : tensor<512xf32>
})";

static SharedProgram parsed(const char *text) {
  return llvm::cantFail(program::Program::parse(text, "test"));
}

static std::vector<ArgumentUse> usesIn(const SharedProgram &program) {
  return usesOfArguments(llvm::cantFail(program->function("")));
}

static std::vector<double> filled(const SharedProgram &program, size_t argument,
                                  int draw = 0) {
  std::vector<Tensor> tensors =
      llvm::cantFail(fillProgram(*program, "", FillKind::Range, 1, draw));
  return exactValues(program::Value(tensors[argument]));
}

TEST(EdgeData, UsesOfASoftmax) {
  std::vector<ArgumentUse> uses = usesIn(parsed(kSoftmax));
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses[0].folded, 2u); // rows are folded, not columns
  EXPECT_TRUE(uses[0].isCurved);
  EXPECT_FALSE(uses[0].isFactor || uses[0].isWidened || uses[0].isDelicate);
  EXPECT_EQ(uses[0].digits, 0);
  EXPECT_EQ(uses[0].integerLimit, 0);
}

TEST(EdgeData, UsesOfAProduct) {
  std::vector<ArgumentUse> uses = usesIn(parsed(kProduct));
  ASSERT_EQ(uses.size(), 3u);
  EXPECT_EQ(uses[0].folded, 4u); // through the transpose
  EXPECT_EQ(uses[1].folded, 2u);
  EXPECT_TRUE(uses[0].isFactor && uses[1].isFactor);
  EXPECT_TRUE(uses[2].isWidened);
  EXPECT_FALSE(uses[2].isFactor || uses[2].folded);
}

TEST(EdgeData, UsesOfConversions) {
  std::vector<ArgumentUse> uses = usesIn(parsed(kConvert));
  EXPECT_EQ(uses[0].integerLimit, 128);
  EXPECT_EQ(uses[0].digits, 8);
  EXPECT_FALSE(uses[0].isCurved || uses[0].folded);
}

TEST(EdgeData, UsesOfFunctions) {
  std::vector<ArgumentUse> uses = usesIn(parsed(kElementwise));
  EXPECT_TRUE(uses[0].isCurved && !uses[0].isDelicate);
  EXPECT_TRUE(uses[1].isPeriodic && !uses[1].isCurved);
  EXPECT_FALSE(uses[2].isDelicate || uses[2].isCurved);
}

/// @main of integers of a type, and the operations on them.
static SharedProgram ofIntegers(llvm::StringRef type, llvm::StringRef body) {
  std::string text = ("func.func @main(%x: T, %y: T) -> T {" + body +
                      " func.return %r : T }")
                         .str();
  for (size_t at; (at = text.find('T')) != std::string::npos;)
    text.replace(at, 1, ("tensor<400x" + type + ">").str());
  return parsed(text.c_str());
}

static std::pair<double, double> ends(const SharedProgram &program,
                                      size_t argument) {
  std::vector<double> all;
  llvm::Expected<Tensor> dense =
      llvm::cantFail(fillProgram(*program, "", FillKind::Range, 1, 0))[argument]
          .dense();
  all.resize(400);
  numerics::toDoubles(dense->elementType(), dense->bytes(), all.data(), 400);
  auto [low, high] = std::minmax_element(all.begin(), all.end());
  return {*low, *high};
}

TEST(EdgeData, IntegersThatStayIntegersReachTheEndsOfTheirType) {
  using Ends = std::pair<double, double>;
  const char *add = "%r = stablehlo.add %x, %y : T";
  EXPECT_EQ(ends(ofIntegers("i32", add), 0), Ends(-0x1p31, 0x1p31 - 1));
  EXPECT_EQ(ends(ofIntegers("ui32", add), 1), Ends(0, 0x1p32 - 1));
  EXPECT_EQ(ends(ofIntegers("i64", add), 0), Ends(-0x1p63, 0x1p63));
  EXPECT_EQ(ends(ofIntegers("ui64", add), 0), Ends(0, 0x1p64));
  // A count does not, nor does a value that is scaled and shifted.
  SharedProgram scaled = ofIntegers(
      "i32",
      "%s = stablehlo.subtract %x, %y : T %f = stablehlo.convert %s : "
      "(T) -> tensor<400xf32> %r = stablehlo.convert %f : (tensor<400xf32>) "
      "-> T");
  EXPECT_LE(ends(scaled, 0).second, 1000);
  SharedProgram places = ofIntegers(
      "i32", "%i = stablehlo.iota dim = 0 : T %c = stablehlo.compare EQ, %x, "
             "%i : (T, T) -> tensor<400xi1> %r = stablehlo.select %c, %y, %i "
             ": tensor<400xi1>, T");
  EXPECT_LE(ends(places, 0).second, 1000);
  EXPECT_EQ(ends(places, 1).second, 0x1p31 - 1);
}

TEST(EdgeData, DivisorsAreNotZero) {
  SharedProgram divided =
      ofIntegers("i8", "%r = stablehlo.divide %x, %y : T");
  for (FillKind kind : {FillKind::Exact, FillKind::Normal, FillKind::Range}) {
    std::vector<Tensor> tensors =
        llvm::cantFail(fillProgram(*divided, "", kind, 1));
    const auto *x = tensors[0].data<int8_t>(), *y = tensors[1].data<int8_t>();
    for (int i = 0; i < 400; ++i)
      EXPECT_TRUE(y[i] != 0 && !(kind == FillKind::Range && x[i] == -128))
          << i;
  }
}

TEST(EdgeData, RowsOfALossHaveTheirPatterns) {
  // Each row is summed, then the rows: the rows have the patterns.
  std::vector<double> x = filled(parsed(R"(
func.func @main(%x: tensor<24x8xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %e = stablehlo.exponential %x : tensor<24x8xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<24x8xf32>, tensor<f32>) -> tensor<24xf32>
  %r = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<24xf32>, tensor<f32>) -> tensor<f32>
  func.return %r : tensor<f32>
})"),
                                 0);
  int repeated = 0, negative = 0;
  for (size_t row = 0; row < 24; ++row) {
    auto first = x.begin() + static_cast<long>(row * 8);
    repeated += std::all_of(first, first + 8, [&](double v) { return v == *first; });
    negative += std::all_of(first, first + 8, [](double v) { return v < 0; });
  }
  EXPECT_EQ(repeated, 2);
  EXPECT_GE(negative, 4);
}

TEST(EdgeData, TheLargestArgumentIsNoBiasThoughItIsRepeated) {
  const char *body = R"(
  %w = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<3x8xf32>) -> tensor<3x8x4xf32>
  %e = stablehlo.exponential %w : tensor<3x8x4xf32>)";
  EXPECT_FALSE(usesIn(parsed((std::string("func.func @main(%x: tensor<3x8xf32>) -> tensor<3x8x4xf32> {") + body +
                              "\nfunc.return %e : tensor<3x8x4xf32> }").c_str()))[0].isWidened);
  EXPECT_TRUE(usesIn(parsed((std::string("func.func @main(%x: tensor<3x8xf32>, %y: tensor<3x8x4xf32>) -> tensor<3x8x4xf32> {") + body +
                             "\n%r = stablehlo.add %e, %y : tensor<3x8x4xf32>\nfunc.return %r : tensor<3x8x4xf32> }").c_str()))[0].isWidened);
}

TEST(EdgeData, EveryRowOfASoftmaxHasItsPattern) {
  std::vector<double> x = filled(parsed(kSoftmax), 0);
  int negative = 0, positive = 0, beyond = 0, repeated = 0, shifted = 0,
      tiny = 0, small = 0, rising = 0, far = 0;
  for (size_t row = 0; row < 24; ++row) {
    auto all = [&](auto is) {
      return std::all_of(x.begin() + static_cast<long>(row * 8),
                         x.begin() + static_cast<long>(row * 8 + 8), is);
    };
    negative += all([](double v) { return v < 0 && v > -20; });
    positive += all([](double v) { return v > 0 && v < 20; });
    beyond += all([](double v) { return v > 88.8 && v < 200; });
    repeated += all([&](double v) { return v == x[row * 8]; });
    shifted += all([](double v) { return std::fabs(v - 1000) < 20; });
    tiny += all([](double v) { return std::fabs(v) < 1e-29; });
    small += all(
        [](double v) { return std::fabs(v) > 1e-29 && std::fabs(v) < 0.02; });
    rising += x[row * 8] == -4 && x[row * 8 + 7] == 4;
    far += all([](double v) { return v < -250; });
  }
  EXPECT_EQ(negative, 2);
  EXPECT_GE(positive, 2);
  EXPECT_EQ(beyond, 2);
  EXPECT_EQ(repeated, 2);
  EXPECT_EQ(shifted, 2);
  EXPECT_EQ(tiny, 2);
  EXPECT_EQ(small, 2);
  EXPECT_EQ(rising, 1); // 24 rows have 13 patterns
  EXPECT_EQ(far, 2);
}

TEST(EdgeData, FewLinesTakeSeveralDraws) {
  SharedProgram many = parsed(kSoftmax), one = parsed(R"(
func.func @main(%x: tensor<1x8xf32>) -> tensor<1xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1x8xf32>, tensor<f32>) -> tensor<1xf32>
  func.return %s : tensor<1xf32>
})");
  EXPECT_EQ(drawsOf(*many, "", FillKind::Range), 1);
  EXPECT_EQ(drawsOf(*one, "", FillKind::Range), 4);
  EXPECT_EQ(drawsOf(*one, "", FillKind::Normal), 1);
  EXPECT_NE(filled(one, 0, 0), filled(one, 0, 1));
}

TEST(EdgeData, ConversionsMeetTiesAndBothEnds) {
  std::vector<double> x = filled(parsed(kConvert), 0);
  auto count = [&](auto is) { return std::count_if(x.begin(), x.end(), is); };
  EXPECT_GT(count([](double v) { return v > 128; }), 10);
  EXPECT_GT(count([](double v) { return v < -129; }), 10);
  EXPECT_GT(count([](double v) { return v > 0x1p20; }), 3);
  EXPECT_GT(count([](double v) {
              return std::fabs(v) < 128 && v != std::trunc(v) &&
                     2 * v == std::trunc(2 * v);
            }),
            10);
}

TEST(EdgeData, ConversionsBehindAScaleMeetTies) {
  SharedProgram program = parsed(R"(
func.func @main(%x: tensor<32x16xf32>, %s: tensor<1x1xf32>) -> tensor<32x16xi8> {
  %b = stablehlo.broadcast_in_dim %s, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<32x16xf32>
  %m = stablehlo.multiply %x, %b : tensor<32x16xf32>
  %r = stablehlo.round_nearest_even %m : tensor<32x16xf32>
  %i = stablehlo.convert %r : (tensor<32x16xf32>) -> tensor<32x16xi8>
  func.return %i : tensor<32x16xi8>
})");
  std::vector<double> x = filled(program, 0), scale = filled(program, 1);
  EXPECT_GT(std::count_if(x.begin(), x.end(), [&](double v) {
              double twice = 2 * v * scale[0];
              return std::fabs(twice) < 255 && std::fmod(twice, 2) != 0 &&
                     twice == std::trunc(twice);
            }),
            5);
}

TEST(EdgeData, FunctionsMeetTheEndsOfTheType) {
  SharedProgram program = parsed(kElementwise);
  std::vector<double> x = filled(program, 0), y = filled(program, 1),
                      z = filled(program, 2);
  auto count = [](const std::vector<double> &from, auto is) {
    return std::count_if(from.begin(), from.end(), is);
  };
  EXPECT_GT(count(x, [](double v) { return v > 88.8; }), 10);
  EXPECT_GT(count(x, [](double v) { return v < -88.8; }), 10);
  EXPECT_GT(count(x, [](double v) { return v != 0 && std::fabs(v) < 1e-10; }),
            3);
  EXPECT_GT(count(y, [](double v) { return std::fabs(v) > 10; }), 10);
  EXPECT_EQ(count(y, [](double v) { return std::fabs(v) > 8192; }), 0);
  EXPECT_GT(count(z, [](double v) { return std::fabs(v) > 1e6; }), 10);
}

/// The verdict on the results of `kernel` for Range data of one f32 argument.
template <typename Kernel>
static Status judged(const char *text, Kernel kernel) {
  SharedProgram program = parsed(text);
  ThreadPool pool(2);
  ProgramJudge judge(program, {"", "bound", 0}, pool);
  std::vector<Tensor> inputs =
      llvm::cantFail(fillProgram(*program, "", FillKind::Range, 1));
  llvm::cantFail(judge.prepare(inputs, demandsOf(FillKind::Range, {})));
  std::vector<float> x(static_cast<size_t>(inputs[0].size()));
  std::memcpy(x.data(), inputs[0].bytes(), x.size() * sizeof(float));
  auto result = kernel(x);
  return judge
      .judge({{"dst", reinterpret_cast<const std::byte *>(result.data())}},
             "range")
      .status;
}

TEST(EdgeData, TiesToBF16AreAskedFor) {
  const char *text = R"(
func.func @main(%x: tensor<512xf32>) -> tensor<512xbf16> {
  %b = stablehlo.convert %x : (tensor<512xf32>) -> tensor<512xbf16>
  func.return %b : tensor<512xbf16>
})";
  auto rounded = [](bool toEven) {
    return [toEven](const std::vector<float> &x) {
      std::vector<uint16_t> out;
      for (float v : x) {
        uint32_t bits;
        std::memcpy(&bits, &v, sizeof bits);
        out.push_back(static_cast<uint16_t>(
            (bits + 0x7fff + (toEven ? bits >> 16 & 1 : 1)) >> 16));
      }
      return out;
    };
  };
  EXPECT_EQ(judged(text, rounded(true)), Status::Passed);
  EXPECT_EQ(judged(text, rounded(false)), Status::Failed);
}

// Infinity, and numbers that are too large, in a type that holds neither: some
// saturate, others make a NaN of them.
TEST(EdgeData, WhatANarrowTypeLacksIsOpenBehindIt) {
  SharedProgram program = parsed(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %b = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
  %f = stablehlo.convert %b : (tensor<4xf8E4M3FN>) -> tensor<4xf32>
  func.return %f : tensor<4xf32>
})");
  ThreadPool pool(1);
  std::vector<Tensor> inputs =
      llvm::cantFail(fillProgram(*program, "", FillKind::Normal, 1));
  const float given[] = {INFINITY, 1e6f, 1, NAN};
  std::memcpy(inputs[0].mutableBytes(), given, sizeof given);
  ProgramJudge judge(program, {}, pool);
  llvm::cantFail(judge.prepare(inputs, {true, true, false}));
  auto statusOf = [&](std::vector<float> got) {
    return judge
        .judge({{"dst", reinterpret_cast<const std::byte *>(got.data())}},
               "special")
        .status;
  };
  EXPECT_EQ(statusOf({448, 448, 1, NAN}), Status::Passed);
  EXPECT_EQ(statusOf({NAN, NAN, 1, NAN}), Status::Passed);
  EXPECT_EQ(statusOf({448, 448, 1.25, NAN}), Status::Failed);
  EXPECT_EQ(statusOf({448, 448, 1, 0}), Status::Failed);
}

// A number that is narrow for a moment, and its consumers. A compiler may
// leave the rounding out.
TEST(EdgeData, TiesOnTheWayAreAskedFor) {
  const char *text = R"(
func.func @main(%x: tensor<512xf32>) -> tensor<2x256xf32> {
  %s = stablehlo.constant dense<3.0> : tensor<2x256xf32>
  %b = stablehlo.convert %x : (tensor<512xf32>) -> tensor<512xbf16>
  %f = stablehlo.convert %b : (tensor<512xbf16>) -> tensor<512xf32>
  %r = stablehlo.reshape %f : (tensor<512xf32>) -> tensor<2x256xf32>
  %m = stablehlo.multiply %r, %s : tensor<2x256xf32>
  func.return %m : tensor<2x256xf32>
})";
  enum { Even, Away, Kept };
  auto rounded = [](int how) {
    return [how](const std::vector<float> &x) {
      std::vector<float> out;
      for (float v : x) {
        uint32_t bits;
        std::memcpy(&bits, &v, sizeof bits);
        bits += how == Kept ? 0 : 0x7fff + (how == Even ? bits >> 16 & 1 : 1);
        bits &= how == Kept ? ~0u : 0xffff0000;
        std::memcpy(&v, &bits, sizeof bits);
        out.push_back(v * 3);
      }
      return out;
    };
  };
  EXPECT_EQ(judged(text, rounded(Even)), Status::Passed);
  EXPECT_EQ(judged(text, rounded(Kept)), Status::Passed);
  EXPECT_EQ(judged(text, rounded(Away)), Status::Failed);
}

TEST(EdgeData, ALastDrawMakesTiesOfSumsInNarrowTypes) {
  SharedProgram program = parsed(R"(
func.func @main(%a: tensor<16x40xbf16>, %b: tensor<40x16xbf16>) -> tensor<16x16xbf16> {
  %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<16x40xbf16>, tensor<40x16xbf16>) -> tensor<16x16xbf16>
  func.return %p : tensor<16x16xbf16>
})");
  int draws = drawsOf(*program, "", FillKind::Range), ties = 0;
  EXPECT_EQ(draws, 2);
  std::vector<double> a = filled(program, 0, draws - 1),
                      b = filled(program, 1, draws - 1);
  for (size_t i = 0; i < 16; ++i)
    for (size_t j = 0; j < 16; ++j) {
      double sum = 0;
      for (size_t k = 0; k < 40; ++k)
        sum += a[i * 40 + k] * b[k * 16 + j];
      EXPECT_EQ(sum, std::trunc(sum));
      double unit = std::exp2(std::floor(std::log2(std::fabs(sum) + 1)) - 7);
      ties += unit > 1 && std::fmod(std::fabs(sum), unit) == unit / 2;
    }
  EXPECT_GT(ties, 20);
}

TEST(EdgeData, FactorsOf8BitsAreAtTheEndsOfTheirType) {
  SharedProgram program = parsed(R"(
func.func @main(%a: tensor<16x40xi8>, %b: tensor<40x16xi8>) -> tensor<16x16xi32> {
  %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<16x40xi8>, tensor<40x16xi8>) -> tensor<16x16xi32>
  func.return %p : tensor<16x16xi32>
})");
  auto lowest = [&](const KeptNumbers &kept) {
    Tensor a = llvm::cantFail(fillProgram(*program, "", FillKind::Range, 1, 0,
                                          kept))[0];
    return std::count(a.data<int8_t>(), a.data<int8_t>() + a.size(), -128);
  };
  EXPECT_GT(lowest({}), 80);
  KeptNumbers kept;
  kept.integerEnds = false;
  EXPECT_LT(lowest(kept), 20);
}

// A sum kept in f32, as where integers are multiplied as floats.
TEST(EdgeData, SumsOfSmallIntegersLeaveTheDigitsOfAFloat) {
  for (const char *text :
       {R"(
func.func @main(%a: tensor<4x2048xi8>, %b: tensor<2048x4xi8>) -> tensor<4x4xi32> {
  %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x2048xi8>, tensor<2048x4xi8>) -> tensor<4x4xi32>
  func.return %p : tensor<4x4xi32>
})",
        R"(
func.func @main(%a: tensor<2048xi16>) -> tensor<i32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %w = stablehlo.convert %a : (tensor<2048xi16>) -> tensor<2048xi32>
  %p = stablehlo.reduce(%w init: %z) applies stablehlo.add across dimensions = [0] : (tensor<2048xi32>, tensor<i32>) -> tensor<i32>
  func.return %p : tensor<i32>
})"}) {
    SharedProgram program = parsed(text);
    std::vector<Tensor> inputs =
        llvm::cantFail(fillProgram(*program, "", FillKind::Range, 1));
    bool isProduct = inputs.size() == 2;
    int64_t sum = 0, half = 0;
    for (int64_t k = 0; k < 2048; ++k) {
      sum += isProduct ? inputs[0].data<int8_t>()[2048 + k] *
                             inputs[1].data<int8_t>()[4 * k + 1]
                       : inputs[0].data<int16_t>()[k];
      half = k == 1023 ? sum : half;
    }
    EXPECT_GT(isProduct ? sum : half, 1 << 24);
  }
}

TEST(EdgeData, WhatIsBeyondAnIntegerTypeIsOpen) {
  const char *text = R"(
func.func @main(%x: tensor<512xf32>) -> tensor<512xi8> {
  %b = stablehlo.convert %x : (tensor<512xf32>) -> tensor<512xi8>
  func.return %b : tensor<512xi8>
})";
  auto wrapping = [](double off) {
    return [off](const std::vector<float> &x) {
      std::vector<int8_t> out;
      for (float v : x)
        out.push_back(static_cast<int8_t>(
            static_cast<int64_t>(std::trunc(v + off * (v < 0 ? -1 : 1))) &
            255));
      return out;
    };
  };
  EXPECT_EQ(judged(text, wrapping(0)), Status::Passed);
  EXPECT_EQ(judged(text, wrapping(0.5)), Status::Failed);
}

// Scores beyond 1e6 would be pure rounding, and none of their weights decided.
TEST(EdgeData, ScoresOfAnAttentionReachTheEdgeAndAreDecided) {
  const char *text = R"(
func.func @main(%x: tensor<24x16xf32>) -> tensor<24x16xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<24x16xf32>, tensor<24x16xf32>) -> tensor<24x24xf32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<24x24xf32>, tensor<f32>) -> tensor<24xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<24xf32>) -> tensor<24x24xf32>
  %d = stablehlo.subtract %s, %mb : tensor<24x24xf32>
  %e = stablehlo.exponential %d : tensor<24x24xf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<24x24xf32>, tensor<f32>) -> tensor<24xf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<24xf32>) -> tensor<24x24xf32>
  %p = stablehlo.divide %e, %tb : tensor<24x24xf32>
  %r = stablehlo.dot_general %p, %x, contracting_dims = [1] x [0] : (tensor<24x24xf32>, tensor<24x16xf32>) -> tensor<24x16xf32>
  func.return %r : tensor<24x16xf32>
})";
  auto attention = [](bool subtracts) {
    return [=](const std::vector<float> &x) {
      std::vector<float> out(x.size());
      for (size_t i = 0; i < 24; ++i) {
        float weights[24], most = -INFINITY, sum = 0;
        for (size_t j = 0; j < 24; ++j) {
          weights[j] = 0;
          for (size_t k = 0; k < 16; ++k)
            weights[j] += x[i * 16 + k] * x[j * 16 + k];
          most = std::max(most, weights[j]);
        }
        for (float &w : weights)
          sum += w = std::exp(w - (subtracts ? most : 0));
        for (size_t j = 0; j < 24; ++j)
          for (size_t k = 0; k < 16; ++k)
            out[i * 16 + k] += weights[j] / sum * x[j * 16 + k];
      }
      return out;
    };
  };
  EXPECT_FALSE(usesIn(parsed(text))[0].isCurvedItself);
  // Constant weights are unchanged: such a sum is near the edge already.
  EXPECT_TRUE(usesIn(parsed(R"(
func.func @main(%x: tensor<24x16xf32>) -> tensor<24x24xf32> {
  %w = stablehlo.constant dense<0.25> : tensor<24x16xf32>
  %s = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<24x16xf32>, tensor<24x16xf32>) -> tensor<24x24xf32>
  %e = stablehlo.exponential %s : tensor<24x24xf32>
  func.return %e : tensor<24x24xf32>
})"))[0].isCurvedItself);
  EXPECT_EQ(judged(text, attention(true)), Status::Passed);
  EXPECT_EQ(judged(text, attention(false)), Status::Failed);
}
