/// What a kernel of Lapack.def sees: one matrix of the batch, column-major, and
/// the routine of the library.
#pragma once

#include "assay/reference/custom/CustomCalls.h"

#include <complex>
#include <cstring>
#include <limits>

namespace assay::reference {

/// A routine by its name in the shared library, which is loaded when the first
/// call is planned. Errors: Unsupported with the package to install.
llvm::Expected<void *> lapackRoutine(llvm::StringRef symbol);

struct LapackProblem {
  mlir::Operation *op;
  void *routine;
  /// The dimensions by their letters in the signature.
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
  /// Result `to` starts as operand `from`; returns its memory.
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

/// LAPACKE's name for matrices stored by columns.
inline constexpr int kByColumns = 102;

/// A leading dimension: at least one, also of an empty matrix.
inline int leading(int rows) { return rows > 0 ? rows : 1; }

template <typename T> struct RealOf {
  using Type = T;
};
template <typename R> struct RealOf<std::complex<R>> {
  using Type = R;
};
template <typename T>
constexpr bool kIsComplex = !std::is_same_v<typename RealOf<T>::Type, T>;

/// An argument that the routine refused (a negative number), where the call has
/// no result that says so.
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
