/// The view that a kernel of Lapack.def has of a call: one column-major matrix
/// of the batch, and the library's routine.
#pragma once

#include "assay/reference/custom/CustomCalls.h"

#include <complex>
#include <cstring>
#include <limits>

namespace assay::reference {

/// Looks up a routine by its name in the shared library, which is loaded when
/// the first call is planned. Errors: Unsupported, naming the package to
/// install.
llvm::Expected<void *> lapackRoutine(llvm::StringRef symbol);

struct LapackProblem {
  mlir::Operation *op;
  void *routine;
  /// The dimensions, named by their letters in the signature.
  int m = 0, n = 0, k = 0, q = 0, r = 0, u = 0, v = 0;
  llvm::SmallVector<const std::byte *, 4> operands;
  llvm::SmallVector<std::byte *, 6> results;
  llvm::SmallVector<int64_t, 6> resultBytes;

  template <typename T> const T *in(size_t i) const {
    return reinterpret_cast<const T *>(operands[i]);
  }
  template <typename T> T *out(size_t i) const {
    return reinterpret_cast<T *>(results[i]);
  }
  /// Copies operand `from` to result `to` as its initial content; returns the
  /// result's memory.
  template <typename T> T *start(size_t from, size_t to) const {
    std::memcpy(results[to], operands[from],
                static_cast<size_t>(resultBytes[to]));
    return out<T>(to);
  }
  char letter(llvm::StringRef name, char fallback) const {
    return static_cast<char>(configIntOf(op, name, fallback));
  }
  template <typename... Parameters> int call(Parameters... parameters) const {
    return reinterpret_cast<int (*)(Parameters...)>(routine)(parameters...);
  }
};

/// LAPACKE's code for column-major matrices.
inline constexpr int kByColumns = 102;

/// A leading dimension: at least one, even for an empty matrix.
inline int leading(int rows) { return rows > 0 ? rows : 1; }

template <typename T> struct RealOf {
  using Type = T;
};
template <typename R> struct RealOf<std::complex<R>> {
  using Type = R;
};
template <typename T>
constexpr bool kIsComplex = !std::is_same_v<typename RealOf<T>::Type, T>;

/// The error for an argument that the routine refused (negative info), where
/// the call has no result for it.
inline llvm::Error refused(int info) {
  if (info >= 0)
    return llvm::Error::success();
  return makeError(ErrorCode::InvalidArgument,
                   "LAPACK refuses argument {0} of the routine", -info);
}

#define ASSAY_LAPACK(name, letters, symbol, signature, kernel, shadow)         \
  template <typename T> llvm::Error kernel(const LapackProblem &p);
#include "assay/reference/custom/Lapack.def"
#undef ASSAY_LAPACK

} // namespace assay::reference
