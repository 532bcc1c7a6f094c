// Eigenvalues, singular values, and the reductions that precede them. Results
// and their order are those of XLA's CPU handlers. A matrix that is not finite
// is not passed to a routine, which might never return; its info is -4, as in
// XLA. Source: LAPACK Users' Guide; jax.lax.linalg's lowerings.
#include "assay/reference/custom/Lapack.h"

#include <cmath>

namespace assay::reference {

template <typename T> static bool isFinite(T value) {
  if constexpr (kIsComplex<T>)
    return std::isfinite(value.real()) && std::isfinite(value.imag());
  else
    return std::isfinite(value);
}

/// Whether every element of operand 0 is finite; if not, sets `info`.
template <typename T>
static bool hasFiniteMatrix(const LapackProblem &p, int rows, int *info) {
  const T *a = p.in<T>(0);
  int64_t count = static_cast<int64_t>(rows) * p.n;
  if (std::all_of(a, a + count, isFinite<T>))
    return true;
  *info = -4;
  return false;
}

template <typename T> llvm::Error syevd(const LapackProblem &p) {
  using Real = typename RealOf<T>::Type;
  *p.out<int>(2) =
      p.call(kByColumns, p.letter("mode", 'V'), p.letter("uplo", 'L'), p.n,
             p.start<T>(0, 0), leading(p.n), p.out<Real>(1));
  return llvm::Error::success();
}

template <typename T> llvm::Error sytrd(const LapackProblem &p) {
  using Real = typename RealOf<T>::Type;
  *p.out<int>(4) =
      p.call(kByColumns, p.letter("uplo", 'L'), p.n, p.start<T>(0, 0),
             leading(p.n), p.out<Real>(1), p.out<Real>(2), p.out<T>(3));
  return llvm::Error::success();
}

template <typename T> llvm::Error gehrd(const LapackProblem &p) {
  auto low = static_cast<int>(configIntOf(p.op, "low", 1)),
       high = static_cast<int>(configIntOf(p.op, "high", p.n));
  *p.out<int>(2) = p.call(kByColumns, p.n, low, high, p.start<T>(0, 0),
                          leading(p.n), p.out<T>(1));
  return llvm::Error::success();
}

/// The job letter for the requested singular vectors. Errors where the results
/// cannot hold them.
static llvm::Expected<char> vectorsOf(const LapackProblem &p) {
  char mode = p.letter("mode", 'A');
  bool fits = mode == 'N' || (mode == 'A' && p.u == p.m && p.v == p.n) ||
              (mode == 'S' && p.u == p.k && p.v == p.k);
  if (!fits)
    return makeError(ErrorCode::Unsupported,
                     "singular vectors in mode '{0}' do not fit results of "
                     "{1} columns and {2} rows",
                     mode, p.u, p.v);
  return mode;
}

template <typename T> llvm::Error gesdd(const LapackProblem &p) {
  using Real = typename RealOf<T>::Type;
  llvm::Expected<char> mode = vectorsOf(p);
  if (!mode)
    return mode.takeError();
  T *a = p.start<T>(0, 0);
  if (hasFiniteMatrix<T>(p, p.m, p.out<int>(4)))
    *p.out<int>(4) =
        p.call(kByColumns, *mode, p.m, p.n, a, leading(p.m), p.out<Real>(1),
               p.out<T>(2), leading(p.m), p.out<T>(3), leading(p.v));
  return llvm::Error::success();
}

template <typename T> llvm::Error gesvd(const LapackProblem &p) {
  using Real = typename RealOf<T>::Type;
  llvm::Expected<char> mode = vectorsOf(p);
  if (!mode)
    return mode.takeError();
  T *a = p.start<T>(0, 0);
  std::vector<Real> rest(static_cast<size_t>(p.k) + 1);
  if (hasFiniteMatrix<T>(p, p.m, p.out<int>(4)))
    *p.out<int>(4) = p.call(kByColumns, *mode, *mode, p.m, p.n, a, leading(p.m),
                            p.out<Real>(1), p.out<T>(2), leading(p.m),
                            p.out<T>(3), leading(p.v), rest.data());
  return llvm::Error::success();
}

/// LAPACK stores a pair of conjugate eigenvectors in two real columns.
template <typename T>
static void unpackVectors(int n, const T *imaginary,
                          const std::vector<T> &packed, std::complex<T> *to) {
  for (int j = 0; j < n; ++j) {
    const T *column = packed.data() + static_cast<size_t>(j) * n;
    bool pair = imaginary[j] != 0 && j + 1 < n;
    for (int i = 0; i < n; ++i) {
      std::complex<T> value(column[i], pair ? column[n + i] : T(0));
      to[static_cast<size_t>(j) * n + i] = value;
      if (pair)
        to[static_cast<size_t>(j + 1) * n + i] = std::conj(value);
    }
    j += pair;
  }
}

template <typename T> llvm::Error geevReal(const LapackProblem &p) {
  char left = p.letter("compute_left", 'N'),
       right = p.letter("compute_right", 'V');
  int *info = p.out<int>(4), lead = leading(p.n);
  if (!hasFiniteMatrix<T>(p, p.n, info))
    return llvm::Error::success();
  size_t count = static_cast<size_t>(p.n) * p.n;
  std::vector<T> a(p.in<T>(0), p.in<T>(0) + count), lefts(count + 1),
      rights(count + 1);
  *info = p.call(kByColumns, left, right, p.n, a.data(), lead, p.out<T>(0),
                 p.out<T>(1), lefts.data(), lead, rights.data(), lead);
  if (left == 'V')
    unpackVectors(p.n, p.out<T>(1), lefts, p.out<std::complex<T>>(2));
  if (right == 'V')
    unpackVectors(p.n, p.out<T>(1), rights, p.out<std::complex<T>>(3));
  return llvm::Error::success();
}

template <typename T> llvm::Error geevComplex(const LapackProblem &p) {
  int *info = p.out<int>(3), lead = leading(p.n);
  if (!hasFiniteMatrix<T>(p, p.n, info))
    return llvm::Error::success();
  std::vector<T> a(p.in<T>(0), p.in<T>(0) + static_cast<size_t>(p.n) * p.n);
  *info = p.call(kByColumns, p.letter("compute_left", 'N'),
                 p.letter("compute_right", 'V'), p.n, a.data(), lead,
                 p.out<T>(0), p.out<T>(1), lead, p.out<T>(2), lead);
  return llvm::Error::success();
}

/// The type of a function that selects eigenvalues; null here, so they are
/// unsorted.
using Choice = int (*)(const void *, const void *);

static llvm::Error unsorted(const LapackProblem &p) {
  if (p.letter("sort", 'N') == 'N')
    return llvm::Error::success();
  return makeError(ErrorCode::Unsupported,
                   "eigenvalues in an order that a function chooses");
}

template <typename T> llvm::Error geesReal(const LapackProblem &p) {
  if (llvm::Error error = unsorted(p))
    return error;
  T *a = p.start<T>(0, 0);
  if (hasFiniteMatrix<T>(p, p.n, p.out<int>(5)))
    *p.out<int>(5) =
        p.call(kByColumns, p.letter("mode", 'V'), 'N', Choice(nullptr), p.n, a,
               leading(p.n), p.out<int>(4), p.out<T>(2), p.out<T>(3),
               p.out<T>(1), leading(p.n));
  return llvm::Error::success();
}

template <typename T> llvm::Error geesComplex(const LapackProblem &p) {
  if (llvm::Error error = unsorted(p))
    return error;
  T *a = p.start<T>(0, 0);
  if (hasFiniteMatrix<T>(p, p.n, p.out<int>(4)))
    *p.out<int>(4) = p.call(
        kByColumns, p.letter("mode", 'V'), 'N', Choice(nullptr), p.n, a,
        leading(p.n), p.out<int>(3), p.out<T>(2), p.out<T>(1), leading(p.n));
  return llvm::Error::success();
}

#define ASSAY_REAL(kernel)                                                     \
  template llvm::Error kernel<float>(const LapackProblem &);                   \
  template llvm::Error kernel<double>(const LapackProblem &);
#define ASSAY_COMPLEX(kernel)                                                  \
  template llvm::Error kernel<std::complex<float>>(const LapackProblem &);     \
  template llvm::Error kernel<std::complex<double>>(const LapackProblem &);
#define ASSAY_BOTH(kernel) ASSAY_REAL(kernel) ASSAY_COMPLEX(kernel)
ASSAY_BOTH(syevd)
ASSAY_BOTH(sytrd)
ASSAY_BOTH(gehrd)
ASSAY_BOTH(gesdd)
ASSAY_BOTH(gesvd)
ASSAY_REAL(geevReal)
ASSAY_REAL(geesReal)
ASSAY_COMPLEX(geevComplex)
ASSAY_COMPLEX(geesComplex)
#undef ASSAY_BOTH
#undef ASSAY_COMPLEX
#undef ASSAY_REAL

} // namespace assay::reference
