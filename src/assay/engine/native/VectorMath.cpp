// The functions without branches or calls, so that compilers make vectors of
// their loops; compiled for AVX-512 and AVX2, whose fused multiply-adds they
// use, and for the baseline.
//
//   exp       x = k ln 2 + r, |r| <= ln 2 / 2; 1 + r + r^2 P(r), times 2^k in
//             two factors, so that the first one cannot leave the range
//   tanh      x + x^3 P(x^2) below 0.625, else 1 - 2 / (e^2x + 1)
//   erfc      t e^(-x^2) Q(t), t = 2 / (2 + x), for x >= 0, 2 - that for x < 0;
//             the part of x^2 that a float cannot hold goes into e's remainder
//   erf       x P(x^2) below 1, else 1 - erfc(x)
//   logistic  1 / (1 + e^-|x|), times e^-|x| for x < 0
//
// P and Q interpolate in the Chebyshev points of their intervals (40 digits,
// mpmath); those of erf and erfc are in powers of the variable moved to [-1, 1].
#include "assay/engine/native/VectorMath.h"

#include "assay/reference/ops/Loops.h"
#include "llvm/ADT/StringSwitch.h"

#include <bit>
#include <cmath>

namespace assay::engine {

using reference::loopLevel;

namespace {
template <bool kFused> struct Math {
  /// a * b + c
  static ASSAY_INLINE float multiplyAdd(float a, float b, float c) {
    if constexpr (kFused)
      return __builtin_fmaf(a, b, c);
    else
      return a * b + c;
  }

  /// c[first] + c[first + 1] x + ...; by recursion, because compilers do not
  /// vectorise a loop within a loop.
  template <size_t first = 0, size_t N>
  static ASSAY_INLINE float polynomial(const float (&c)[N], float x) {
    if constexpr (first + 1 == N)
      return c[first];
    else
      return multiplyAdd(polynomial<first + 1>(c, x), x, c[first]);
  }

  /// e^(x - rest), where rest is small compared with 1. Values that are rounded
  /// to 0 underflow in no operation, because that is slow on processors.
  static ASSAY_INLINE float expOf(float x, float rest) {
    constexpr float kTerms[] = {0x1p-1f,         0x1.555556p-3f,
                                0x1.5554eap-5f,  0x1.1110e0p-7f,
                                0x1.6d4316p-10f, 0x1.a124e4p-13f};
    constexpr float kMagic = 0x1.8p23f; // adding it moves the nearest integer
                                        // to the low bits
    float inside = x < 90.0f ? x : 90.0f;
    inside = x < -104.0f ? 0.0f : inside;
    float shifted = multiplyAdd(inside, 0x1.715476p+0f, kMagic);
    float k = shifted - kMagic;
    // ln 2 in parts whose products with k are exact.
    float r = multiplyAdd(k, -0x1.62ep-1f, inside);
    r = multiplyAdd(k, -0x1.0bfap-15f, r);
    r = multiplyAdd(k, -0x1.e8e7bcp-31f, r) - rest;
    float value = multiplyAdd(r * r, polynomial(kTerms, r), r) + 1;
    int32_t power =
        std::bit_cast<int32_t>(shifted) - std::bit_cast<int32_t>(kMagic);
    int32_t half = power >> 1;
    auto first = std::bit_cast<float>((half + 127) << 23),
         second = std::bit_cast<float>((power - half + 127) << 23);
    float result = x < -104.0f ? 0.0f : value * first * second;
    return x != x ? x : result;
  }
  static ASSAY_INLINE float exp(float x) { return expOf(x, 0); }

  static ASSAY_INLINE float square(float x) { return x * x; }
  static ASSAY_INLINE float cube(float x) { return x * x * x; }

  static ASSAY_INLINE float tanh(float x) {
    constexpr float kTerms[] = {-0x1.555556p-2f, 0x1.1110eap-3f,
                                -0x1.ba08c4p-5f, 0x1.64a976p-6f,
                                -0x1.116a16p-7f, 0x1.2c83c0p-9f};
    float size = std::abs(x), square = x * x;
    float small = multiplyAdd(size * square, polynomial(kTerms, square), size);
    float large = 1 - 2 / (exp(2 * size) + 1);
    return std::copysign(size < 0.625f ? small : large, x);
  }

  static ASSAY_INLINE float logistic(float x) {
    float power = exp(-std::abs(x)), part = 1 / (1 + power);
    return x < 0 ? power * part : part;
  }

  /// erfc of |x|.
  static ASSAY_INLINE float tail(float size) {
    constexpr float kTerms[] = {
        0x1.23898ap-1f,   0x1.4f0a58p-2f,   0x1.a805a0p-4f,  0x1.9d6dfcp-8f,
        -0x1.9eaac6p-8f,  -0x1.61d8aep-11f, 0x1.47b5e6p-11f, 0x1.4a99a8p-17f,
        -0x1.29be3cp-14f, 0x1.b635e2p-18f,  0x1.7fd104p-18f};
    size = size < 10.5f ? size : 10.5f; // the result is then below half of
                                        // 2^-149
    float t = 2 / (2 + size);
    // Half of the digits, so that their square is exact.
    auto high =
        std::bit_cast<float>(std::bit_cast<uint32_t>(size) & 0xfffff000);
    float rest = (size - high) * (size + high);
    float u = multiplyAdd(t, 0x1.30c30cp+1f, -0x1.618618p+0f);
    return t * polynomial(kTerms, u) * expOf(-high * high, rest);
  }

  static ASSAY_INLINE float erfc(float x) {
    float part = tail(std::abs(x)), result = x < 0 ? 2 - part : part;
    return x != x ? x : result;
  }

  static ASSAY_INLINE float erf(float x) {
    constexpr float kTerms[] = {
        0x1.ee51ecp-1f,  -0x1.1fd164p-3f,  0x1.454368p-6f, -0x1.2b8df4p-9f,
        0x1.c828b2p-13f, -0x1.287012p-16f, 0x1.4a5690p-20f};
    float size = std::abs(x), square = x * x;
    float small = size * polynomial(kTerms, multiplyAdd(square, 2, -1));
    float result = std::copysign(size < 1 ? small : 1 - tail(size), x);
    return x != x ? x : result;
  }
};
} // namespace

#define ASSAY_VECTOR_LOOP(NAME, ATTRIBUTE, FUSED, FUNCTION)                    \
  ATTRIBUTE static void NAME(const float *in, float *out, int64_t count) {     \
    _Pragma("GCC ivdep") for (int64_t i = 0; i < count; ++i) out[i] =          \
        Math<FUSED>::FUNCTION(in[i]);                                          \
  }
#ifdef ASSAY_LOOP_LEVELS
#define ASSAY_VECTOR_LOOPS(FUNCTION)                                           \
  ASSAY_VECTOR_LOOP(FUNCTION##V1, , false, FUNCTION)                           \
  ASSAY_VECTOR_LOOP(FUNCTION##V3, __attribute__((target("arch=x86-64-v3"))),   \
                    true, FUNCTION)                                            \
  ASSAY_VECTOR_LOOP(FUNCTION##V4, __attribute__((target("arch=x86-64-v4"))),   \
                    true, FUNCTION)                                            \
  static VectorLoop FUNCTION##Loop() {                                         \
    return loopLevel() >= 4   ? FUNCTION##V4                                   \
           : loopLevel() >= 3 ? FUNCTION##V3                                   \
                              : FUNCTION##V1;                                  \
  }
#else
#define ASSAY_VECTOR_LOOPS(FUNCTION)                                           \
  ASSAY_VECTOR_LOOP(FUNCTION##V1, , false, FUNCTION)                           \
  static VectorLoop FUNCTION##Loop() { return FUNCTION##V1; }
#endif

ASSAY_VECTOR_LOOPS(exp)
ASSAY_VECTOR_LOOPS(tanh)
ASSAY_VECTOR_LOOPS(logistic)
ASSAY_VECTOR_LOOPS(erf)
ASSAY_VECTOR_LOOPS(erfc)
ASSAY_VECTOR_LOOPS(square)
ASSAY_VECTOR_LOOPS(cube)

VectorFunction vectorFunctionOf(llvm::StringRef operation) {
  return llvm::StringSwitch<VectorFunction>(operation)
      .Case("stablehlo.exponential", {expLoop(), 1.2})
      .Case("stablehlo.tanh", {tanhLoop(), 1.4})
      .Case("stablehlo.logistic", {logisticLoop(), 3.0})
      .Case("chlo.erf", {erfLoop(), 2.1})
      .Case("chlo.erfc", {erfcLoop(), 6.0})
      .Default({});
}

VectorFunction vectorPowerOf(float exponent) {
  return exponent == 2   ? VectorFunction{squareLoop(), 0.5}
         : exponent == 3 ? VectorFunction{cubeLoop(), 1.5}
                         : VectorFunction{};
}

} // namespace assay::engine
