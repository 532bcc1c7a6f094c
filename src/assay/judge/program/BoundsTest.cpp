// Bounds of single operations and short chains against their documented
// formulas (docs/verify.md, OpBounds.def), computed here from the data alone:
// one that is too wide hides faults, one that is too narrow accuses right
// engines.
#include "assay/judge/SumBounds.h"
#include "assay/judge/program/BoundsTest.h"
#include "assay/numerics/Ulp.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using numerics::FloatFormat;
using tensor::Tensor;

static const ElementType kF32 = ElementType::floating(FloatFormat::F32);

static double halfUlpOf(double x) {
  return 0.5 * numerics::ulpOf(x, FloatFormat::F32);
}

/// min(gamma(d), 6 sqrt(d) u): the bound of sums on any data in docs/verify.md.
static double relativeOfSum(double depth) {
  double u = 0x1p-24;
  return std::min(depth * u / (1 - depth * u), 6 * std::sqrt(depth) * u);
}

static void expectNear(double got, double want, const std::string &what) {
  EXPECT_NEAR(got, want, 1e-9 * want) << what;
}

TEST(Bounds, AProductIsTheSumBoundOfItsDepth) {
  const int64_t m = 4, k = 96, n = 5;
  std::vector<double> a = numbers(m * k), b = numbers(k * n, 0.9);
  Bounds bounds = boundsOf(
      R"(func.func @main(%a: tensor<4x96xf32>, %b: tensor<96x5xf32>) -> tensor<4x5xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x96xf32>, tensor<96x5xf32>) -> tensor<4x5xf32>
    return %0 : tensor<4x5xf32>
  })",
      {a, b});
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double exact = 0, sizes = 0;
      for (int64_t x = 0; x < k; ++x) {
        exact += a[i * k + x] * b[x * n + j];
        sizes += std::fabs(a[i * k + x] * b[x * n + j]);
      }
      double own = relativeOfSum(k) * sizes;
      expectNear(bounds.errors[0][i * n + j],
                 own + halfUlpOf(std::fabs(exact) + own), "element");
    }
}

TEST(Bounds, AProductWhosePartialSumsMayOverflowIsOpen) {
  const char *text =
      R"(func.func @main(%a: tensor<2x2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })";
  // -2 * 2.3e38 + 1.2e38: finite, but not its first term.
  Bounds bounds = boundsOf(text, {{2.3e38, 1.2e38, 1e38, 1e38}, {-2, 1}});
  EXPECT_TRUE(std::isinf(bounds.errors[0][0]));
  EXPECT_LT(bounds.errors[0][1], 1e33); // no order leaves the range
  // 6e38 - 2.5e38 is infinite, or, as inf - inf in another order, NaN.
  Bounds beyond = boundsOf(text, {{-3e38, -2.5e38, 1, 1}, {-2, 1}});
  EXPECT_TRUE(std::isinf(beyond.errors[0][0]));
}

TEST(Bounds, AProductCarriesTheErrorsOfBothFactors) {
  const size_t k = 24;
  std::vector<double> a = numbers(k), b = numbers(k, 0.9), c = numbers(k, 2.2);
  // Both factors are sums, each half an ulp off.
  Bounds bounds = boundsOf(
      R"(func.func @main(%a: tensor<24xf32>, %b: tensor<24xf32>, %c: tensor<24xf32>) -> tensor<f32> {
    %0 = stablehlo.add %a, %b : tensor<24xf32>
    %1 = stablehlo.subtract %b, %c : tensor<24xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [0] x [0] : (tensor<24xf32>, tensor<24xf32>) -> tensor<f32>
    return %2 : tensor<f32>
  })",
      {a, b, c});
  double exact = 0, sizes = 0, moved = 0;
  for (size_t i = 0; i < k; ++i) {
    double x = a[i] + b[i], y = b[i] - c[i];
    double ex = halfUlpOf(std::fabs(x)), ey = halfUlpOf(std::fabs(y));
    exact += x * y;
    sizes += std::fabs(x * y);
    moved += ex * (std::fabs(y) + ey) + std::fabs(x) * ey;
  }
  double own = relativeOfSum(k) * (sizes + moved);
  expectNear(bounds.errors[0][0],
             moved + own + halfUlpOf(std::fabs(exact) + moved + own), "dot");
}

TEST(Bounds, AProductIsRoundedWhereItsErrorsLift) {
  // 1.4140 squared is just below 2, where half an ulp of bf16 doubles; its factors
  // may each be half an ulp off.
  Bounds bounds = boundsOf(
      R"(func.func @main(%a: tensor<1xf32>) -> tensor<bf16> {
    %0 = stablehlo.convert %a : (tensor<1xf32>) -> tensor<1xbf16>
    %1 = stablehlo.dot_general %0, %0, contracting_dims = [0] x [0] : (tensor<1xbf16>, tensor<1xbf16>) -> tensor<bf16>
    return %1 : tensor<bf16>
  })",
      {{1.414}});
  double x = 1.414f, e = 0x1p-8, moved = 2 * e * x + e * e;
  EXPECT_LT(x * x, 2);
  expectNear(bounds.errors[0][0],
             moved + relativeOfSum(1) * (x * x + moved) + 0x1p-7, "dot");
}

TEST(Bounds, PaddedTapsOfAConvolutionAreNoTerms) {
  // A window of seven over four elements: at most four taps read data.
  std::vector<double> x = numbers(4), w = numbers(7, 0.9);
  Bounds bounds = boundsOf(
      R"(func.func @main(%x: tensor<1x1x4xf32>, %w: tensor<1x1x7xf32>) -> tensor<1x1x4xf32> {
    %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {pad = [[3, 3]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x4xf32>, tensor<1x1x7xf32>) -> tensor<1x1x4xf32>
    return %0 : tensor<1x1x4xf32>
  })",
      {x, w});
  for (int out = 0; out < 4; ++out) {
    double exact = 0, sizes = 0;
    for (int tap = 0; tap < 7; ++tap)
      if (int at = out - 3 + tap; at >= 0 && at < 4) {
        exact += x[at] * w[tap];
        sizes += std::fabs(x[at] * w[tap]);
      }
    double own = relativeOfSum(4) * sizes;
    expectNear(bounds.errors[0][out], own + halfUlpOf(std::fabs(exact) + own),
               "position " + std::to_string(out));
  }
}

TEST(Bounds, AComplexProductCountsFourRealSums) {
  const size_t k = 6;
  std::vector<double> a = numbers(2 * k), b = numbers(2 * k, 0.9);
  Bounds bounds = boundsOf(
      R"(func.func @main(%a: tensor<6xcomplex<f32>>, %b: tensor<6xcomplex<f32>>) -> tensor<complex<f32>> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> tensor<complex<f32>>
    return %0 : tensor<complex<f32>>
  })",
      {a, b});
  double sizes = 0;
  for (size_t i = 0; i < k; ++i)
    sizes +=
        std::hypot(a[2 * i], a[2 * i + 1]) * std::hypot(b[2 * i], b[2 * i + 1]);
  double own = 4 * relativeOfSum(k) * sizes;
  double largest =
      std::max(std::fabs(bounds.exact[0][0]), std::fabs(bounds.exact[0][1]));
  EXPECT_NEAR(bounds.errors[0][0], own + halfUlpOf(largest + own), 1e-5 * own);
}

TEST(Bounds, ASumIsTheSumBoundOfItsTerms) {
  std::vector<double> x = numbers(200);
  Bounds bounds = boundsOf(
      R"(func.func @main(%x: tensor<2x100xf32>) -> tensor<2xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x100xf32>, tensor<f32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
      {x});
  for (size_t row = 0; row < 2; ++row) {
    double sizes = 0;
    for (size_t i = 0; i < 100; ++i)
      sizes += std::fabs(x[row * 100 + i]);
    // A hundred terms and the initial value have either of two numbers of
    // roundings.
    double got = bounds.errors[0][row];
    EXPECT_GE(got, relativeOfSum(100) * sizes);
    EXPECT_LE(got, relativeOfSum(102) * sizes + halfUlpOf(sizes));
  }
}

/// The error of adding terms one after the other in f32.
static double sequentialSum(llvm::ArrayRef<double> terms) {
  float sum = 0;
  for (double term : terms)
    sum += static_cast<float>(term);
  return sum;
}

// Equal terms are rounded in one direction, and so are terms that differ by less
// than their sum's last place: added one after the other, their error grows
// with their number, not with its root.
TEST(Bounds, ASumOfNearlyEqualTermsMayBeOffByItsDepth) {
  constexpr size_t kTerms = 8000;
  std::vector<double> x = numbers(4 * kTerms);
  for (size_t i = 0; i < kTerms; ++i) {
    x[kTerms + i] = 3.7F;
    x[2 * kTerms + i] = static_cast<float>(93.7 + 1e-4 * x[2 * kTerms + i]);
  }
  Bounds bounds = boundsOf(
      R"(func.func @main(%x: tensor<4x8000xf32>) -> tensor<4xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8000xf32>, tensor<f32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  })",
      {x});
  for (size_t row = 0; row < 4; ++row) {
    llvm::ArrayRef<double> terms(&x[row * kTerms], kTerms);
    double sizes = 0, exact = 0, got = bounds.errors[0][row];
    for (double term : terms) {
      sizes += std::fabs(term);
      exact += term;
    }
    double error = std::fabs(sequentialSum(terms) - exact),
           likely = relativeOfSum(kTerms + 2) * sizes + halfUlpOf(sizes);
    EXPECT_GE(got, error) << row;
    bool isEqual = row == 1 || row == 2;
    EXPECT_EQ(error > likely, isEqual) << row;
    EXPECT_LE(got, isEqual ? 1.001 * 0x1p-24 * (kTerms + 2) * sizes : likely)
        << row;
  }
}

// The same for products: a row of one number times a column of another. Each
// column has two numbers, which no other column has: the first rows show no
// repetition.
TEST(Bounds, ASumOfFewNumbersMayBeOffByItsDepth) {
  constexpr size_t kRows = 64, kColumns = 16384;
  std::vector<double> pairs = numbers(2 * kColumns), x(kRows * kColumns);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = pairs[2 * (i % kColumns) + i / kColumns % 2];
  auto boundOf = [](const std::vector<double> &of) {
    return boundsOf(
               R"(func.func @main(%x: tensor<64x16384xf32>) -> tensor<16384xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64x16384xf32>, tensor<f32>) -> tensor<16384xf32>
    return %0 : tensor<16384xf32>
  })",
               {of})
        .errors[0][5];
  };
  double sizes = kRows / 2 * (std::fabs(pairs[10]) + std::fabs(pairs[11]));
  EXPECT_GE(boundOf(x), theoremBound(kRows, 0x1p-24) * sizes);
  std::vector<double> many = numbers(x.size());
  double all = 0;
  for (size_t row = 0; row < kRows; ++row)
    all += std::fabs(many[row * kColumns + 5]);
  EXPECT_LT(boundOf(many), theoremBound(kRows, 0x1p-24) * all);
}

TEST(Bounds, AProductOfNearlyEqualTermsMayBeOffByItsDepth) {
  constexpr size_t kTerms = 8000;
  std::vector<double> a = numbers(2 * kTerms), b = numbers(2 * kTerms);
  for (size_t i = 0; i < kTerms; ++i) {
    a[kTerms + i] = 3.7F;
    b[2 * i + 1] = 2;
  }
  Bounds bounds = boundsOf(
      R"(func.func @main(%a: tensor<2x8000xf32>, %b: tensor<8000x2xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x8000xf32>, tensor<8000x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  })",
      {a, b});
  for (size_t k = 0; k < 4; ++k) {
    std::vector<double> terms;
    double sizes = 0, exact = 0;
    for (size_t i = 0; i < kTerms; ++i) {
      terms.push_back(a[k / 2 * kTerms + i] * b[2 * i + k % 2]);
      sizes += std::fabs(terms.back());
      exact += terms.back();
    }
    double error = std::fabs(sequentialSum(terms) - exact),
           likely = relativeOfSum(kTerms) * sizes + halfUlpOf(sizes);
    EXPECT_GE(bounds.errors[0][k], error) << k;
    EXPECT_EQ(error > likely, k == 3) << k;
    EXPECT_LE(bounds.errors[0][k],
              k == 3 ? 1.001 * 0x1p-24 * (kTerms + 2) * sizes : 1.001 * likely)
        << k;
  }
}

TEST(Bounds, ASumCarriesTheErrorsOfItsTerms) {
  std::vector<double> a = numbers(40);
  Bounds bounds = boundsOf(
      R"(func.func @main(%a: tensor<40xf32>) -> tensor<f32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.exponential %a : tensor<40xf32>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<40xf32>, tensor<f32>) -> tensor<f32>
    return %1 : tensor<f32>
  })",
      {a});
  double sizes = 0, moved = 0;
  for (double x : a) {
    sizes += std::exp(x);
    moved += 6 * halfUlpOf(std::exp(x)); // three units in the last place
  }
  double got = bounds.errors[0][0];
  EXPECT_GE(got, moved + relativeOfSum(40) * sizes);
  EXPECT_LE(got, 1.001 * (moved + relativeOfSum(42) * (sizes + moved) +
                          halfUlpOf(sizes + moved)));
}

TEST(Bounds, AnOpenElementIsFeltWhereAMaximumCanChooseIt) {
  // 90000 is not an f16: the first element of each row is open.
  Bounds bounds = boundsOf(
      R"(func.func @main(%x: tensor<2x3xf16>) -> (tensor<3xf16>, tensor<3xf16>) {
    %low = stablehlo.constant dense<0xFC00> : tensor<f16>
    %high = stablehlo.constant dense<0x7C00> : tensor<f16>
    %0 = stablehlo.multiply %x, %x : tensor<2x3xf16>
    %1 = stablehlo.sqrt %0 : tensor<2x3xf16>
    %2 = stablehlo.reduce(%1 init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<2x3xf16>, tensor<f16>) -> tensor<3xf16>
    %3 = stablehlo.reduce(%1 init: %high) applies stablehlo.minimum across dimensions = [0] : (tensor<2x3xf16>, tensor<f16>) -> tensor<3xf16>
    return %2, %3 : tensor<3xf16>, tensor<3xf16>
  })",
      {{300, 10, 20, 7, 11, 4}});
  for (int which : {0, 1}) {
    EXPECT_EQ(bounds.errors[which][0], INFINITY);
    EXPECT_LT(bounds.errors[which][1], 0.1);
    EXPECT_LT(bounds.errors[which][2], 0.1);
  }
}

// The difference is in the middle between two numbers of f64: adding its error
// of half a unit yields the same number again.
TEST(Bounds, AnErrorBelowTheNextNumberOfF64DoesNotVanish) {
  Bounds bounds = boundsOf(R"(
  func.func @main(%a: tensor<1xf64>, %b: tensor<1xf64>) -> tensor<1xf64> {
    %0 = stablehlo.subtract %a, %b : tensor<1xf64>
    %1 = stablehlo.abs %0 : tensor<1xf64>
    return %1 : tensor<1xf64>
  })",
                           {{-0x1.8a8a10ec9683fp0}, {-0x1.09a6ca485b929p2}});
  EXPECT_GE(bounds.errors[0][0], 0x1p-52);
  EXPECT_LE(bounds.errors[0][0], 0x1p-51);
}

TEST(Bounds, FunctionsAreAsExactAsTheTableSays) {
  struct Row {
    const char *operation;
    double ulp;
  };
  for (Row row : {Row{"stablehlo.sqrt", 0.5}, Row{"stablehlo.rsqrt", 2},
                  Row{"stablehlo.exponential", 3}, Row{"stablehlo.log", 3},
                  Row{"stablehlo.tanh", 5}, Row{"stablehlo.sine", 4},
                  Row{"stablehlo.logistic", 6}, Row{"stablehlo.negate", 0},
                  Row{"stablehlo.floor", 0}}) {
    std::vector<double> x = {0.25f, 0.7f, 1.3f, 2.9f, 17.1f, 0.001f};
    Bounds bounds =
        boundsOf(std::string("func.func @main(%x: tensor<6xf32>) -> "
                             "tensor<6xf32> {\n  %0 = ") +
                     row.operation +
                     " %x : tensor<6xf32>\n  return %0 : tensor<6xf32>\n}",
                 {x});
    for (size_t i = 0; i < x.size(); ++i)
      expectNear(bounds.errors[0][i],
                 2 * row.ulp * halfUlpOf(std::fabs(bounds.exact[0][i])),
                 std::string(row.operation) + " of " + std::to_string(x[i]));
  }
}

// StableHLO RFC "Result accuracy":
// |expected - actual| <= max(|expected| * max(rtol, ulps * epsilon), atol).
TEST(Bounds, WhatAProgramAsksOfAFunctionIsItsBound) {
  auto boundsWith = [](const std::string &accuracy) {
    return boundsOf("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                    "  %0 = \"stablehlo.exponential\"(%x) " +
                        accuracy +
                        " : (tensor<2xf32>) -> tensor<2xf32>\n"
                        "  return %0 : tensor<2xf32>\n}",
                    {{1.3f, -20}});
  };
  auto asked = [&](const std::string &fields) {
    return boundsWith("{result_accuracy = #stablehlo.result_accuracy<" +
                      fields +
                      ", mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}");
  };
  Bounds wide = asked("atol = 1.0e-3, rtol = 0.01");
  expectNear(wide.errors[0][0], 0.01 * wide.exact[0][0], "rtol decides");
  expectNear(wide.errors[0][1], 1e-3, "atol decides");
  Bounds units = asked("ulps = 40");
  expectNear(units.errors[0][0], 40 * 0x1p-23 * units.exact[0][0], "ulps");
  // No implementation can be nearer than a rounding.
  Bounds narrow = asked("atol = 1.0e-30");
  expectNear(narrow.errors[0][0], halfUlpOf(narrow.exact[0][0]), "rounding");
  Bounds usual = boundsWith("");
  expectNear(usual.errors[0][0], 6 * halfUlpOf(usual.exact[0][0]), "default");
}

TEST(Bounds, ValuesThatALoopExchangesKeepTheirOwnErrors) {
  Bounds bounds = boundsOf(R"(
func.func @main(%x: tensor<1xf32>, %y: tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
  %e = stablehlo.exponential %x : tensor<1xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:3 = stablehlo.while(%i = %zero, %a = %e, %b = %y) : tensor<i32>, tensor<1xf32>, tensor<1xf32>
  cond {
    %three = stablehlo.constant dense<3> : tensor<i32>
    %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %n, %b, %a : tensor<i32>, tensor<1xf32>, tensor<1xf32>
  }
  return %r#1, %r#2 : tensor<1xf32>, tensor<1xf32>
})",
                           {{1.3f}, {5}});
  EXPECT_EQ(bounds.errors[0][0], 0);
  EXPECT_GT(bounds.errors[1][0], 0);
}

// An accuracy of (units, absolute) allows that many units in the last place of
// f32 and that number, in addition to the operation's own.
TEST(Bounds, AStatedAccuracyIsAdded) {
  auto boundWith = [](const std::string &attribute) {
    return boundsOf("func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {\n"
                    "  %0 = \"stablehlo.exponential\"(%x) " +
                        attribute +
                        " : (tensor<1xf32>) -> tensor<1xf32>\n"
                        "  return %0 : tensor<1xf32>\n}",
                    {{1.3f}});
  };
  Bounds own = boundWith(""),
         wider = boundWith("{assay.accuracy = array<f64: 500.0, 0.25>}");
  expectNear(wider.errors[0][0] - own.errors[0][0],
             500 * 0x1p-23 * own.exact[0][0] + 0.25, "units and a number");
}

TEST(Bounds, ResultsBelowTheNormalRangeMayBeFlushed) {
  const char *text =
      R"(func.func @main(%x: tensor<2xTYPE>) -> tensor<2xTYPE> {
    %0 = stablehlo.multiply %x, %x : tensor<2xTYPE>
    return %0 : tensor<2xTYPE>
  })";
  for (const char *type : {"f32", "bf16"}) {
    std::string program = text;
    for (size_t at = program.find("TYPE"); at != std::string::npos;
         at = program.find("TYPE", at))
      program.replace(at, 4, type);
    Bounds bounds = boundsOf(program, {{0x1p-65, 0x1p-3}});
    EXPECT_GE(bounds.errors[0][0], 0x1p-126) << type;
    EXPECT_LE(bounds.errors[0][0], 0x1.1p-126) << type;
    EXPECT_LT(bounds.errors[0][1], 0x1p-13) << type;
  }
}

TEST(Bounds, NarrowTypesAllowTwoUnits) {
  Bounds bounds = boundsOf(
      R"(func.func @main(%x: tensor<3xbf16>) -> tensor<3xbf16> {
    %0 = stablehlo.tanh %x : tensor<3xbf16>
    return %0 : tensor<3xbf16>
  })",
      {{0.25, 0.75, 1.5}});
  for (size_t i = 0; i < 3; ++i)
    expectNear(bounds.errors[0][i],
               2 * numerics::ulpOf(bounds.exact[0][i], FloatFormat::BF16),
               "bf16");
}

TEST(Bounds, ErrorsOfOperandsGoThroughSumsProductsAndFunctions) {
  const size_t n = 12;
  std::vector<double> a = numbers(n), b = numbers(n, 0.9), c = numbers(n, 2.2);
  Bounds bounds = boundsOf(
      R"(func.func @main(%a: tensor<12xf32>, %b: tensor<12xf32>, %c: tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) {
    %0 = stablehlo.add %a, %b : tensor<12xf32>
    %1 = stablehlo.subtract %b, %c : tensor<12xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<12xf32>
    %3 = stablehlo.subtract %0, %1 : tensor<12xf32>
    %4 = stablehlo.exponential %0 : tensor<12xf32>
    return %2, %3, %4 : tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
  })",
      {a, b, c});
  for (size_t i = 0; i < n; ++i) {
    // A result that is used in more arithmetic may be anywhere in its binade,
    // and a sum of sums may be added in another order.
    double x = a[i] + b[i], y = b[i] - c[i], ex = 0x1p-24 * std::fabs(x),
           ey = 0x1p-24 * std::fabs(y);
    double terms = std::fabs(a[i]) + 2 * std::fabs(b[i]) + std::fabs(c[i]);
    double product = ex * (std::fabs(y) + ey) + std::fabs(x) * ey,
           difference = ex + ey, slope = std::exp(x + ex) - std::exp(x);
    expectNear(bounds.errors[0][i],
               product + halfUlpOf(std::fabs(x * y) + product), "product");
    expectNear(bounds.errors[1][i],
               difference + halfUlpOf(std::fabs(x - y) + difference) +
                   0x1p-24 * terms,
               "difference");
    EXPECT_NEAR(bounds.errors[2][i], slope + 6 * halfUlpOf(std::exp(x) + slope),
                1e-6 * slope);
  }
}

TEST(Bounds, ComplexNumbersThatAreTurnedRoundKeepTheirErrors) {
  Bounds bounds = boundsOf(
      R"(func.func @main(%a: tensor<7xcomplex<f32>>, %b: tensor<7xcomplex<f32>>) -> (tensor<7xcomplex<f32>>, tensor<7xcomplex<f32>>) {
    %0 = stablehlo.multiply %a, %b : tensor<7xcomplex<f32>>
    %1 = stablehlo.negate %0 : tensor<7xcomplex<f32>>
    return %0, %1 : tensor<7xcomplex<f32>>, tensor<7xcomplex<f32>>
  })",
      {numbers(14), numbers(14, 0.9)});
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_GT(bounds.errors[0][i], 0) << i;
    EXPECT_EQ(bounds.errors[1][i], bounds.errors[0][i]) << i;
  }
}

TEST(Bounds, ConversionsRoundOnceAndWideningNever) {
  std::vector<double> a = numbers(4), b = numbers(4, 0.9);
  Bounds bounds = boundsOf(
      R"(func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xbf16>, tensor<4xf64>, tensor<4xf64>) {
    %0 = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xbf16>
    %1 = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xf64>
    %2 = stablehlo.add %a, %b : tensor<4xf32>
    %3 = stablehlo.convert %2 : (tensor<4xf32>) -> tensor<4xf64>
    return %0, %1, %3 : tensor<4xbf16>, tensor<4xf64>, tensor<4xf64>
  })",
      {a, b});
  for (size_t i = 0; i < 4; ++i) {
    expectNear(bounds.errors[0][i],
               0.5 * numerics::ulpOf(a[i], FloatFormat::BF16), "narrowed");
    EXPECT_EQ(bounds.errors[1][i], 0);
    expectNear(bounds.errors[2][i], halfUlpOf(a[i] + b[i]), "widened sum");
  }
}

TEST(Bounds, DecisionsAmongInexactValuesAreOpenOnlyWhereTheyAreClose) {
  // Sums that reach 1 within half an ulp, and sums that do not.
  std::vector<double> a = {1, 1, 4, -3}, b = {0x1p-30, 1, 0.1f, 0.2f};
  Bounds bounds = boundsOf(
      R"(func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xf32>, tensor<4xi32>) {
    %one = stablehlo.constant dense<1.0> : tensor<4xf32>
    %0 = stablehlo.add %a, %b : tensor<4xf32>
    %1 = stablehlo.compare GT, %0, %one : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %2 = stablehlo.select %1, %a, %b : tensor<4xi1>, tensor<4xf32>
    %3 = stablehlo.convert %0 : (tensor<4xf32>) -> tensor<4xi32>
    return %1, %2, %3 : tensor<4xi1>, tensor<4xf32>, tensor<4xi32>
  })",
      {a, b});
  EXPECT_EQ(bounds.errors[0][0], INFINITY); // 1 + 2^-30 or 1
  for (size_t i = 1; i < 4; ++i)
    EXPECT_EQ(bounds.errors[0][i], 0) << i;
  // Where the choice is open, the result may be either side.
  EXPECT_EQ(bounds.errors[1][0], 1 - 0x1p-30);
  for (size_t i = 1; i < 4; ++i)
    EXPECT_EQ(bounds.errors[1][i], 0) << i;
  // 1 + 2^-30 may be rounded below 1, and 1 + 1 is exactly on the step.
  EXPECT_EQ(bounds.errors[2][0], INFINITY);
  EXPECT_EQ(bounds.errors[2][2], 0);
  EXPECT_EQ(bounds.errors[2][3], 0);
}

TEST(Bounds, AMaximumIsOffByNoMoreThanItsOperands) {
  std::vector<double> a = numbers(8), b = numbers(8, 0.9);
  Bounds bounds = boundsOf(
      R"(func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<f32>, tensor<f32>) {
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.add %a, %b : tensor<8xf32>
    %1 = stablehlo.reduce(%0 init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.reduce(%a init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    return %1, %2 : tensor<f32>, tensor<f32>
  })",
      {a, b});
  double worst = 0;
  for (size_t i = 0; i < 8; ++i)
    worst = std::max(worst, halfUlpOf(std::fabs(a[i] + b[i])));
  expectNear(bounds.errors[0][0], worst, "of sums");
  EXPECT_EQ(bounds.errors[1][0], 0); // exact operands: one of them
}

TEST(Bounds, AProductOfManyIsOpenWhereAnOrderLeavesTheRange) {
  const char *text =
      R"(func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  })";
  EXPECT_EQ(boundsOf(text, {{1e30, 1e30, 1e-30, 1e-30}}).errors[0][0],
            INFINITY);
  double narrow = boundsOf(text, {{1.1f, 1.3f, 0.7f, 1.9f}}).errors[0][0];
  EXPECT_GT(narrow, 3 * 0x1p-24);
  EXPECT_LT(narrow, 16 * 0x1p-24);
}

TEST(Bounds, WhatOverflowsInItsTypeIsOpen) {
  Bounds bounds = boundsOf(
      R"(func.func @main(%x: tensor<2xf16>) -> tensor<2xf16> {
    %0 = stablehlo.multiply %x, %x : tensor<2xf16>
    %1 = stablehlo.sqrt %0 : tensor<2xf16>
    return %1 : tensor<2xf16>
  })",
      {{300, 10}}); // 90000 is not an f16
  EXPECT_EQ(bounds.errors[0][0], INFINITY);
  EXPECT_LT(bounds.errors[0][1], 0.1);
}

TEST(Bounds, SumsThatMayOverflowOnTheWayAreOpen) {
  // 3e38 + 3e38 - 3e38 is infinite or 3e38, by the order; 3e38 + 3e38 is infinite.
  const std::string body = R"(({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }))";
  const std::vector<std::vector<double>> data{
      {3e38, 3e38, -3e38, 1, 2, -1, 3e38, 3e38, 1}};
  Bounds reduced = boundsOf(
      R"(func.func @main(%x: tensor<3x3xf32>) -> tensor<3xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %r = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 1>}> )" +
          body +
          R"( : (tensor<3x3xf32>, tensor<f32>) -> tensor<3xf32>
    return %r : tensor<3xf32>
  })",
      data);
  Bounds scattered = boundsOf(
      R"(func.func @main(%x: tensor<3x3xf32>) -> tensor<3x1xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<3x1xf32>
    %i = stablehlo.constant dense<0> : tensor<3xi64>
    %r = "stablehlo.scatter"(%z, %i, %x) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> )" +
          body +
          R"( : (tensor<3x1xf32>, tensor<3xi64>, tensor<3x3xf32>) -> tensor<3x1xf32>
    return %r : tensor<3x1xf32>
  })",
      data);
  for (const Bounds &bounds : {reduced, scattered}) {
    EXPECT_EQ(bounds.errors[0][0], INFINITY);
    EXPECT_LT(bounds.errors[0][1], 1e-5);
    EXPECT_LT(bounds.errors[0][2], INFINITY);
  }
}

TEST(Bounds, ALoopHandsErrorsOnWithItsValues) {
  // The two carried values change places: after one round the first result is
  // the exact one.
  Bounds bounds = boundsOf(
      R"(func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %s = stablehlo.add %a, %b : tensor<f32>
    %n = stablehlo.constant dense<1> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %r:3 = stablehlo.while(%i = %zero, %x = %s, %y = %a) : tensor<i32>, tensor<f32>, tensor<f32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %n : tensor<i32>
      stablehlo.return %j, %y, %x : tensor<i32>, tensor<f32>, tensor<f32>
    }
    return %r#1, %r#2 : tensor<f32>, tensor<f32>
  })",
      {{0.7f}, {0.9f}});
  EXPECT_EQ(bounds.errors[0][0], 0);
  expectNear(bounds.errors[1][0], halfUlpOf(1.6), "the sum");
}

TEST(Bounds, ALoopThatStopsByAnInexactValueIsOpen) {
  const char *loop =
      R"(func.func @main(%a: tensor<f32>, %step: tensor<f32>, %end: tensor<f32>) -> tensor<f32> {
    %r = stablehlo.while(%x = %a) : tensor<f32>
    cond {
      %c = stablehlo.compare LT, %x, %end : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %y = stablehlo.add %x, %step : tensor<f32>
      stablehlo.return %y : tensor<f32>
    }
    return %r : tensor<f32>
  })";
  // 0.1f added ten times is within its error of the end.
  double sum = 10 * static_cast<double>(0.1f);
  EXPECT_EQ(
      boundsOf(loop, {{0}, {0.1f}, {static_cast<float>(sum)}}).errors[0][0],
      INFINITY);
  EXPECT_LT(boundsOf(loop, {{0}, {0.1f}, {0.95f}}).errors[0][0], 1e-5);
}

// Windows that overlap, on exponentials: a selection that errors cannot change has
// the bound of its sum; where two are equal, either may be selected.
TEST(Bounds, OfSelectionsAmongInexactValues) {
  const char *text =
      R"(func.func @main(%a: tensor<5xf32>, %s: tensor<2xf32>) -> tensor<5xf32> {
    %0 = stablehlo.exponential %a : tensor<5xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = "stablehlo.select_and_scatter"(%0, %s, %z) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %c = func.call @first(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }, {
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %c = func.call @sum(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) : (tensor<5xf32>, tensor<2xf32>, tensor<f32>) -> tensor<5xf32>
    return %1 : tensor<5xf32>
  }
  func.func private @first(%x: tensor<f32>, %y: tensor<f32>) -> tensor<i1> {
    %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    return %c : tensor<i1>
  }
  func.func private @sum(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
    %c = stablehlo.add %x, %y : tensor<f32>
    return %c : tensor<f32>
  })";
  std::vector<double> apart =
      boundsOf(text, {{0.5, 1.5, 0.25, 2.0, 0.75}, {3, 5}}).errors[0];
  for (double bound : apart)
    EXPECT_LT(bound, 1e-5);
  std::vector<double> tied =
      boundsOf(text, {{0.5, 1.5, 0.25, 2.0, 2.0}, {3, 5}}).errors[0];
  EXPECT_LT(tied[1], 1e-5);
  EXPECT_EQ(tied[3], INFINITY);
  EXPECT_EQ(tied[4], INFINITY);
}

TEST(Bounds, QuantisedElementsAreDecidedUnlessRoundingDecides) {
  auto quantizes = [](const char *scale) {
    return std::string("func.func @main(%x: tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, ") +
           scale + ":3>> {\n  %q = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, " +
           scale + ":3>>\n  return %q : tensor<4x!quant.uniform<i8:f32, " + scale + ":3>>\n}";
  };
  // 0.125 / 0.25 is half way: dividing by a power of two is exact in every
  // form.
  std::vector<double> x = {0.125, 1.1, 1e30, -1e30};
  EXPECT_EQ(boundsOf(quantizes("0.25"), {x}).errors[0],
            std::vector<double>(4, 0));
  Bounds tenth = boundsOf(quantizes("1.000000e-01"), {{0.25, 0.26, 99, -99}});
  EXPECT_TRUE(std::isinf(tenth.errors[0][0]));
  EXPECT_EQ(tenth.errors[0][1] + tenth.errors[0][2] + tenth.errors[0][3], 0);
}

TEST(Bounds, WhatQuantisedElementsStandForIsARoundedProduct) {
  Bounds bounds = boundsOf(
      R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %q = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 1.000000e-01:3>>
  %0 = stablehlo.uniform_dequantize %q : (tensor<2x!quant.uniform<i8:f32, 1.000000e-01:3>>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
})",
      {{0.71, 0.25}});
  EXPECT_NEAR(bounds.exact[0][0], 0.7, 1e-7);
  EXPECT_NEAR(bounds.errors[0][0], 2 * 0x1p-24 * 0.7 + halfUlpOf(0.7), 1e-14);
  EXPECT_TRUE(std::isinf(bounds.errors[0][1]));
}
