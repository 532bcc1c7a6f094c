// Every function of FastMath.h, FastErf.h and FastTrig.h compared with the C
// library in long double: floats of all exponents, rounded to f32, within
// 0.50001 units in the last place; the special values of C's functions exactly.
#include "assay/reference/ops/FastErf.h"
#include "assay/reference/ops/FastTrig.h"
#include "gtest/gtest.h"

using namespace assay::reference;

namespace {
struct Function {
  const char *name;
  double (*fast)(double);
  long double (*exact)(long double);
};
class FastMath : public testing::TestWithParam<Function> {};
} // namespace

static constexpr float kInfinity = std::numeric_limits<float>::infinity();
static constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// |got - want| in units of the last place of the float nearest to want; 0
/// where both are the same infinity, zero or NaN, else infinite for such values.
static double unitsOff(float got, long double want) {
  auto rounded = static_cast<float>(want);
  if (std::isnan(got) || std::isnan(rounded))
    return std::isnan(got) && std::isnan(rounded) ? 0 : kInfinity;
  if (std::isinf(rounded) || (rounded == 0 && got == 0))
    return got == rounded && std::signbit(got) == std::signbit(rounded)
               ? 0
               : kInfinity;
  int exponent;
  std::frexp(want, &exponent);
  long double unit = std::ldexp(1.0L, std::max(exponent - 24, -149));
  return static_cast<double>(std::abs(got - want) / unit);
}

TEST_P(FastMath, IsWithinARoundingOfTheExactValue) {
  const Function &f = GetParam();
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 30011) {
    auto x = std::bit_cast<float>(static_cast<uint32_t>(bits));
    auto got = static_cast<float>(f.fast(x));
    ASSERT_LE(unitsOff(got, f.exact(x)), 0.50001)
        << f.name << "(" << x << ") = " << got;
  }
  for (float x : {0.f, -0.f, 1.f, -1.f, 0x1p-149f, -0x1p-149f, kInfinity,
                  -kInfinity, kNaN, 0x1.fffffep127f, 0.35f, -0.35f, 4.5f}) {
    auto got = static_cast<float>(f.fast(x));
    EXPECT_LE(unitsOff(got, f.exact(x)), 0.50001)
        << f.name << "(" << x << ") = " << got;
  }
}

static long double logisticl(long double x) { return 1 / (1 + std::exp(-x)); }

static const Function kFunctions[] = {
    {"exp", fast::exp, std::exp},       {"log", fast::log, std::log},
    {"tanh", fast::tanh, std::tanh},    {"logistic", fast::logistic, logisticl},
    {"expm1", fast::expm1, std::expm1}, {"log1p", fast::log1p, std::log1p},
    {"sinh", fast::sinh, std::sinh},    {"cosh", fast::cosh, std::cosh},
    {"cbrt", fast::cbrt, std::cbrt},    {"erf", fast::erf, std::erf},
    {"erfc", fast::erfc, std::erfc},    {"sin", fast::sin, std::sin},
    {"cos", fast::cos, std::cos},       {"tan", fast::tan, std::tan}};
INSTANTIATE_TEST_SUITE_P(All, FastMath, testing::ValuesIn(kFunctions),
                         [](const testing::TestParamInfo<Function> &info) {
                           return std::string(info.param.name);
                         });

TEST(FastPower, IsWithinARoundingOfTheExactValue) {
  for (float y : {2.f, 3.f, 4.f, 5.f, 0.5f, -1.f, -2.5f, 0.333f, 100.f})
    for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 150001) {
      auto x = std::bit_cast<float>(static_cast<uint32_t>(bits));
      auto got = static_cast<float>(fast::pow(x, y));
      ASSERT_LE(unitsOff(got, std::pow(static_cast<long double>(x), y)),
                0.50001)
          << x << " to the power of " << y << " = " << got;
    }
}

TEST(FastPower, SpecialValuesAreThoseOfC) {
  const float values[] = {
      0.f,        -0.f,        1.f,        -1.f,       2.f,       -2.f,
      0.5f,       -0.5f,       3.f,        -3.f,       kInfinity, -kInfinity,
      kNaN,       1e38f,       -1e38f,     1e-45f,     -1e-45f,   16777216.f,
      16777215.f, -16777215.f, 33554433.f, 1.0000001f, 0.9999999f};
  for (float x : values)
    for (float y : values) {
      auto got = static_cast<float>(fast::pow(x, y));
      auto want = static_cast<float>(std::pow(static_cast<long double>(x), y));
      if (std::isnan(want))
        EXPECT_TRUE(std::isnan(got)) << x << " to the power of " << y;
      else
        EXPECT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(want))
            << x << " to the power of " << y;
    }
}
