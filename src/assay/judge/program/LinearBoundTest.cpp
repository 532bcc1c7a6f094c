// Bounds of triangular systems and Cholesky factors: beside the formulas of
// LinearBound.cpp, solved here densely and by iteration; poor implementations
// (reciprocals, inverses) are inside, results 1.5 to 3 times as far off are
// outside.
#include "assay/judge/program/BoundsTest.h"
#include "assay/numerics/Ulp.h"

#include "gtest/gtest.h"

#include <cmath>
#include <complex>

using namespace assay;
using namespace assay::judge;

using Complex = std::complex<double>;
using Single = std::complex<float>;
using Matrix = std::vector<std::vector<Complex>>;
static constexpr double kUnit = 0x1p-24;

namespace {
struct Form {
  bool left, lower, unit;
  const char *transpose;
  bool isComplex;
  size_t n = 5, m = 3, batch = 2;

  size_t rows() const { return left ? n : m; }
  size_t columns() const { return left ? m : n; }
  size_t parts() const { return isComplex ? 2 : 1; }
  std::string type(size_t rows, size_t columns) const {
    return "tensor<" + std::to_string(batch) + "x" + std::to_string(rows) +
           "x" + std::to_string(columns) + "x" +
           (isComplex ? "complex<f32>>" : "f32>");
  }
  std::string text() const {
    std::string a = type(n, n), b = type(rows(), columns());
    auto word = [](bool x) { return std::string(x ? "true" : "false"); };
    return "func.func @main(%a: " + a + ", %b: " + b + ") -> " + b +
           " {\n  %0 = \"stablehlo.triangular_solve\"(%a, %b) {left_side = " +
           word(left) + ", lower = " + word(lower) +
           ", unit_diagonal = " + word(unit) +
           ", transpose_a = #stablehlo<transpose " + transpose + ">} : (" + a +
           ", " + b + ") -> " + b + "\n  return %0 : " + b + "\n}";
  }
};
} // namespace

/// Element (i, j) of one matrix of a batch.
static Complex elementOf(const std::vector<double> &values, size_t parts,
                         size_t at) {
  return {values[parts * at], parts == 2 ? values[parts * at + 1] : 0};
}

/// op(T) as a lower triangle T with T x = b for every right-hand side: rows and
/// columns are reversed where substitution runs backward. `order`: the places of
/// the unknowns.
static Matrix triangleOf(const Form &form, const std::vector<double> &a,
                         size_t batch, std::vector<size_t> &order) {
  bool transposed = std::string(form.transpose) != "NO_TRANSPOSE",
       adjoint = std::string(form.transpose) == "ADJOINT";
  Matrix dense(form.n, std::vector<Complex>(form.n));
  for (size_t i = 0; i < form.n; ++i)
    for (size_t j = 0; j < form.n; ++j) {
      bool kept = form.lower ? i >= j : i <= j;
      Complex x = elementOf(a, form.parts(), (batch * form.n + i) * form.n + j);
      x = !kept ? 0 : i == j && form.unit ? 1 : x;
      bool swaps = transposed == form.left; // x op(T) = b: transposed
      (swaps ? dense[j][i] : dense[i][j]) = adjoint ? std::conj(x) : x;
    }
  order.clear();
  bool isForward = dense[0][form.n - 1] == Complex(0);
  for (size_t i = 0; i < form.n; ++i)
    order.push_back(isForward ? i : form.n - 1 - i);
  Matrix t = dense;
  for (size_t i = 0; i < form.n; ++i)
    for (size_t j = 0; j < form.n; ++j)
      t[i][j] = dense[order[i]][order[j]];
  return t;
}

/// T^-1 by elimination of the identity's columns, upwards.
static Matrix inverseOf(const Matrix &t) {
  size_t n = t.size();
  Matrix x(n, std::vector<Complex>(n));
  for (size_t i = 0; i < n; ++i)
    for (size_t c = 0; c < n; ++c) {
      x[i][c] = i == c ? 1 : 0;
      for (size_t k = 0; k < i; ++k)
        x[i][c] -= t[i][k] * x[k][c];
      x[i][c] /= t[i][i];
    }
  return x;
}

/// y = W (|b| + G y), then W G y + u y, by iteration.
static std::vector<double> formula(const Form &form, const Matrix &t,
                                   const std::vector<Complex> &b) {
  size_t n = form.n;
  Matrix w = inverseOf(t);
  std::vector<double> u(n), y(n, 0), out(n);
  for (size_t i = 0; i < n; ++i) {
    double roundings = (i ? i + 1.0 : 0) + (form.unit ? 0 : 2);
    if (roundings > 0 && form.isComplex)
      roundings += 12;
    u[i] = roundings * kUnit / (1 - roundings * kUnit);
  }
  for (int pass = 0; pass < 9; ++pass) {
    std::vector<double> force(n);
    for (size_t j = 0; j < n; ++j)
      for (size_t k = 0; k <= j; ++k)
        force[j] += u[j] * std::abs(t[j][k]) * y[k];
    std::vector<double> next(n, 0);
    for (size_t i = 0; i < n; ++i) {
      out[i] = u[i] * y[i];
      for (size_t j = 0; j <= i; ++j) {
        next[i] += std::abs(w[i][j]) * (std::abs(b[j]) + force[j]);
        out[i] += std::abs(w[i][j]) * force[j];
      }
    }
    y = next;
  }
  return out;
}

static Single single(Complex x) {
  return {static_cast<float>(x.real()), static_cast<float>(x.imag())};
}

/// In f32: by reciprocals of the diagonal, or by the inverse as a whole.
static std::vector<Single> solvePoorly(const Matrix &t,
                                       const std::vector<Complex> &b,
                                       bool inverts) {
  size_t n = b.size();
  auto substituted = [&](std::vector<Single> x) {
    for (size_t i = 0; i < n; ++i) {
      for (size_t k = 0; k < i; ++k)
        x[i] -= single(t[i][k]) * x[k];
      if (t[i][i] != Complex(1))
        x[i] *= Single(1) / single(t[i][i]);
    }
    return x;
  };
  std::vector<Single> x(n), sides;
  for (Complex each : b)
    sides.push_back(single(each));
  if (!inverts)
    return substituted(sides);
  for (size_t c = 0; c < n; ++c) {
    std::vector<Single> one(n);
    one[c] = 1;
    std::vector<Single> column = substituted(one);
    for (size_t i = 0; i < n; ++i)
      x[i] += column[i] * sides[c];
  }
  return x;
}

/// A matrix with a diagonal between 0.6 and 2 and any other elements.
static std::vector<double> matrixOf(const Form &form) {
  std::vector<double> a =
      numbers(form.batch * form.n * form.n * form.parts(), 0.8);
  for (size_t at = 0; at < a.size() / form.parts(); ++at)
    if (at / form.n % form.n == at % form.n && std::fabs(a[form.parts() * at]) < 0.6)
      a[form.parts() * at] += a[form.parts() * at] < 0 ? -0.6 : 0.6;
  for (double &x : a)
    x = static_cast<float>(x);
  return a;
}

static void checkForm(const Form &form) {
  size_t parts = form.parts(), each = form.rows() * form.columns();
  std::vector<double> a = matrixOf(form),
                      b = numbers(form.batch * each * parts, 0.2);
  Bounds bounds = boundsOf(form.text(), {a, b});
  for (size_t batch = 0; batch < form.batch; ++batch)
    for (size_t s = 0; s < form.m; ++s) {
      std::vector<size_t> order;
      Matrix t = triangleOf(form, a, batch, order);
      std::vector<Complex> side;
      std::vector<size_t> at;
      for (size_t i : order) {
        at.push_back(batch * each + (form.left ? i * form.m + s : s * form.n + i));
        side.push_back(elementOf(b, parts, at.back()));
      }
      std::vector<double> want = formula(form, t, side);
      std::vector<Single> poor = solvePoorly(t, side, false),
                          inverse = solvePoorly(t, side, true);
      for (size_t i = 0; i < form.n; ++i) {
        double bound = bounds.errors[0][at[i]];
        Complex exact = elementOf(bounds.exact[0], parts, at[i]);
        double half = numerics::ulpOf(std::abs(exact) + want[i],
                                      numerics::FloatFormat::F32) / 2;
        EXPECT_GE(bound, want[i] * (1 - 1e-6)) << form.text() << i;
        EXPECT_LE(bound, (want[i] + half) * (1 + 1e-6)) << form.text() << i;
        for (const std::vector<Single> &got : {poor, inverse})
          EXPECT_LE(std::abs(Complex(got[i]) - exact), bound)
              << form.text() << i;
      }
    }
}

TEST(LinearBound, SolvesOfEveryFormAreWithinTheFormula) {
  for (int bits = 0; bits < 16; ++bits)
    for (const char *transpose : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"})
      checkForm({(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, transpose,
                 (bits & 8) != 0});
}

static const char *const kSolve3 =
    R"(func.func @main(%a: tensor<3x3xf32>, %b: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  return %0 : tensor<3x1xf32>
})";

TEST(LinearBound, GrowsWithTheConditionAndIsOpenBehindAZeroPivot) {
  // x = (1, -9999, 9999 e4): each row multiplies the error by 1e4.
  Bounds steep = boundsOf(kSolve3, {{1, 0, 0, 1e4, 1, 0, 0, 1e4, 1}, {1, 1, 1}});
  EXPECT_LE(steep.errors[0][0], 5.01 * kUnit);
  EXPECT_GT(steep.errors[0][2], 1e8 * kUnit);
  EXPECT_LT(steep.errors[0][2], 30e8 * kUnit);
  Bounds zero = boundsOf(kSolve3, {{2, 0, 0, 1, 0, 0, 1, 1, 1}, {1, 1, 1}});
  EXPECT_LT(zero.errors[0][0], 4 * kUnit);
  EXPECT_TRUE(std::isinf(zero.errors[0][1]));
  EXPECT_TRUE(std::isinf(zero.errors[0][2]));
}

TEST(LinearBound, ANanThatIsGivenHasToArrive) {
  Bounds bounds =
      boundsOf(kSolve3, {{2, NAN, NAN, 1, 3, NAN, 1, 1, 1}, {1, NAN, 1}});
  EXPECT_LT(bounds.errors[0][0], 4 * kUnit);
  EXPECT_EQ(bounds.errors[0][1], 0);
  EXPECT_EQ(bounds.errors[0][2], 0);
}

TEST(LinearBound, ErrorsOfBothOperandsGoThroughASolve) {
  Bounds bounds = boundsOf(
      R"(func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %t = stablehlo.add %a, %a : tensor<2x2xf32>
  %s = stablehlo.exponential %b : tensor<2x1xf32>
  %0 = "stablehlo.triangular_solve"(%t, %s) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
})",
      {{1.1f, 0, 0.7f, 1.3f}, {0, 0}});
  // exp(0) is off by 3 units of 1, 2.2 by half a unit (2^-23): x = 1 / 2.2.
  double moved = (6 * kUnit + 2 * kUnit / 2.2) / 2.2;
  EXPECT_GT(bounds.errors[0][0], moved * 0.99);
  EXPECT_LT(bounds.errors[0][0], 2 * moved + 6 * kUnit / 2.2);
}

/// A = L0 L0^H with rows of very different sizes.
static std::vector<double> positiveDefinite(size_t n, size_t parts) {
  std::vector<double> draws = numbers(n * n * parts, 0.4), out(n * n * parts);
  auto factor = [&](size_t i, size_t j) {
    return j > i ? Complex(0)
           : i == j ? Complex(1.5 + 0.2 * static_cast<double>(i))
                    : 0.5 * elementOf(draws, parts, i * n + j);
  };
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      Complex sum = 0;
      for (size_t k = 0; k < n; ++k)
        sum += factor(i, k) * std::conj(factor(j, k));
      out[parts * (i * n + j)] = static_cast<float>(sum.real());
      if (parts == 2)
        out[2 * (i * n + j) + 1] = static_cast<float>(sum.imag());
    }
  return out;
}

/// The lower factor in f32, by reciprocals.
static std::vector<Single> factorPoorly(const std::vector<double> &a, size_t n,
                                        size_t parts) {
  std::vector<Single> l(n * n);
  for (size_t j = 0; j < n; ++j)
    for (size_t i = j; i < n; ++i) {
      Single sum = single(elementOf(a, parts, i * n + j));
      for (size_t k = 0; k < j; ++k)
        sum -= l[i * n + k] * std::conj(l[j * n + k]);
      l[i * n + j] = i == j ? Single(std::sqrt(sum.real()))
                            : sum * (Single(1) / l[j * n + j]);
    }
  return l;
}

/// |L| Phi(W E W^T) with E_ij = u sqrt(a_ii a_jj), where L is the lower factor.
static std::vector<double> factorFormula(const Matrix &l, double u) {
  size_t n = l.size();
  Matrix w = inverseOf(l);
  std::vector<double> lengths(n), out(n * n);
  for (size_t i = 0; i < n; ++i) {
    for (Complex x : l[i])
      lengths[i] += std::norm(x);
    lengths[i] = std::sqrt(lengths[i]);
  }
  auto phi = [&](size_t i, size_t j) {
    double left = 0, right = 0;
    for (size_t k = 0; k < n; ++k) {
      left += std::abs(w[i][k]) * lengths[k];
      right += std::abs(w[j][k]) * lengths[k];
    }
    return j > i ? 0 : left * right * u * (i == j ? 0.5 : 1);
  };
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t k = 0; k < n; ++k)
        out[i * n + j] += std::abs(l[i][k]) * phi(k, j);
  return out;
}

TEST(LinearBound, FactorsAreWithinTheFormula) {
  for (size_t parts : {size_t{1}, size_t{2}})
    for (const char *lower : {"true", "false"}) {
      const size_t n = 6;
      std::string type =
          parts == 2 ? "tensor<6x6xcomplex<f32>>" : "tensor<6x6xf32>";
      std::vector<double> a = positiveDefinite(n, parts);
      Bounds bounds = boundsOf("func.func @main(%a: " + type + ") -> " + type +
                                   " {\n  %0 = stablehlo.cholesky %a, lower = " +
                                   lower + " : " + type + "\n  return %0 : " +
                                   type + "\n}",
                               {a});
      std::vector<Single> poor = factorPoorly(a, n, parts);
      bool isLower = lower[0] == 't';
      auto at = [&](size_t i, size_t j) { return isLower ? i * n + j : j * n + i; };
      Matrix l(n, std::vector<Complex>(n));
      for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j <= i; ++j) {
          Complex x = elementOf(bounds.exact[0], parts, at(i, j));
          l[i][j] = isLower ? x : std::conj(x);
        }
      double u = (parts == 2 ? n + 13 : n + 1) * kUnit;
      std::vector<double> want = factorFormula(l, u);
      for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) {
          double bound = bounds.errors[0][at(i, j)];
          if (j > i) { // the specification leaves it open
            EXPECT_TRUE(std::isinf(bound));
            continue;
          }
          EXPECT_GE(bound, want[i * n + j]) << lower << i << j;
          EXPECT_LE(bound, 1.01 * want[i * n + j] + std::abs(l[i][j]) * kUnit)
              << lower << i << j;
          EXPECT_LE(std::abs(Complex(poor[i * n + j]) - l[i][j]), bound)
              << lower << i << j;
        }
    }
}

TEST(LinearBound, FactorsOfNearlySingularMatricesAreOpen) {
  const char *text = R"(func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
})";
  Bounds near = boundsOf(text, {{1, 1, 1, 1 + 0x1p-23}});
  EXPECT_TRUE(std::isinf(near.errors[0][0]));
  Bounds good = boundsOf(text, {{1, 0.5, 0.5, 1}});
  EXPECT_LT(good.errors[0][3], 20 * kUnit);
}
