// tridiagonal_solve_perturbed_ffi, which jax.scipy.linalg.eigh_tridiagonal
// calls for its inverse iteration: solves A X = B for a tridiagonal A that may
// be singular. Gaussian elimination with row exchanges; a pivot that is too
// small to divide by is moved by eps * max |U|, then by twice as much, and so
// on. The operands are dl (dl[0] is unused), d, du (its last element is
// unused), B.
// Source: the pivot rule of LAPACK's xLAGTF and xLAGTS (job -1);
// jax.lax.linalg.tridiagonal_solve(perturb_singular=True).
#include "assay/reference/custom/CustomCalls.h"

#include <cmath>
#include <complex>
#include <limits>

namespace assay::reference {

using numerics::FloatFormat;

namespace {
/// The real type of T: float for float and for complex<float>.
template <typename T> using RealOf = decltype(std::abs(T()));

/// U has three diagonals, because a row exchange fills the third.
template <typename T> struct Upper {
  std::vector<T> diagonal, first, second;
  RealOf<T> largest = 0;
};
/// One system: n rows, `columns` right-hand sides.
template <typename T> struct System {
  const T *lower, *middle, *upper;
  T *b; ///< [n, columns]; overwritten with the solution
  int64_t n, columns;

  T *row(int64_t i) const { return b + i * columns; }
};
} // namespace

template <typename T> static Upper<T> eliminate(const System<T> &s) {
  auto n = static_cast<size_t>(s.n);
  Upper<T> u{std::vector<T>(s.middle, s.middle + n),
             std::vector<T>(s.upper, s.upper + n), std::vector<T>(n)};
  u.first.back() = 0;
  for (size_t i = 0; i + 1 < n; ++i) {
    T below = s.lower[i + 1];
    bool exchanges = std::abs(below) > std::abs(u.diagonal[i]);
    if (exchanges) {
      // Exchange rows i and i + 1; the former row i is then eliminated.
      std::swap(u.diagonal[i], below);
      std::swap(u.first[i], u.diagonal[i + 1]);
      std::swap(u.second[i], u.first[i + 1]);
      std::swap_ranges(s.row(i), s.row(i + 1), s.row(i + 1));
    }
    T factor = u.diagonal[i] == T(0) ? T(0) : below / u.diagonal[i];
    u.diagonal[i + 1] -= factor * u.first[i];
    u.first[i + 1] -= factor * u.second[i];
    for (int64_t c = 0; c < s.columns; ++c)
      s.row(i + 1)[c] -= factor * s.row(i)[c];
  }
  for (const auto *diagonal : {&u.diagonal, &u.first, &u.second})
    for (T value : *diagonal)
      u.largest = std::max(u.largest, std::abs(value));
  return u;
}

/// value / pivot; a pivot for which that overflows is moved away from zero.
template <typename T> static T divided(T value, T pivot, RealOf<T> largest) {
  using Real = RealOf<T>;
  constexpr Real kEps = std::numeric_limits<Real>::epsilon() / 2,
                 kLeast = std::numeric_limits<Real>::min();
  Real step = std::copysign(
      largest == 0 ? kEps : std::max(kEps * largest, kLeast), std::real(pivot));
  while (std::abs(pivot) < 1 &&
         (pivot == T(0) || std::abs(value) * kLeast > std::abs(pivot))) {
    pivot += step;
    step *= 2;
  }
  return value / pivot;
}

template <typename T> static void solve(const System<T> &s) {
  Upper<T> u = eliminate(s);
  for (int64_t i = s.n; i-- > 0;)
    for (int64_t c = 0; c < s.columns; ++c) {
      auto at = static_cast<size_t>(i);
      T value = s.row(i)[c];
      if (i + 1 < s.n)
        value -= u.first[at] * s.row(i + 1)[c];
      if (i + 2 < s.n)
        value -= u.second[at] * s.row(i + 2)[c];
      s.row(i)[c] = divided(value, u.diagonal[at], u.largest);
    }
}

template <typename T> static llvm::Error solveAll(StepContext &context) {
  std::vector<Tensor> operands;
  for (unsigned i = 0; i < 4; ++i) {
    llvm::Expected<Tensor> dense = context.dense(i);
    if (!dense)
      return dense.takeError();
    operands.push_back(std::move(*dense));
  }
  llvm::ArrayRef<int64_t> shape = operands[3].shape();
  int64_t n = shape[shape.size() - 2], columns = shape.back();
  T *b = context.out(0).mutableData<T>();
  std::copy_n(operands[3].data<T>(), operands[3].size(), b);
  int64_t count = n == 0 ? 0 : operands[1].size() / n;
  for (int64_t i = 0; i < count; ++i)
    solve(System<T>{
        operands[0].data<T>() + i * n, operands[1].data<T>() + i * n,
        operands[2].data<T>() + i * n, b + i * n * columns, n, columns});
  return llvm::Error::success();
}

/// The solver for an element type; null for unsupported types.
static auto stepOf(ElementType type) -> llvm::Error (*)(StepContext &) {
  if (type == ElementType::floating(FloatFormat::F32))
    return solveAll<float>;
  if (type == ElementType::floating(FloatFormat::F64))
    return solveAll<double>;
  if (type == ElementType::complex(FloatFormat::F32))
    return solveAll<std::complex<float>>;
  if (type == ElementType::complex(FloatFormat::F64))
    return solveAll<std::complex<double>>;
  return nullptr;
}

llvm::Expected<std::unique_ptr<Step>> tridiagonalSolve(const StepSpec &spec) {
  bool fits = spec.operands.size() == 4 && spec.results.size() == 1;
  if (fits) {
    const TensorType &b = spec.operands[3];
    Shape vectors = b.shape;
    fits = vectors.size() >= 2 && spec.results[0] == b && stepOf(b.element);
    if (fits)
      vectors.pop_back();
    for (size_t i = 0; fits && i < 3; ++i)
      fits = spec.operands[i] == TensorType{b.element, vectors};
  }
  if (!fits)
    return makeError(ErrorCode::InvalidArgument,
                     "expected three diagonals and right-hand sides of f32, "
                     "f64 or complex numbers of them, [..., n] and [..., n, "
                     "k], and a result of the type "
                     "of the latter");
  return program::makeStep(stepOf(spec.operands[3].element));
}

} // namespace assay::reference
