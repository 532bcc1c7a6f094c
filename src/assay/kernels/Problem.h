/// A matrix multiplication as data: types, sizes, strides, scaling and
/// epilogue. It is cheap to copy and to hash, and says nothing about how the
/// product is computed. The letters m, n, k are those of docs/glossary.md.
#pragma once

#include "assay/numerics/ElementType.h"
#include "assay/support/Error.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace assay::kernels {

/// The element types that a kernel reads, sums in, or writes.
enum class DataType : uint8_t { F32, F64, BF16, F16, S8, U8, S32 };

int64_t sizeOf(DataType type);
/// "f32" "f64" "bf16" "f16" "s8" "u8" "s32".
const char *toString(DataType type);
std::optional<DataType> parseDataType(llvm::StringRef text);
/// The kernel type of a tensor's element type (i8 is s8, ui8 is u8, i32 is
/// s32); nullopt when kernels have none.
std::optional<DataType> dataTypeOf(numerics::ElementType type);
/// The element type of a kernel type.
numerics::ElementType elementTypeOf(DataType type);
/// The type of the sums: f64 for f64, s32 for 8-bit integers, f32 otherwise.
DataType accumulatorOf(DataType a);

/// Order in memory of A, B, C: r is row-major, c column-major (A is m x k, B is
/// k x n, C is m x n).
enum class Layout : uint8_t { RCR, RRR, CRR, CCR };
const char *toString(Layout layout);
std::optional<Layout> parseLayout(llvm::StringRef text);
inline bool aIsRowMajor(Layout layout) {
  return layout == Layout::RCR || layout == Layout::RRR;
}
inline bool bIsRowMajor(Layout layout) {
  return layout == Layout::RRR || layout == Layout::CRR;
}

/// The types for which there is a list of kernels: those of A and B ("f32", or
/// "u8s8" when they differ).
struct TypePair {
  DataType a = DataType::F32, b = DataType::F32;
  friend bool operator==(const TypePair &, const TypePair &) = default;
};
std::string toString(TypePair types);
/// Parses "f32", "bf16", "u8s8", "s8u8", ...
std::optional<TypePair> parseTypePair(llvm::StringRef text);

/// The strides of an operand in elements: between rows, columns and batch
/// entries. A stride of 0 broadcasts.
struct Strides {
  int64_t row = 0, column = 0, batch = 0;
  friend bool operator==(const Strides &, const Strides &) = default;
};

/// The bias that is added to each element of C: none, bias[j] (one per column)
/// or bias[i] (one per row), in the accumulator type.
enum class Bias : uint8_t { None, PerColumn, PerRow };
/// The factor of the sum before the bias: alpha, or an f32 scale[j] (one per
/// column).
enum class Scale : uint8_t { None, PerColumn };
/// The function applied last, before the rounding to the type of C.
enum class Activation : uint8_t {
  None,
  Relu,
  Tanh,
  GeluTanh,
  GeluErf,
  Logistic
};
const char *toString(Activation activation);

/// One matrix multiplication.
/// Formula:  C[b,i,j] = round(act(alpha * scale[j] * sum_p A[b,i,p] * B[b,p,j]
///           + bias + beta * C[b,i,j])), beta == 0 never reads C
/// Types:    sums in `acc`; C is `acc`, or any float type (f32 sums), or s8 |
///           u8 | s32 | f32 (s32 sums; rounded to nearest even and saturated)
/// Shapes:   m, n, k or batch 0 is allowed (k == 0: the sum is 0)
/// Units:    strides in elements; those of C may be any that do not overlap
struct GemmProblem {
  DataType a = DataType::F32, b = DataType::F32, acc = DataType::F32,
           c = DataType::F32;
  int64_t m = 0, n = 0, k = 0, batch = 1;
  Strides aStrides, bStrides, cStrides;
  double alpha = 1, beta = 0;
  Bias bias = Bias::None;
  Scale scale = Scale::None;
  Activation activation = Activation::None;
  int threads = 1;

  /// Dense operands of a layout; C gets the type of the sums.
  static GemmProblem make(TypePair types, Layout layout, int64_t m, int64_t n,
                          int64_t k, int64_t batch = 1, int threads = 1);

  friend bool operator==(const GemmProblem &, const GemmProblem &) = default;

  TypePair types() const { return {a, b}; }
  double flops() const {
    return 2.0 * double(m) * double(n) * double(k) * double(batch);
  }
  /// Bytes of A, B and C, each counted once.
  double bytes() const;
  /// The layout of these strides; nullopt when an operand has no unit stride.
  std::optional<Layout> layout() const;
  /// True when the strides fit this layout, even if they also fit another: a
  /// side of one element is row- and column-major at once.
  bool isOf(Layout layout) const;
  /// The layout under which models and their kernels are looked up: rcr, the
  /// layout of models, if the strides fit it; else layout(), or rcr.
  Layout modelLayout() const;
  /// True when an operation other than alpha and beta follows the sum, or C is
  /// not of the accumulator's type.
  bool hasEpilogue() const;
  uint64_t hash() const;
};

/// "f32 rcr 128x4096x4096 b1 t2": for messages and tables (m x n x k).
std::string toString(const GemmProblem &problem);
/// The same under one of the layouts that it fits.
std::string toString(const GemmProblem &problem, Layout layout);

/// Refuses negative sizes, sizes whose product overflows, and type combinations
/// that have no meaning. Errors: InvalidArgument, Unsupported.
std::optional<Refusal> validate(const GemmProblem &problem);

/// The addresses for one call. bias is in the accumulator's type (f32 when
/// scales are applied before C is written), scale is f32.
struct GemmPointers {
  const void *a = nullptr, *b = nullptr;
  void *c = nullptr;
  const void *bias = nullptr;
  const float *scale = nullptr;
};

} // namespace assay::kernels
