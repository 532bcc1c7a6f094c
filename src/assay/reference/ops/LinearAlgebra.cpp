// cholesky and triangular_solve, batch by batch, in f64 for narrower types
// (binary128 for f64 and its shadow), with one rounding at the end.
// Formula:  cholesky: L[j,j] = sqrt(a[j,j] - sum_k L[j,k]^2),
//           L[i,j] = (a[i,j] - sum_k L[i,k] conj(L[j,k])) / L[j,j];
//           a matrix that is not positive definite gives NaN.
//           triangular_solve: forward or backward substitution.
// Source:   StableHLO specification, cholesky, triangular_solve; Golub and Van
//           Loan, Matrix Computations, 4.2, 3.1.
#include "assay/dialect/Stablehlo.h"
#include "assay/numerics/Convert.h"
#include "assay/reference/Ops.h"

#include <cmath>
#include <complex>
#include <quadmath.h>

namespace assay::reference {

using numerics::ElementType;
using numerics::FloatFormat;

namespace {

double squareRoot(double x) { return std::sqrt(x); }
__float128 squareRoot(__float128 x) { return sqrtq(x); }

// A complex number with parts of any type; real problems have zero imaginary
// parts.
template <typename Real> struct Number {
  Real re = 0, im = 0;
  friend Number operator-(Number a, Number b) {
    return {a.re - b.re, a.im - b.im};
  }
  friend Number operator*(Number a, Number b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend Number operator/(Number a, Number b) {
    if (b.im == 0)
      return {a.re / b.re, a.im / b.re};
    Real d = b.re * b.re + b.im * b.im;
    return {(a.re * b.re + a.im * b.im) / d, (a.im * b.re - a.re * b.im) / d};
  }
  Number conj() const { return {re, -im}; }
};

template <typename Real>
constexpr FloatFormat kFormat =
    sizeof(Real) == 16 ? FloatFormat::F128 : FloatFormat::F64;

template <typename Real>
llvm::Expected<std::vector<Number<Real>>> load(StepContext &context,
                                               size_t operand) {
  llvm::Expected<Tensor> dense = context.dense(operand);
  if (!dense)
    return dense.takeError();
  std::vector<Number<Real>> values(static_cast<size_t>(dense->size()));
  numerics::convertArray(dense->elementType(), dense->bytes(),
                         ElementType::complex(kFormat<Real>), values.data(),
                         dense->size());
  return values;
}

template <typename Real>
void store(StepContext &context, ElementType type,
           const std::vector<Number<Real>> &values) {
  numerics::convertArray(ElementType::complex(kFormat<Real>), values.data(),
                         type, context.out(0).mutableBytes(),
                         static_cast<int64_t>(values.size()));
}

template <typename Real> void factor(Number<Real> *a, int64_t n, bool lower) {
  // Works on the lower triangle; an upper factor is the conjugate transpose of
  // the lower one.
  auto at = [&](int64_t i, int64_t j) -> Number<Real> & {
    return lower ? a[i * n + j] : a[j * n + i];
  };
  if (!lower)
    for (int64_t i = 0; i < n * n; ++i)
      a[i] = a[i].conj();
  bool valid = true;
  for (int64_t j = 0; j < n; ++j) {
    Real d = at(j, j).re;
    for (int64_t k = 0; k < j; ++k)
      d -= at(j, k).re * at(j, k).re + at(j, k).im * at(j, k).im;
    valid &= d > 0;
    Real root = squareRoot(d);
    at(j, j) = {root, 0};
    for (int64_t i = j + 1; i < n; ++i) {
      Number<Real> sum = at(i, j);
      for (int64_t k = 0; k < j; ++k)
        sum = sum - at(i, k) * at(j, k).conj();
      at(i, j) = sum / Number<Real>{root, 0};
    }
  }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      if (j > i)
        at(i, j) = {0, 0};
      else if (!valid)
        at(i, j) = {Real(NAN), 0};
    }
  if (!lower)
    for (int64_t i = 0; i < n * n; ++i)
      a[i] = a[i].conj();
}

struct Solve {
  bool left, lower, unit, transpose, adjoint;
};

// Solves op(a) x = b for one right-hand side with elements `stride` apart.
template <typename Real>
void substitute(const Number<Real> *a, int64_t n, Number<Real> *b,
                int64_t stride, bool lower, bool unit, bool transpose,
                bool conjugate) {
  auto at = [&](int64_t i, int64_t j) {
    Number<Real> value = transpose ? a[j * n + i] : a[i * n + j];
    return conjugate ? value.conj() : value;
  };
  bool forward = lower != transpose;
  for (int64_t step = 0; step < n; ++step) {
    int64_t i = forward ? step : n - 1 - step;
    Number<Real> sum = b[i * stride];
    for (int64_t k = 0; k < step; ++k) {
      int64_t j = forward ? k : n - 1 - k;
      sum = sum - at(i, j) * b[j * stride];
    }
    b[i * stride] = unit ? sum : sum / at(i, i);
  }
}

template <typename Real>
llvm::Error runCholesky(StepContext &context, const TensorType &type,
                        bool lower) {
  llvm::Expected<std::vector<Number<Real>>> values = load<Real>(context, 0);
  if (!values)
    return values.takeError();
  int64_t n = type.shape.back();
  for (size_t first = 0; n > 0 && first < values->size();
       first += static_cast<size_t>(n * n))
    factor(values->data() + first, n, lower);
  store(context, type.element, *values);
  return llvm::Error::success();
}

template <typename Real>
llvm::Error runSolve(StepContext &context, const TensorType &type,
                     const Solve &solve) {
  llvm::Expected<std::vector<Number<Real>>> a = load<Real>(context, 0),
                                            b = load<Real>(context, 1);
  if (!a) {
    llvm::consumeError(b.takeError());
    return a.takeError();
  }
  if (!b)
    return b.takeError();
  int64_t rows = type.shape[type.shape.size() - 2], cols = type.shape.back(),
          n = solve.left ? rows : cols;
  size_t batches =
      rows * cols == 0 ? 0 : b->size() / static_cast<size_t>(rows * cols);
  for (size_t batch = 0; batch < batches; ++batch) {
    const Number<Real> *matrix = a->data() + batch * static_cast<size_t>(n * n);
    Number<Real> *values = b->data() + batch * static_cast<size_t>(rows * cols);
    bool transposed = solve.transpose || solve.adjoint;
    if (solve.left)
      for (int64_t c = 0; c < cols; ++c)
        substitute(matrix, n, values + c, cols, solve.lower, solve.unit,
                   transposed, solve.adjoint);
    else // x op(a) = b: solve the transposed problem for each row
      for (int64_t r = 0; r < rows; ++r)
        substitute(matrix, n, values + r * cols, int64_t{1}, solve.lower,
                   solve.unit, !transposed, solve.adjoint);
  }
  store(context, type.element, *b);
  return llvm::Error::success();
}

bool needsQuad(const TensorType &type) {
  return type.element.format == FloatFormat::F64 ||
         type.element.format == FloatFormat::F128;
}

} // namespace

llvm::Expected<std::unique_ptr<Step>> cholesky(const StepSpec &spec) {
  bool lower = flagOf(spec.op, "lower");
  return program::makeStep(
      [type = spec.results[0], lower](StepContext &context) {
        return needsQuad(type) ? runCholesky<__float128>(context, type, lower)
                               : runCholesky<double>(context, type, lower);
      });
}

llvm::Expected<std::unique_ptr<Step>> triangularSolve(const StepSpec &spec) {
  auto transpose =
      mlir::cast<stablehlo::TriangularSolveOp>(spec.op).getTransposeA();
  Solve solve{flagOf(spec.op, "left_side"), flagOf(spec.op, "lower"),
              flagOf(spec.op, "unit_diagonal"),
              transpose == stablehlo::Transpose::TRANSPOSE,
              transpose == stablehlo::Transpose::ADJOINT};
  return program::makeStep(
      [type = spec.results[0], solve](StepContext &context) {
        return needsQuad(type) ? runSolve<__float128>(context, type, solve)
                               : runSolve<double>(context, type, solve);
      });
}

} // namespace assay::reference
