// Array conversion. Frequent pairs have their own loop. All others go through a
// hub type that holds every source value exactly, in blocks that stay in the
// L1 cache:
//
//   i1, signed integers -> int64 -.
//   unsigned integers  -> uint64 -+-> any target, one rounding
//   floats up to f64   -> double -+
//   f128 -> itself, complex -> complex<double>
//
// So n types need 2n loops, not n * n. f32 <-> f16 uses the F16C instructions
// where the processor has them; the plain loop computes the same bits (NaN
// payloads included), which ConvertTest checks for every code.
#include "assay/numerics/Convert.h"
#include "assay/numerics/ConvertIntegers.h"
#include "assay/numerics/Dispatch.h"
#include "assay/support/TargetClones.h"

#include <algorithm>
#include <cstring>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay::numerics {

static constexpr int64_t kBlock = 512;

ASSAY_CLONES
void convertF32ToBF16(const float *source, BF16 *target, int64_t n) {
  // encodeFloat<BF16> without branches, so that the loop vectorises.
  for (int64_t i = 0; i < n; ++i) {
    auto bits = std::bit_cast<uint32_t>(source[i]);
    uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
    uint32_t nan = ((bits >> 16) & 0x8000) | 0x7FC0;
    target[i].code =
        static_cast<uint16_t>((bits & 0x7FFFFFFF) > 0x7F800000 ? nan : rounded);
  }
}

ASSAY_CLONES
void convertBF16ToF32(const BF16 *source, float *target, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    target[i] =
        std::bit_cast<float>(static_cast<uint32_t>(source[i].code) << 16);
}

ASSAY_CLONES
static void convertF16ToF32Plain(const F16 *source, float *target, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    target[i] = decodeFloat<FloatFormat::F16>(source[i].code);
}

static void convertF32ToF16Plain(const float *source, F16 *target, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    target[i] = F16(source[i]);
}

#if defined(__x86_64__)
static bool hasF16C() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
}

__attribute__((target("avx2,f16c"))) static void
convertF32ToF16Hardware(const float *source, F16 *target, int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128(
        reinterpret_cast<__m128i *>(target + i),
        _mm256_cvtps_ph(_mm256_loadu_ps(source + i),
                        _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  convertF32ToF16Plain(source + i, target + i, n - i);
}

__attribute__((target("avx2,f16c"))) static void
convertF16ToF32Hardware(const F16 *source, float *target, int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(target + i,
                     _mm256_cvtph_ps(_mm_loadu_si128(
                         reinterpret_cast<const __m128i *>(source + i))));
  convertF16ToF32Plain(source + i, target + i, n - i);
}
#else
static bool hasF16C() { return false; }
static void convertF32ToF16Hardware(const float *, F16 *, int64_t) {}
static void convertF16ToF32Hardware(const F16 *, float *, int64_t) {}
#endif

void convertF32ToF16(const float *source, F16 *target, int64_t n) {
  static const bool kHardware = hasF16C();
  kHardware ? convertF32ToF16Hardware(source, target, n)
            : convertF32ToF16Plain(source, target, n);
}

void convertF16ToF32(const F16 *source, float *target, int64_t n) {
  static const bool kHardware = hasF16C();
  kHardware ? convertF16ToF32Hardware(source, target, n)
            : convertF16ToF32Plain(source, target, n);
}

ASSAY_CLONES
static void convertF32ToF64(const float *source, double *target, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    target[i] = source[i];
}

ASSAY_CLONES
static void convertF64ToF32(const double *source, float *target, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    target[i] = static_cast<float>(source[i]);
}

/// Exact conversion to the source's hub type, and rounding from a hub to the
/// target.
template <typename Hub>
static void toHub(ElementType type, const void *source, Hub *hub, int64_t n) {
  dispatch<AllTypesAndQuad>(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const T *values = static_cast<const T *>(source);
    for (int64_t i = 0; i < n; ++i)
      hub[i] = convertElement<Hub>(values[i]);
  });
}

template <typename Hub>
static void fromHub(const Hub *hub, ElementType type, void *target, int64_t n) {
  dispatch<AllTypesAndQuad>(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    T *values = static_cast<T *>(target);
    for (int64_t i = 0; i < n; ++i)
      values[i] = convertElement<T>(hub[i]);
  });
}

template <typename Hub>
static void throughHub(ElementType sourceType, const char *source,
                       ElementType targetType, char *target, int64_t n) {
  alignas(64) Hub hub[kBlock];
  for (int64_t first = 0; first < n; first += kBlock) {
    int64_t count = std::min(kBlock, n - first);
    toHub(sourceType, source + first * sourceType.storageBytes(), hub, count);
    fromHub(hub, targetType, target + first * targetType.storageBytes(), count);
  }
}

/// Converts floats of up to 8 bits by table look-up.
static void convertTinyToF32(FloatFormat format, const void *source,
                             float *target, int64_t n) {
  dispatch<NarrowFloatTypes>(ElementType::floating(format), [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const T *values = static_cast<const T *>(source);
    for (int64_t i = 0; i < n; ++i)
      target[i] = values[i];
  });
}

/// Converts pairs that have their own loop; returns false for all others.
static bool convertFast(ElementType sourceType, const void *source,
                        ElementType targetType, void *target, int64_t n) {
  if (ConvertLoop loop = findIntegerLoop(sourceType, targetType)) {
    loop(source, target, n);
    return true;
  }
  if (!sourceType.isFloat() || !targetType.isFloat())
    return false;
  auto is = [&](FloatFormat from, FloatFormat to) {
    return sourceType.format == from && targetType.format == to;
  };
  using enum FloatFormat;
  if (is(F32, BF16))
    convertF32ToBF16(static_cast<const float *>(source),
                     static_cast<numerics::BF16 *>(target), n);
  else if (is(BF16, F32))
    convertBF16ToF32(static_cast<const numerics::BF16 *>(source),
                     static_cast<float *>(target), n);
  else if (is(F32, F16))
    convertF32ToF16(static_cast<const float *>(source),
                    static_cast<numerics::F16 *>(target), n);
  else if (is(F16, F32))
    convertF16ToF32(static_cast<const numerics::F16 *>(source),
                    static_cast<float *>(target), n);
  else if (is(F32, F64))
    convertF32ToF64(static_cast<const float *>(source),
                    static_cast<double *>(target), n);
  else if (is(F64, F32))
    convertF64ToF32(static_cast<const double *>(source),
                    static_cast<float *>(target), n);
  else if (targetType.format == F32 && sourceType.bits <= 8)
    convertTinyToF32(sourceType.format, source, static_cast<float *>(target),
                     n);
  else
    return false;
  return true;
}

// Complex numbers of binary128 parts, which only shadows have, are converted
// part by part: between complex types as 2 n reals, to and from a real type
// through the real parts.
static void convertWideComplex(ElementType sourceType, const void *source,
                               ElementType targetType, void *target,
                               int64_t n) {
  if (sourceType.isComplex() && targetType.isComplex())
    return convertArray(sourceType.part(), source, targetType.part(), target,
                        2 * n);
  ElementType quad = ElementType::floating(FloatFormat::F128);
  std::vector<Quad> real(static_cast<size_t>(n));
  if (sourceType.isComplex()) {
    for (int64_t i = 0; i < n; ++i)
      real[static_cast<size_t>(i)] = static_cast<const Quad *>(source)[2 * i];
    return convertArray(quad, real.data(), targetType, target, n);
  }
  convertArray(sourceType, source, quad, real.data(), n);
  for (int64_t i = 0; i < n; ++i) {
    static_cast<Quad *>(target)[2 * i] = real[static_cast<size_t>(i)];
    static_cast<Quad *>(target)[2 * i + 1] = 0;
  }
}

void convertArray(ElementType sourceType, const void *source,
                  ElementType targetType, void *target, int64_t n) {
  if (n <= 0)
    return;
  bool sameKind = sourceType.kind == targetType.kind &&
                  sourceType.format == targetType.format;
  bool bothIntegers =
      sourceType.isInteger() && targetType.isInteger() && sourceType.bits >= 8;
  if (sourceType.bits == targetType.bits && (sameKind || bothIntegers)) {
    if (source != target)
      std::memcpy(target, source,
                  static_cast<size_t>(n * sourceType.storageBytes()));
    return;
  }
  if ((sourceType.isComplex() && sourceType.format == FloatFormat::F128) ||
      (targetType.isComplex() && targetType.format == FloatFormat::F128))
    return convertWideComplex(sourceType, source, targetType, target, n);
  if (convertFast(sourceType, source, targetType, target, n))
    return;
  const auto *from = static_cast<const char *>(source);
  auto *to = static_cast<char *>(target);
  if (sourceType.isComplex())
    throughHub<std::complex<double>>(sourceType, from, targetType, to, n);
  else if (sourceType.format == FloatFormat::F128)
    throughHub<Quad>(sourceType, from, targetType, to, n);
  else if (sourceType.isFloat())
    throughHub<double>(sourceType, from, targetType, to, n);
  else if (sourceType.kind == Kind::UInt)
    throughHub<uint64_t>(sourceType, from, targetType, to, n);
  else
    throughHub<int64_t>(sourceType, from, targetType, to, n);
}

} // namespace assay::numerics
