// The f32 functions of fused loops against the C library in long double: floats
// of all exponents within the units in the last place that the header states,
// and the special values of C's functions exactly.
#include "assay/engine/native/VectorMath.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace assay::engine;

namespace {
struct Function {
  const char *operation;
  long double (*exact)(long double);
  double units; ///< the limit in VectorMath.h
};
class VectorMath : public testing::TestWithParam<Function> {};
} // namespace

static long double logisticl(long double x) { return 1 / (1 + std::exp(-x)); }

/// |got - want| in units of the last place of the float nearest to want.
static double unitsOff(float got, long double want) {
  int exponent;
  std::frexp(want, &exponent);
  long double unit = std::ldexp(1.0L, std::max(exponent - 24, -149));
  return static_cast<double>(std::abs(got - want) / unit);
}

TEST_P(VectorMath, StaysWithinItsUnits) {
  const Function &f = GetParam();
  VectorLoop loop = vectorFunctionOf(f.operation).loop;
  ASSERT_NE(loop, nullptr);
  EXPECT_LE(vectorFunctionOf(f.operation).ulps, f.units);
  std::vector<float> in;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 10007)
    in.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  // A dense range where the functions change.
  for (int i = -200000; i <= 200000; ++i)
    in.push_back(static_cast<float>(i) * 0x1.3p-14f);
  std::vector<float> out(in.size());
  loop(in.data(), out.data(), static_cast<int64_t>(in.size()));
  double worst = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    long double want = f.exact(in[i]);
    auto rounded = static_cast<float>(want);
    if (std::isnan(rounded)) {
      EXPECT_TRUE(std::isnan(out[i])) << f.operation << "(" << in[i] << ")";
    } else if (std::isinf(rounded)) {
      EXPECT_EQ(out[i], rounded) << f.operation << "(" << in[i] << ")";
    } else {
      double off = unitsOff(out[i], want);
      worst = std::max(worst, off);
      ASSERT_LE(off, f.units)
          << f.operation << "(" << in[i] << ") = " << out[i];
    }
  }
  EXPECT_GT(worst, 0.5); // the test compared something
}

TEST_P(VectorMath, SpecialValuesAndLengthsThatAreNoMultipleOfAVector) {
  const Function &f = GetParam();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> in{0.f,           -0.f,      kInfinity, -kInfinity,
                        std::nanf(""), 0x1p-149f, 88.8f,     -104.f,
                        200.f,         -200.f,    1.f};
  for (size_t count = 1; count <= in.size(); ++count) {
    std::vector<float> out(in.size() + 1, 77.f);
    vectorFunctionOf(f.operation)
        .loop(in.data(), out.data(), static_cast<int64_t>(count));
    for (size_t i = 0; i < count; ++i) {
      auto want = static_cast<float>(f.exact(in[i]));
      if (std::isnan(want)) {
        EXPECT_TRUE(std::isnan(out[i]));
      } else if (want == 0 || std::isinf(want)) {
        EXPECT_EQ(std::bit_cast<uint32_t>(out[i]),
                  std::bit_cast<uint32_t>(want))
            << f.operation << "(" << in[i] << ") = " << out[i];
      }
    }
    EXPECT_EQ(out[count], 77.f);
  }
}

static const Function kFunctions[] = {{"stablehlo.exponential", std::exp, 1.2},
                                      {"stablehlo.tanh", std::tanh, 1.4},
                                      {"stablehlo.logistic", logisticl, 3.0},
                                      {"chlo.erf", std::erf, 2.1},
                                      {"chlo.erfc", std::erfc, 6.0}};
INSTANTIATE_TEST_SUITE_P(All, VectorMath, testing::ValuesIn(kFunctions),
                         [](const testing::TestParamInfo<Function> &info) {
                           std::string name = info.param.operation;
                           return name.substr(name.find('.') + 1);
                         });

TEST(VectorMath, OtherOperationsHaveNoLoop) {
  EXPECT_EQ(vectorFunctionOf("stablehlo.add").loop, nullptr);
}

TEST(VectorMath, PowersStayWithinTheirUnits) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> in{0.f,        -0.f, kInfinity, -kInfinity, std::nanf(""),
                        0x1p-149f, 1.f,  -1.f,      0x1p64f,    -0x1.5p43f};
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 100003)
    in.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  for (float exponent : {2.f, 3.f}) {
    VectorFunction power = vectorPowerOf(exponent);
    ASSERT_NE(power.loop, nullptr);
    std::vector<float> out(in.size());
    power.loop(in.data(), out.data(), static_cast<int64_t>(in.size()));
    for (size_t i = 0; i < in.size(); ++i) {
      long double want = std::pow(static_cast<long double>(in[i]), exponent);
      auto rounded = static_cast<float>(want);
      if (std::isnan(rounded))
        EXPECT_TRUE(std::isnan(out[i]));
      else if (std::isinf(rounded) || rounded == 0)
        EXPECT_EQ(std::bit_cast<uint32_t>(out[i]),
                  std::bit_cast<uint32_t>(rounded))
            << in[i] << "^" << exponent;
      else
        ASSERT_LE(unitsOff(out[i], want), power.ulps)
            << in[i] << "^" << exponent;
    }
  }
  for (float exponent : {1.f, 0.5f, -2.f, 4.f, std::nanf("")})
    EXPECT_EQ(vectorPowerOf(exponent).loop, nullptr);
}
