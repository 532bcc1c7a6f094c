// From sums to C. Float sums are finished in f32 or f64. s32 sums that need
// more than a copy are finished in f64, which holds every s32 exactly, and
// saturate. There is one rounding at the end, to nearest even. Rows are
// processed one at a time in a buffer, so that each stage is a plain loop.
#include "assay/kernels/outer/Epilogue.h"

#include "assay/kernels/outer/Clones.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace assay::kernels {

static constexpr int64_t kChunk = 256;

template <typename T> static T activate(T x, Activation activation) {
  switch (activation) {
  case Activation::None:
    return x;
  case Activation::Relu:
    return x <= T(0) ? T(0) : x; // NaN stays, -0 becomes 0
  case Activation::Tanh:
    return std::tanh(x);
  case Activation::GeluTanh:
    return T(0.5) * x *
           (T(1) +
            std::tanh(T(0.7978845608028654) * (x + T(0.044715) * x * x * x)));
  case Activation::GeluErf:
    return T(0.5) * x * (T(1) + std::erf(x * T(0.7071067811865476)));
  case Activation::Logistic:
    return T(1) / (T(1) + std::exp(-x));
  }
  return x;
}

static uint16_t toBf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float fromBf16(uint16_t value) {
  uint32_t bits = uint32_t(value) << 16;
  float result;
  std::memcpy(&result, &bits, 4);
  return result;
}

/// Converts element `index` of C to the working type, and back with one
/// rounding.
template <typename T>
static T loadC(DataType type, const void *c, int64_t index) {
  switch (type) {
  case DataType::F32:
    return static_cast<T>(static_cast<const float *>(c)[index]);
  case DataType::F64:
    return static_cast<T>(static_cast<const double *>(c)[index]);
  case DataType::BF16:
    return static_cast<T>(fromBf16(static_cast<const uint16_t *>(c)[index]));
  case DataType::F16:
    return static_cast<T>(static_cast<const _Float16 *>(c)[index]);
  case DataType::S8:
    return static_cast<T>(static_cast<const int8_t *>(c)[index]);
  case DataType::U8:
    return static_cast<T>(static_cast<const uint8_t *>(c)[index]);
  case DataType::S32:
    return static_cast<T>(static_cast<const int32_t *>(c)[index]);
  }
  return T(0);
}

template <typename I, typename T> static I saturate(T value) {
  T rounded = std::nearbyint(value);
  if (!(rounded > static_cast<T>(std::numeric_limits<I>::min())))
    return rounded != rounded ? I(0) : std::numeric_limits<I>::min();
  if (rounded >= static_cast<T>(std::numeric_limits<I>::max()))
    return std::numeric_limits<I>::max();
  return static_cast<I>(rounded);
}

template <typename T, typename Out, typename Convert>
static ASSAY_INLINE void storeRow(const T *values, Out *c, int64_t stride,
                                  int64_t count, Convert convert) {
  if (stride == 1)
    for (int64_t j = 0; j < count; ++j)
      c[j] = convert(values[j]);
  else
    for (int64_t j = 0; j < count; ++j)
      c[j * stride] = convert(values[j]);
}

template <typename T>
static ASSAY_INLINE void storeTyped(DataType type, const T *values, void *c,
                                    int64_t offset, int64_t stride,
                                    int64_t count) {
  switch (type) {
  case DataType::F32:
    return storeRow(values, static_cast<float *>(c) + offset, stride, count,
                    [](T v) { return static_cast<float>(v); });
  case DataType::F64:
    return storeRow(values, static_cast<double *>(c) + offset, stride, count,
                    [](T v) { return static_cast<double>(v); });
  case DataType::BF16:
    return storeRow(values, static_cast<uint16_t *>(c) + offset, stride, count,
                    [](T v) { return toBf16(static_cast<float>(v)); });
  case DataType::F16:
    return storeRow(values, static_cast<_Float16 *>(c) + offset, stride, count,
                    [](T v) { return static_cast<_Float16>(v); });
  case DataType::S8:
    return storeRow(values, static_cast<int8_t *>(c) + offset, stride, count,
                    [](T v) { return saturate<int8_t>(v); });
  case DataType::U8:
    return storeRow(values, static_cast<uint8_t *>(c) + offset, stride, count,
                    [](T v) { return saturate<uint8_t>(v); });
  case DataType::S32:
    return storeRow(values, static_cast<int32_t *>(c) + offset, stride, count,
                    [](T v) { return saturate<int32_t>(v); });
  }
}

static ASSAY_INLINE float addWrapping(float a, float b) { return a + b; }
static ASSAY_INLINE double addWrapping(double a, double b) { return a + b; }
static ASSAY_INLINE int32_t addWrapping(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) +
                              static_cast<uint32_t>(b));
}

/// Finishes one row of at most kChunk columns. Sum: the accumulator's type; T:
/// the type of the arithmetic.
template <typename Sum, typename T>
static ASSAY_INLINE void finishRow(const GemmProblem &problem,
                                   const EpilogueBlock &block,
                                   const GemmPointers &pointers, void *c,
                                   int64_t row, int64_t column, int64_t count) {
  T values[kChunk];
  const Sum *sums = static_cast<const Sum *>(block.sums) +
                    (row - block.row) * block.sumRow + (column - block.column);
  Sum totals[kChunk];
  std::copy_n(sums, count, totals);
  for (int64_t part = 1; part < block.parts; ++part)
    for (int64_t j = 0; j < count; ++j)
      totals[j] = addWrapping(totals[j], sums[part * block.partStride + j]);
  for (int64_t j = 0; j < count; ++j)
    values[j] = static_cast<T>(totals[j]);
  int64_t offset =
      row * problem.cStrides.row + column * problem.cStrides.column;
  if (!block.inPlace) {
    T alpha = static_cast<T>(problem.alpha);
    if (alpha != T(1))
      for (int64_t j = 0; j < count; ++j)
        values[j] *= alpha;
    if (problem.scale == Scale::PerColumn)
      for (int64_t j = 0; j < count; ++j)
        values[j] *= static_cast<T>(pointers.scale[column + j]);
    if (problem.beta != 0)
      for (int64_t j = 0; j < count; ++j)
        values[j] +=
            static_cast<T>(problem.beta) *
            loadC<T>(problem.c, c, offset + j * problem.cStrides.column);
  }
  // The bias has the accumulator's type, or f32 if scales turn s32 sums into
  // real numbers.
  bool realBias = std::is_same_v<Sum, int32_t> && problem.scale != Scale::None;
  if (problem.bias == Bias::PerColumn)
    for (int64_t j = 0; j < count; ++j)
      values[j] +=
          realBias ? static_cast<T>(
                         static_cast<const float *>(pointers.bias)[column + j])
                   : static_cast<T>(
                         static_cast<const Sum *>(pointers.bias)[column + j]);
  if (problem.bias == Bias::PerRow)
    for (int64_t j = 0; j < count; ++j)
      values[j] +=
          realBias
              ? static_cast<T>(static_cast<const float *>(pointers.bias)[row])
              : static_cast<T>(static_cast<const Sum *>(pointers.bias)[row]);
  if (problem.activation == Activation::Relu)
    for (int64_t j = 0; j < count; ++j)
      values[j] = activate(values[j], Activation::Relu);
  else if (problem.activation != Activation::None)
    for (int64_t j = 0; j < count; ++j)
      values[j] = activate(values[j], problem.activation);
  storeTyped(problem.c, values, c, offset, problem.cStrides.column, count);
}

template <typename Sum, typename T>
static ASSAY_INLINE void finishBlock(const GemmProblem &problem,
                                     const EpilogueBlock &block,
                                     const GemmPointers &pointers, void *c) {
  for (int64_t row = block.row; row < block.row + block.rows; ++row)
    for (int64_t column = block.column; column < block.column + block.columns;
         column += kChunk)
      finishRow<Sum, T>(
          problem, block, pointers, c, row, column,
          std::min(kChunk, block.column + block.columns - column));
}

ASSAY_CLONES static void finishF32(const GemmProblem &problem,
                                   const EpilogueBlock &block,
                                   const GemmPointers &pointers, void *c) {
  finishBlock<float, float>(problem, block, pointers, c);
}
ASSAY_CLONES static void finishF64(const GemmProblem &problem,
                                   const EpilogueBlock &block,
                                   const GemmPointers &pointers, void *c) {
  finishBlock<double, double>(problem, block, pointers, c);
}
ASSAY_CLONES static void finishS32(const GemmProblem &problem,
                                   const EpilogueBlock &block,
                                   const GemmPointers &pointers, void *c) {
  finishBlock<int32_t, double>(problem, block, pointers, c);
}

void applyEpilogue(const GemmProblem &problem, const EpilogueBlock &block,
                   const GemmPointers &pointers, void *c) {
  if (problem.acc == DataType::F64)
    finishF64(problem, block, pointers, c);
  else if (problem.acc == DataType::F32)
    finishF32(problem, block, pointers, c);
  else
    finishS32(problem, block, pointers, c);
}

} // namespace assay::kernels
