// Triangular systems and Cholesky factors, as operations and as LAPACK's calls.
// T is the triangle with its unknowns in the order of substitution, W = |T^-1|,
// u_i = gamma(roundings of row i), dT and db the errors of the operands:
//
//   solve    (T + E)(x + e) = b + db with |E| <= G = dT + u_i (|T| + dT)
//            y = W (|b| + db + G y),  |e_i| <= (W (db + G y))_i + u_i y_i
//   factor   A + E = (L + dL)(L + dL)^H with |E_ij| <= dA_ij + u sqrt(a_ii a_jj)
//            F = W |E| W^T, f = ||F||_F < 1/2:  |dL| <= |L| Phi(F + k^2)
//            k = (1 - sqrt(1 - 2 f)) / sqrt(2); Phi halves the diagonal
//
// y is at least |x|, and at least the solution that comes from inverting blocks
// on the diagonal and multiplying by them, as libraries do. Sources: N. Higham,
// "Accuracy and Stability of Numerical Algorithms", 2nd ed., theorem 8.5,
// sections 10.1 and 14.2; Drmac, Omladic and Veselic, "On the perturbation of
// the Cholesky factorization", 1994. Where f is 1/2 or more, or a pivot may be
// zero, the bound is infinite.
#include "assay/dialect/Stablehlo.h"
#include "assay/judge/SumBounds.h"
#include "assay/judge/program/ErrorTracker.h"
#include "assay/reference/custom/CustomCalls.h"

#include <cmath>
#include <complex>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using numerics::FloatFormat;
using program::Value;

namespace {
/// A triangle within a square matrix, and which unknown is found first.
struct Triangle {
  size_t n = 0;
  bool lower = true, unit = false, transposed = false;

  /// Where row i and column j in the order of substitution are stored.
  size_t at(size_t i, size_t j) const {
    size_t row = place(i), column = place(j);
    return transposed ? column * n + row : row * n + column;
  }
  size_t place(size_t i) const { return lower != transposed ? i : n - 1 - i; }
};

/// A system: the triangle, and the right-hand sides in columns or rows.
struct Solve {
  Triangle triangle;
  bool left = true;
};
} // namespace

static llvm::StringRef targetOf(mlir::Operation *op) {
  auto target = op->getAttrOfType<mlir::StringAttr>("call_target_name");
  llvm::StringRef name = target ? target.getValue() : "";
  return name.consume_front("lapack_") && name.consume_back("_ffi")
             ? name.drop_front()
             : "";
}

static Solve solveOf(mlir::Operation *op) {
  Solve solve;
  bool transposed = false;
  if (auto plain = mlir::dyn_cast<stablehlo::TriangularSolveOp>(op)) {
    solve.left = plain.getLeftSide();
    solve.triangle.lower = plain.getLower();
    solve.triangle.unit = plain.getUnitDiagonal();
    transposed = plain.getTransposeA() == stablehlo::Transpose::TRANSPOSE ||
                 plain.getTransposeA() == stablehlo::Transpose::ADJOINT;
  } else {
    using reference::configIntOf;
    solve.left = configIntOf(op, "side", 'L') == 'L';
    solve.triangle.lower = configIntOf(op, "uplo", 'L') == 'L';
    solve.triangle.unit = configIntOf(op, "diag", 'N') == 'U';
    transposed = configIntOf(op, "trans_x", 'N') != 'N';
  }
  // x op(T) = b is op(T)^T x^T = b^T.
  solve.triangle.transposed = transposed == solve.left;
  return solve;
}

namespace {
/// The sizes of one rounding and of one underflow.
struct Roundings {
  double unit, lost, stored = 0;
  bool isComplex;

  Roundings(ElementType type, bool isCall)
      : unit(sumUnit(type)), lost(unit == 0x1p-53 ? 0x1p-1022 : 0x1p-126),
        isComplex(type.isComplex()) {
    if (isCall) // the expected result was rounded in f64
      unit += 0x1p-53;
    if (type.format != FloatFormat::F64 && type.format != FloatFormat::F32)
      stored = halfUlp(1, type);
    unit += 0x1p-64; // of W
  }
  /// Products, sums and quotients of complex numbers: section 3.6.
  double gamma(double depth) const {
    return depth == 0 ? 0
                      : theoremBound(depth + (isComplex ? 12 : 0), unit);
  }
};

/// |T| with the errors, and W.
struct Sizes {
  std::vector<double> t, errors, inverse;
};
} // namespace

/// |T^-1|, column by column. Its own error, gamma |T^-1||T|W, is as one of T.
template <typename Wide>
static std::vector<double> inverseSizes(const std::vector<Wide> &t, size_t n) {
  std::vector<double> sizes(n * n, 0.0);
  std::vector<Wide> x(n);
  for (size_t c = 0; c < n; ++c)
    for (size_t i = c; i < n; ++i) {
      Wide sum = i == c ? 1 : 0;
      for (size_t k = c; k < i; ++k)
        sum -= t[i * n + k] * x[k];
      x[i] = sum / t[i * n + i];
      sizes[i * n + c] = static_cast<double>(std::abs(x[i]));
    }
  return sizes;
}

/// The triangle of one matrix of a batch of `values`, which begins at `first`.
static Sizes sizesOf(llvm::ArrayRef<double> values, bool isComplex,
                     const Errors &errors, size_t first,
                     const Triangle &triangle) {
  size_t n = triangle.n;
  std::vector<std::complex<long double>> t(n * n);
  std::vector<long double> real(n * n);
  Sizes sizes{std::vector<double>(n * n), std::vector<double>(n * n), {}};
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j <= i; ++j) {
      size_t from = first + triangle.at(i, j), to = i * n + j;
      bool isOne = triangle.unit && i == j;
      if (isOne)
        t[to] = 1;
      else if (isComplex)
        t[to] = {values[2 * from], values[2 * from + 1]};
      else
        t[to] = values[from];
      real[to] = t[to].real();
      sizes.t[to] = static_cast<double>(std::abs(t[to]));
      if (errors && !isOne)
        sizes.errors[to] = (isComplex ? M_SQRT2 : 1) * (*errors)[from];
    }
  sizes.inverse = isComplex ? inverseSizes(t, n) : inverseSizes(real, n);
  return sizes;
}

/// The bounds of one right-hand side. `b` its sizes, `moved` its errors.
static std::vector<double> boundsOfSide(const Sizes &sizes,
                                        const Triangle &triangle,
                                        const Roundings &roundings,
                                        llvm::ArrayRef<double> b,
                                        llvm::ArrayRef<double> moved) {
  size_t n = triangle.n;
  std::vector<double> y(n), forces(n), errors(n), out(n);
  for (size_t i = 0; i < n; ++i) {
    const double *t = sizes.t.data() + i * n, *w = sizes.inverse.data() + i * n,
                 *dt = sizes.errors.data() + i * n;
    double depth = (i ? static_cast<double>(i) + 1 : 0) + (triangle.unit ? 0 : 2),
           u = roundings.gamma(depth),
           error = moved[i] + depth * roundings.lost, before = 0, above = 0;
    auto allowed = [&](size_t j) { return dt[j] + u * (t[j] + dt[j]); };
    for (size_t k = 0; k < i; ++k) {
      error += allowed(k) * y[k];
      before += w[k] * forces[k];
      above += w[k] * errors[k];
    }
    double own = allowed(i) + roundings.stored * t[i],
           rest = 1 - w[i] * own;
    y[i] = rest > 0 ? (before + w[i] * (b[i] + error)) / rest : INFINITY;
    errors[i] = error + own * y[i];
    forces[i] = b[i] + errors[i];
    out[i] = above + w[i] * errors[i] + u * y[i];
  }
  return out;
}

/// A NaN in a right-hand side or a row of the triangle must reach the results
/// that depend on it, whatever the algorithm; one that only arises is open.
/// With an inverted block (`spreads`) the rows before it get it, too.
static void requireGivenNan(const Sizes &sizes, llvm::ArrayRef<double> b,
                            bool spreads, std::vector<double> &out) {
  size_t n = b.size();
  bool given = false;
  for (size_t i = 0; i < n; ++i) {
    given |= std::isnan(b[i]);
    for (size_t j = 0; j <= i; ++j)
      given |= std::isnan(sizes.t[i * n + j]);
    if (given)
      out[i] = 0;
  }
  auto isFinite = [](double x) { return std::isfinite(x); };
  if (spreads && !(llvm::all_of(b, isFinite) && llvm::all_of(sizes.t, isFinite)))
    for (double &e : out)
      e = e == 0 ? 0 : INFINITY;
}

namespace {
/// Right-hand sides of one matrix, one after the other.
struct Sides {
  size_t count, stride, step; ///< step: from one row of the triangle to the next
};
} // namespace

static BoundResult solveBound(BoundRequest &r) {
  Solve solve = solveOf(r.op);
  const tensor::Shape &shape = r.results[0].tensor().type().shape;
  auto rows = static_cast<size_t>(shape[shape.size() - 2]),
       columns = static_cast<size_t>(shape.back());
  Triangle &triangle = solve.triangle;
  triangle.n = solve.left ? rows : columns;
  Sides sides = solve.left ? Sides{columns, 1, columns} : Sides{rows, columns, 1};
  ElementType type = r.results[0].tensor().elementType();
  Roundings roundings(type, r.op->hasAttr("call_target_name"));
  std::vector<double> t = exactValues(*r.operands[0]),
                      b = magnitudes(*r.operands[1], nullptr),
                      x = magnitudes(r.results[0], nullptr);
  size_t n = triangle.n, each = rows * columns;
  auto out = std::make_shared<std::vector<double>>(x.size());
  auto columnBounds = [&](const Sizes &sizes, size_t first) {
    std::vector<double> side(n), moved(n, 0.0);
    for (size_t i = 0; i < n; ++i) {
      size_t from = first + triangle.place(i) * sides.step;
      side[i] = b[from];
      if (const Errors &errors = r.operandErrors[1])
        moved[i] = (type.isComplex() ? M_SQRT2 : 1) * (*errors)[from];
    }
    std::vector<double> bounds =
        boundsOfSide(sizes, triangle, roundings, side, moved);
    if (r.allExact())
      requireGivenNan(sizes, side, r.demands.definedOnly, bounds);
    for (size_t i = 0; i < n; ++i) {
      size_t to = first + triangle.place(i) * sides.step;
      (*out)[to] = bounds[i] == 0 ? 0 : bounds[i] + halfUlp(x[to] + bounds[i], type);
    }
  };
  for (size_t k = 0; each > 0 && k < x.size() / each; ++k) {
    Sizes sizes = sizesOf(t, type.isComplex(), r.operandErrors[0], k * n * n, triangle);
    r.pool.parallelFor(static_cast<int64_t>(sides.count), 1,
                       [&](int64_t begin, int64_t end) {
                         for (auto s = static_cast<size_t>(begin);
                              s < static_cast<size_t>(end); ++s)
                           columnBounds(sizes, k * each + s * sides.stride);
                       });
  }
  return std::vector<Errors>{out};
}

/// The product of lower triangles, the second one transposed or not.
static std::vector<double> product(llvm::ArrayRef<double> a,
                                   llvm::ArrayRef<double> b, size_t n,
                                   bool transposed) {
  std::vector<double> out(n * n, 0.0);
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0; k < n; ++k)
      if (double factor = a[i * n + k]; factor != 0)
        for (size_t j = 0; j < n; ++j)
          out[i * n + j] += factor * (transposed ? b[j * n + k] : b[k * n + j]);
  return out;
}

/// The bounds of one factor, row by row of the lower triangle; false where
/// rounding may decide whether there is one.
static bool boundsOfFactor(const Sizes &sizes, size_t n,
                           const Roundings &roundings,
                           const std::vector<double> &a,
                           const std::vector<double> &moved,
                           std::vector<double> &out) {
  double u = roundings.gamma(static_cast<double>(n) + 1) + 2 * roundings.stored;
  u /= 1 - std::min(u, 0.5);
  std::vector<double> backward(n * n);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      backward[i * n + j] =
          moved[std::max(i, j) * n + std::min(i, j)] +
          u * std::sqrt((a[i * n + i] + moved[i * n + i]) *
                        (a[j * n + j] + moved[j * n + j])) +
          static_cast<double>(n) * roundings.lost;
  std::vector<double> f = product(product(sizes.inverse, backward, n, false),
                                  sizes.inverse, n, true);
  double squares = 0;
  for (double each : f)
    squares += each * each;
  double norm = std::sqrt(squares);
  if (!(norm < 0.5))
    return false;
  double k = (1 - std::sqrt(1 - 2 * norm)) * M_SQRT1_2;
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      f[i * n + j] = j > i ? 0 : (f[i * n + j] + k * k) * (i == j ? 0.5 : 1);
  out = product(sizes.t, f, n, false);
  return true;
}

static BoundResult factorBound(BoundRequest &r) {
  bool isCall = r.op->hasAttr("call_target_name");
  Triangle triangle;
  triangle.lower =
      isCall ? reference::configIntOf(r.op, "uplo", 'L') == 'L'
             : mlir::cast<stablehlo::CholeskyOp>(r.op).getLower();
  // The upper factor's transpose is the lower one's conjugate.
  triangle.transposed = !triangle.lower;
  ElementType type = r.results[0].tensor().elementType();
  Roundings roundings(type, isCall);
  triangle.n = static_cast<size_t>(r.results[0].tensor().shape().back());
  size_t n = triangle.n, count = 0;
  std::vector<double> a = magnitudes(*r.operands[0], nullptr),
                      l = magnitudes(r.results[0], nullptr),
                      factors = exactValues(r.results[0]);
  // Where potrf's info says that there is no factor, its result is unfinished.
  std::vector<double> info = isCall ? exactValues(r.results[1])
                                    : std::vector<double>();
  std::vector<Errors> all = {undecided(r.results[0])};
  for (const Value &other : r.results.drop_front())
    all.push_back(undecided(other)); // potrf's info: whether there is a factor
  for (size_t first = 0; n > 0 && first < l.size(); first += n * n, ++count) {
    Sizes sizes = sizesOf(factors, type.isComplex(), nullptr, first, triangle);
    std::vector<double> own(n * n), moved(n * n, 0.0), bounds;
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j <= i; ++j) {
        size_t from = first + triangle.at(i, j);
        own[i * n + j] = a[from];
        if (const Errors &errors = r.operandErrors[0])
          moved[i * n + j] = (type.isComplex() ? M_SQRT2 : 1) * (*errors)[from];
      }
    if ((isCall && info[count] != 0) ||
        !boundsOfFactor(sizes, n, roundings, own, moved, bounds))
      continue;
    for (Errors &other : llvm::drop_begin(all))
      (*other)[count] = 0;
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j <= i; ++j) {
        size_t to = first + triangle.at(i, j);
        (*all[0])[to] =
            bounds[i * n + j] + halfUlp(l[to] + bounds[i * n + j], type);
      }
  }
  return all;
}

BoundResult judge::linearBound(BoundRequest &r) {
  if (!r.rule) {
    llvm::StringRef name = targetOf(r.op);
    return name == "trsm"    ? solveBound(r)
           : name == "potrf" ? factorBound(r)
                             : spectrumBound(r);
  }
  return r.rule->kind == BoundKind::Solve ? solveBound(r) : factorBound(r);
}
