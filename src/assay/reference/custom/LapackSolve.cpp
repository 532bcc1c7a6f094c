// Factorisations and solvers. Results and their order are those of XLA's CPU
// handlers. Source: LAPACK Users' Guide; jax.lax.linalg's lowerings.
#include "assay/reference/custom/Lapack.h"

namespace assay::reference {

/// The first pivot that is NaN, counted from one; 0 if there is none. LAPACK's
/// own code reports it, but not every replacement library does.
template <typename T> static int firstNan(const T *a, int n) {
  for (int j = 0; j < n; ++j)
    if (T pivot = a[static_cast<int64_t>(j) * n + j]; pivot != pivot)
      return j + 1;
  return 0;
}

template <typename T> llvm::Error potrf(const LapackProblem &p) {
  T *a = p.start<T>(0, 0);
  int info = p.call(kByColumns, p.letter("uplo", 'L'), p.n, a, leading(p.n));
  *p.out<int>(1) = info != 0 ? info : firstNan(a, p.n);
  return llvm::Error::success();
}

template <typename T> llvm::Error getrf(const LapackProblem &p) {
  *p.out<int>(2) = p.call(kByColumns, p.m, p.n, p.start<T>(0, 0), leading(p.m),
                          p.out<int>(1));
  return llvm::Error::success();
}

template <typename T> llvm::Error geqrf(const LapackProblem &p) {
  return refused(p.call(kByColumns, p.m, p.n, p.start<T>(0, 0), leading(p.m),
                        p.out<T>(1)));
}

template <typename T> llvm::Error geqp3(const LapackProblem &p) {
  T *a = p.start<T>(0, 0);
  int *pivots = p.start<int>(1, 1);
  return refused(
      p.call(kByColumns, p.m, p.n, a, leading(p.m), pivots, p.out<T>(2)));
}

template <typename T> llvm::Error orgqr(const LapackProblem &p) {
  return refused(p.call(kByColumns, p.m, p.n, p.q, p.start<T>(0, 0),
                        leading(p.m), p.in<T>(1)));
}

template <typename T> llvm::Error ormqr(const LapackProblem &p) {
  bool left = configIntOf(p.op, "left", 1) != 0;
  bool transpose = configIntOf(p.op, "transpose", 0) != 0;
  if (p.r != (left ? p.m : p.n))
    return makeError(ErrorCode::InvalidArgument,
                     "the reflectors have {0} rows, expected {1}", p.r,
                     left ? p.m : p.n);
  char side = left ? 'L' : 'R';
  char form = !transpose ? 'N' : kIsComplex<T> ? 'C' : 'T';
  T *c = p.start<T>(2, 0);
  return refused(p.call(kByColumns, side, form, p.m, p.n, p.q, p.in<T>(0),
                        leading(p.r), p.in<T>(1), c, leading(p.m)));
}

// A BLAS routine: all its arguments are pointers, and it returns nothing.
template <typename T> llvm::Error trsm(const LapackProblem &p) {
  char side = p.letter("side", 'L'), uplo = p.letter("uplo", 'L'),
       form = p.letter("trans_x", 'N'), diagonal = p.letter("diag", 'N');
  bool known = llvm::StringRef("LR").contains(side) &&
               llvm::StringRef("LU").contains(uplo) &&
               llvm::StringRef("NTC").contains(form) &&
               llvm::StringRef("NU").contains(diagonal);
  if (!known || p.r != (side == 'L' ? p.m : p.n))
    return makeError(ErrorCode::InvalidArgument,
                     "a triangle of {0} rows beside {1} x {2} right-hand "
                     "sides, or a letter that the routine does not have",
                     p.r, p.m, p.n);
  T one(1);
  int rows = leading(p.r), lead = leading(p.m);
  using Routine = void (*)(const char *, const char *, const char *,
                           const char *, const int *, const int *, const T *,
                           const T *, const int *, T *, const int *);
  reinterpret_cast<Routine>(p.routine)(&side, &uplo, &form, &diagonal, &p.m,
                                       &p.n, &one, p.in<T>(0), &rows,
                                       p.start<T>(1, 0), &lead);
  return llvm::Error::success();
}

// JAX's lower diagonal has an unused first element.
template <typename T> llvm::Error gtsv(const LapackProblem &p) {
  T *lower = p.start<T>(0, 0), *middle = p.start<T>(1, 1),
    *upper = p.start<T>(2, 2), *b = p.start<T>(3, 3);
  *p.out<int>(4) = p.call(kByColumns, p.n, p.q, lower + (p.n > 0), middle,
                          upper, b, leading(p.n));
  return llvm::Error::success();
}

#define ASSAY_INSTANTIATE(kernel)                                              \
  template llvm::Error kernel<float>(const LapackProblem &);                   \
  template llvm::Error kernel<double>(const LapackProblem &);                  \
  template llvm::Error kernel<std::complex<float>>(const LapackProblem &);     \
  template llvm::Error kernel<std::complex<double>>(const LapackProblem &);
ASSAY_INSTANTIATE(potrf)
ASSAY_INSTANTIATE(getrf)
ASSAY_INSTANTIATE(geqrf)
ASSAY_INSTANTIATE(geqp3)
ASSAY_INSTANTIATE(orgqr)
ASSAY_INSTANTIATE(ormqr)
ASSAY_INSTANTIATE(trsm)
ASSAY_INSTANTIATE(gtsv)
#undef ASSAY_INSTANTIATE

} // namespace assay::reference
