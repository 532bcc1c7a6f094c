// Rules of operations whose result element depends on one element of each
// operand, and of those that only move elements. The effect of operand errors
// is found by evaluating the operation at the corners x +- e: most operations
// are monotone in each operand, or jump, which the corners show; poles and
// periods are BetweenCorners.h's.
#include "assay/dialect/AskedAccuracy.h"
#include "assay/judge/program/BetweenCorners.h"
#include "assay/judge/program/CommonForms.h"
#include "assay/judge/program/ErrorTracker.h"
#include "assay/judge/program/OtherOrders.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/reference/Strided.h"

#include <cmath>
#include <complex>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using program::Value;
using tensor::Tensor;

static double errorAt(const Errors &errors, size_t i, size_t count) {
  if (!errors)
    return 0;
  if (errors->size() == count)
    return (*errors)[i];
  if (errors->size() == 1)
    return errors->front();
  // The errors are of another shape (broadcast): the largest of all.
  double worst = 0;
  for (double e : *errors)
    worst = std::max(worst, e);
  return worst;
}

/// The operation's name without its dialect; X for chlo.broadcast_X.
static llvm::StringRef baseName(const BoundRequest &r) {
  return llvm::StringRef(r.rule->name).split('.').second;
}

static Errors zeros(const Value &value) {
  return std::make_shared<std::vector<double>>(
      static_cast<size_t>(value.tensor().size()), 0.0);
}

/// Integers and truth values that depend on anything inexact are undecided.
static Errors decided(const BoundRequest &r, const Value &result) {
  if (r.allExact())
    return nullptr;
  Errors out = zeros(result);
  for (size_t i = 0; i < out->size(); ++i)
    for (const Errors &errors : r.operandErrors)
      if (double error = errorAt(errors, i, out->size()); error > 0)
        (*out)[i] = error == kLeftOpen && (*out)[i] <= kLeftOpen ? kLeftOpen
                                                                 : INFINITY;
  return out;
}

/// Elements that one thread processes at a time.
static constexpr int64_t kGrain = 1 << 14;

using Direction = std::complex<double>;

/// The directions in which an operand is moved: to both ends of its interval,
/// or to points of the circle around the square that holds a complex number. An
/// analytic function moves most on the circle; where two operands move, fewer
/// points suffice.
static std::vector<Direction> directionsOf(bool isComplex, bool alone) {
  if (!isComplex)
    return {-1, 1};
  std::vector<Direction> all;
  for (int i = 0; i < (alone ? 8 : 4); ++i)
    all.push_back(std::polar(M_SQRT2, i * 2 * M_PI / (alone ? 8 : 4)));
  return all;
}
/// The part that is missed between the points: 1 / (cos 45 cos 22.5), for the
/// parts and for two operands' directions.
static constexpr double kBetweenDirections = 1.6;

/// x + step, rounded away from x: in f64 a step may be smaller than the distance to the next number,
/// and would vanish.
static double movedBy(double x, double step) {
  double at = x + step;
  return std::fabs(at - x) < std::fabs(step)
             ? std::nextafter(at, std::copysign(INFINITY, step))
             : at;
}

/// x + direction * e for every element, as an operand of WideOp. The root of a
/// value that cannot be negative is not taken below zero.
static llvm::Expected<Tensor> cornerOf(const BoundRequest &r, size_t operand,
                                       llvm::ArrayRef<double> x,
                                       Direction direction) {
  const Tensor &own = r.operands[operand]->tensor();
  llvm::Expected<Tensor> made =
      Tensor::allocate({wideType(own.elementType()), own.type().shape});
  if (!made)
    return made;
  auto *out = made->mutableData<double>();
  const double *e = r.operandErrors[operand]->data();
  size_t parts = own.elementType().isComplex() ? 2 : 1;
  const double steps[2] = {direction.real(), direction.imag()};
  bool hasFloor = baseName(r) == "sqrt" && parts == 1 &&
                  isNonNegative(r.op->getOperand(0));
  r.pool.parallelFor(own.size(), kGrain, [&](int64_t begin, int64_t end) {
    for (auto k = static_cast<size_t>(begin); k < static_cast<size_t>(end); ++k)
      for (size_t part = 0; part < parts; ++part)
        out[parts * k + part] = movedBy(
            x[parts * k + part],
            steps[part] == 0 || e[k] == 0 ? 0 : steps[part] * e[k]);
    for (int64_t k = begin; hasFloor && k < end; ++k)
      if (out[k] < 0 && x[static_cast<size_t>(k)] >= 0)
        out[k] = 0;
  });
  return made;
}

/// Adds the error at one corner: the largest distance of a part from the exact
/// result.
static void addCorner(BoundRequest &r, const Tensor &at,
                      llvm::ArrayRef<double> exact,
                      std::vector<double> &deviation) {
  const auto *got = at.data<double>();
  size_t parts = exact.size() / std::max<size_t>(1, deviation.size());
  auto offAt = [&](size_t k) {
    if (got[k] == exact[k] || (std::isnan(got[k]) && std::isnan(exact[k])))
      return 0.0;
    double off = std::fabs(got[k] - exact[k]);
    return std::isnan(off) ? INFINITY : off;
  };
  r.pool.parallelFor(static_cast<int64_t>(deviation.size()), kGrain,
                     [&](int64_t begin, int64_t end) {
                       for (auto k = static_cast<size_t>(begin);
                            k < static_cast<size_t>(end); ++k)
                         for (size_t part = 0; part < parts; ++part)
                           deviation[k] =
                               std::max(deviation[k], offAt(parts * k + part));
                     });
}

/// Adds the error between the corners. `values`: those of the operands that
/// move; others are read here.
static void addBetween(BoundRequest &r,
                       llvm::MutableArrayRef<std::vector<double>> values,
                       std::vector<double> &deviation) {
  bool isComplex = r.operands[0]->tensor().elementType().isComplex();
  Between between = findBetween(r.rule->name, isComplex);
  if (!between)
    return;
  size_t parts = isComplex ? 2 : 1;
  for (auto [operand, numbers] : llvm::zip(r.operands, values))
    if (numbers.empty())
      numbers = exactValues(*operand);
  auto operandAt = [&](size_t i, size_t k) -> Operand {
    if (i >= values.size())
      return {};
    const double *x = values[i].data() + parts * k;
    return {{x[0], isComplex ? x[1] : 0},
            errorAt(r.operandErrors[i], k, deviation.size()) *
                (isComplex ? M_SQRT2 : 1)};
  };
  r.pool.parallelFor(
      static_cast<int64_t>(deviation.size()), kGrain,
      [&](int64_t begin, int64_t end) {
        for (auto k = static_cast<size_t>(begin); k < static_cast<size_t>(end);
             ++k)
          deviation[k] = std::max(deviation[k],
                                  between(operandAt(0, k), operandAt(1, k)));
      });
}

/// Evaluates at all corners and returns the largest deviation from the exact
/// result.
static llvm::Expected<std::vector<double>>
cornerDeviation(BoundRequest &r, llvm::ArrayRef<double> exact, size_t count) {
  std::vector<double> deviation(count, 0.0);
  llvm::SmallVector<size_t> moving;
  std::vector<Tensor> operands(r.operands.size());
  std::vector<std::vector<double>> values(r.operands.size());
  for (size_t i = 0; i < r.operands.size(); ++i) {
    if (r.operandErrors[i] && isFloating(*r.operands[i])) {
      moving.push_back(i);
      values[i] = exactValues(*r.operands[i]);
    } else if (llvm::Error error =
                   wideTensor(*r.operands[i]).moveInto(operands[i])) {
      return error;
    }
  }
  std::vector<std::vector<Direction>> directions;
  size_t corners = 1;
  bool anyComplex = false;
  for (size_t i : moving) {
    bool isComplex = r.operands[i]->tensor().elementType().isComplex();
    anyComplex |= isComplex;
    directions.push_back(directionsOf(isComplex, moving.size() == 1));
    corners *= directions.back().size();
  }
  for (size_t corner = 0; corner < corners; ++corner) {
    size_t rest = corner;
    for (auto [m, i] : llvm::enumerate(moving)) {
      Direction direction = directions[m][rest % directions[m].size()];
      rest /= directions[m].size();
      if (llvm::Error error =
              cornerOf(r, i, values[i], direction).moveInto(operands[i]))
        return error;
    }
    llvm::Expected<std::vector<Tensor>> result = r.wide->run(operands, r.pool);
    if (!result)
      return result.takeError();
    addCorner(r, result->front(), exact, deviation);
  }
  addBetween(r, values, deviation);
  for (size_t k = 0; k < count; ++k) {
    if (anyComplex)
      deviation[k] *= kBetweenDirections;
    for (const Errors &errors : r.operandErrors)
      if (errors && std::isinf(errorAt(errors, k, count)))
        deviation[k] = INFINITY;
  }
  return deviation;
}

bool judge::isPolynomial(const BoundRequest &r) {
  llvm::StringRef name = baseName(r);
  return (name == "add" || name == "subtract" || name == "multiply") &&
         r.operands[0]->tensor().elementType().isFloat() &&
         r.results[0].tensor().size() == r.operands[0]->tensor().size() &&
         r.results[0].tensor().size() == r.operands[1]->tensor().size();
}

/// The values of a sum or product at the corners, without evaluating them.
static std::vector<double> polynomialDeviation(const BoundRequest &r,
                                               llvm::ArrayRef<double> exact) {
  std::vector<double> a = exactValues(*r.operands[0]),
                      b = exactValues(*r.operands[1]), deviation(exact.size());
  bool isProduct = baseName(r) == "multiply";
  const double *ea = r.operandErrors[0] ? r.operandErrors[0]->data() : nullptr,
               *eb = r.operandErrors[1] ? r.operandErrors[1]->data() : nullptr;
  auto deviationAt = [&](size_t k) {
    double x = ea ? ea[k] : 0, y = eb ? eb[k] : 0;
    if (std::isinf(x) || std::isinf(y))
      return double(INFINITY);
    // An infinity or NaN remains so, except for 0 * infinity.
    if (!std::isfinite(exact[k]) &&
        (!isProduct || std::isnan(a[k]) || std::isnan(b[k]) ||
         !std::isnan(exact[k]) || x + y == 0))
      return 0.0;
    double off =
        isProduct ? x * (std::fabs(b[k]) + y) + std::fabs(a[k]) * y : x + y;
    return std::isnan(off) ? INFINITY : off;
  };
  r.pool.parallelFor(static_cast<int64_t>(exact.size()), kGrain,
                     [&](int64_t begin, int64_t end) {
                       for (int64_t k = begin; k < end; ++k)
                         deviation[static_cast<size_t>(k)] =
                             deviationAt(static_cast<size_t>(k));
                     });
  return deviation;
}

/// Sums and products of complex numbers, by a formula.
static llvm::Expected<std::vector<double>>
complexDeviation(BoundRequest &r, llvm::ArrayRef<double> exact, size_t count) {
  llvm::StringRef name = baseName(r);
  std::vector<double> out(count, 0.0);
  bool isProduct = name == "multiply";
  if (!isProduct && name != "add" && name != "subtract" && name != "negate")
    return cornerDeviation(r, exact, count);
  std::vector<double> magnitude[2];
  for (size_t i = 0; isProduct && i < 2; ++i)
    magnitude[i] = magnitudes(*r.operands[i], nullptr);
  for (size_t k = 0; k < count; ++k) {
    double a = errorAt(r.operandErrors[0], k, count),
           b = r.operands.size() > 1 ? errorAt(r.operandErrors[1], k, count)
                                     : 0;
    out[k] = isProduct ? 2 * (a * magnitude[1][k] + b * magnitude[0][k] + a * b)
                       : a + b;
  }
  return out;
}

/// Whether each divisor is a power of two: a product with its reciprocal is the same.
static bool dividesByPowersOfTwo(const BoundRequest &r) {
  return baseName(r) == "divide" &&
         r.operands[0]->tensor().elementType().isFloat() &&
         llvm::all_of(exactValues(*r.operands[1]), [](double x) {
           int exponent;
           return std::fabs(std::frexp(x, &exponent)) == 0.5;
         });
}

/// Which elements of a sum or product are made of few digits, and have few: exact in
/// whatever order a formula takes them. Asked for by data with ties, which even a
/// zero error would make ties of the result's rounding. Empty: none.
static std::vector<bool> exactElements(const BoundRequest &r,
                                       llvm::ArrayRef<double> exact) {
  if (!r.demands.definedOnly || (!isPolynomial(r) && !dividesByPowersOfTwo(r)))
    return {};
  double most = std::ldexp(
      0.5,
      std::min(numerics::formatInfo(r.results[0].tensor().elementType().format)
                   .precision(),
               24));
  auto hasFew = [&](double x) { // whole numbers, or parts of a power of two
    constexpr double kParts = 1024;
    return (std::fabs(x) <= most && std::trunc(x) == x) ||
           (std::fabs(kParts * x) <= most &&
            std::trunc(kParts * x) == kParts * x);
  };
  std::vector<bool> isExact(exact.size(), true);
  auto keep = [&](llvm::ArrayRef<double> values, const Errors &errors) {
    for (size_t k = 0; k < isExact.size(); ++k)
      isExact[k] = isExact[k] && hasFew(values[k]) &&
                   (!errors || errorAt(errors, k, isExact.size()) == 0);
  };
  keep(exact, nullptr);
  for (size_t side = 0; side < 2; ++side)
    keep(exactValues(*r.operands[side]), r.operandErrors[side]);
  return isExact;
}

/// The error of flushing a result this small; for complex numbers, of each of two
/// products.
static double flushedFrom(ElementType type, double size) {
  return type.isComplex() ? 0x1p-125 : size < 0x1p-126 ? 0x1p-126 : 0;
}

/// A part of a complex product or quotient beyond the type overflows on the
/// way, whatever the result.
static void openPartsBeyond(const BoundRequest &r, llvm::ArrayRef<double> exact,
                            std::vector<double> &errors) {
  if (baseName(r) == "add" || baseName(r) == "subtract")
    return;
  double largest =
      numerics::maxFinite(r.results[0].tensor().elementType().format);
  for (size_t k = 0; k < errors.size(); ++k)
    if (std::hypot(exact[2 * k], exact[2 * k + 1]) > largest)
      errors[k] = INFINITY;
}

/// A remainder is exact, except where its operands are kept in more digits.
static bool isRoundedRemainder(const BoundRequest &r) {
  return baseName(r) == "remainder" && !r.allExact();
}

/// How many units in the last place an implementation may be off by. Parts of complex
/// numbers are sums of products: relative to the modulus.
static double unitsOf(const BoundRequest &r, ElementType type,
                      bool fromComplex) {
  double ulp = isRoundedRemainder(r) ? 0.5 : r.rule->ulp;
  if (baseName(r) == "divide")
    ulp += divisionUlps(r.op);
  if (numerics::formatInfo(type.format).bits <= 16)
    ulp = std::min(ulp, 2.0);
  bool turnsSign =
      r.rule->kind == BoundKind::Pick && baseName(r) == "negate";
  return !fromComplex ? ulp : turnsSign ? 0 : 4 * ulp + 4;
}

static BoundResult ulpBound(BoundRequest &r) {
  const Value &result = r.results[0];
  ElementType type = result.tensor().elementType();
  std::vector<double> exact = exactValues(result);
  auto count = static_cast<size_t>(result.tensor().size());
  std::vector<double> errors(count, 0.0);
  if (!r.allExact() && isPolynomial(r)) {
    errors = polynomialDeviation(r, exact);
  } else if (!r.allExact()) {
    llvm::Expected<std::vector<double>> moved =
        type.isComplex() || r.operands[0]->tensor().elementType().isComplex()
            ? complexDeviation(r, exact, count)
            : cornerDeviation(r, exact, count);
    if (!moved)
      return moved.takeError();
    errors = std::move(*moved);
  }
  bool isPick = r.rule->kind == BoundKind::Pick && !isRoundedRemainder(r),
       isRough = r.rule->kind == BoundKind::Rough;
  std::optional<AskedAccuracy> asked = askedAccuracy(r.op);
  bool fromComplex = r.operands[0]->tensor().elementType().isComplex();
  double ulp = unitsOf(r, type, fromComplex);
  const double epsilon = 2 * halfUlp(1, type),
               least = !fromComplex && isOnItsWay(r.op) ? epsilon / 2 : 0;
  if (type.isComplex() && !isPick)
    openPartsBeyond(r, exact, errors);
  // An engine may flush numbers below the normal range, unless asked not to.
  bool mayFlush = (type.format == numerics::FloatFormat::F32 ||
                   type.format == numerics::FloatFormat::BF16) &&
                  !(r.demands.subnormals && r.rule->ulp == 0.5);
  std::vector<bool> isExact = exactElements(r, exact);
  if (!isExact.empty() && !llvm::is_contained(isExact, false))
    return std::vector<Errors>{nullptr};
  if (!isPick || fromComplex)
    r.pool.parallelFor(
        static_cast<int64_t>(count), kGrain, [&](int64_t begin, int64_t end) {
          for (auto k = static_cast<size_t>(begin);
               k < static_cast<size_t>(end); ++k) {
            if (!isExact.empty() && isExact[k])
              continue;
            double size = type.isComplex()
                              ? std::hypot(exact[2 * k], exact[2 * k + 1])
                              : std::fabs(exact[k]);
            if (isRough)
              size = std::max(size, 1.0);
            double before = std::isfinite(errors[k]) ? errors[k] : 0,
                   scale = size + before;
            errors[k] += asked ? std::max(halfUlp(scale, type),
                                          asked->allowed(scale, epsilon))
                               : 2 * ulp *
                                     std::max(halfUlp(scale, type), least * scale);
            errors[k] += mayFlush ? flushedFrom(type, size - before) : 0;
          }
        });
  if (isPick && !fromComplex && r.allExact())
    return std::vector<Errors>{nullptr};
  return std::vector<Errors>{
      std::make_shared<std::vector<double>>(std::move(errors))};
}

/// Moves errors as the operation moves elements.
static BoundResult moveBound(BoundRequest &r) {
  std::vector<Errors> out(r.results.size());
  if (r.allExact())
    return out;
  bool plain = isFloating(r.results[0]);
  for (size_t i = 0; i < r.operands.size(); ++i)
    plain &= !r.operandErrors[i] || isFloating(*r.operands[i]);
  if (!plain) {
    for (size_t i = 0; i < r.results.size(); ++i)
      out[i] = undecided(r.results[i]);
    return out;
  }
  std::vector<Tensor> operands;
  for (size_t i = 0; i < r.operands.size(); ++i) {
    std::vector<double> none(
        static_cast<size_t>(r.operands[i]->tensor().size()), 0.0);
    llvm::Expected<Tensor> operand =
        isFloating(*r.operands[i])
            ? wideFrom(*r.operands[i],
                       r.operandErrors[i] ? *r.operandErrors[i] : none)
            : r.operands[i]->tensor().dense();
    if (!operand)
      return operand.takeError();
    operands.push_back(std::move(*operand));
  }
  llvm::Expected<std::vector<Tensor>> moved = r.wide->run(operands, r.pool);
  if (!moved)
    return moved.takeError();
  for (size_t i = 0; i < out.size(); ++i)
    out[i] =
        isFloating(r.results[i])
            ? std::make_shared<std::vector<double>>(elementsOf((*moved)[i]))
            : nullptr;
  return out;
}

static BoundResult selectBound(BoundRequest &r) {
  if (r.allExact() || !r.operandErrors[0] || !isFloating(r.results[0])) {
    if (!isFloating(r.results[0]))
      return std::vector<Errors>{decided(r, r.results[0])};
    return moveBound(r);
  }
  // Where the choice is open, either side may be taken.
  Errors choice = r.operandErrors[0];
  r.operandErrors[0] = nullptr;
  BoundResult moved = r.operandErrors[1] || r.operandErrors[2]
                          ? moveBound(r)
                          : std::vector<Errors>{zeros(r.results[0])};
  if (!moved)
    return moved;
  std::vector<double> a = exactValues(*r.operands[1]),
                      b = exactValues(*r.operands[2]);
  Errors out = moved->front();
  size_t parts = r.results[0].tensor().elementType().isComplex() ? 2 : 1;
  for (size_t k = 0; k < out->size(); ++k)
    if (errorAt(choice, k, out->size()) > 0) {
      double gap = 0;
      for (size_t part = 0; part < parts; ++part)
        gap =
            std::max(gap, std::fabs(a[k * parts + part] - b[k * parts + part]));
      (*out)[k] = std::isnan(gap)
                      ? INFINITY
                      : gap + errorAt(r.operandErrors[1], k, out->size()) +
                            errorAt(r.operandErrors[2], k, out->size());
    }
  return moved;
}

static BoundResult compareBound(BoundRequest &r) {
  if (r.allExact())
    return std::vector<Errors>{nullptr};
  if (!isFloating(*r.operands[0]))
    return std::vector<Errors>{decided(r, r.results[0])};
  std::vector<double> a = exactValues(*r.operands[0]),
                      b = exactValues(*r.operands[1]);
  Errors out = zeros(r.results[0]);
  size_t parts = r.operands[0]->tensor().elementType().isComplex() ? 2 : 1;
  for (size_t k = 0; k < out->size(); ++k) {
    double room = errorAt(r.operandErrors[0], k, out->size()) +
                  errorAt(r.operandErrors[1], k, out->size());
    for (size_t part = 0; part < parts; ++part) {
      double gap = std::fabs(a[k * parts + part] - b[k * parts + part]);
      // A NaN, and two infinities of one sign, stay so within a finite error.
      bool stays = std::isnan(gap) && std::isfinite(room);
      if (room > 0 && !(gap > room) && !stays)
        (*out)[k] = INFINITY;
    }
  }
  return std::vector<Errors>{out};
}

/// Whether the type holds the integer part of x.
static bool isWithin(double x, ElementType integer) {
  double whole = std::trunc(x),
         beyond = std::ldexp(1.0, integer.bits - integer.isSigned());
  return whole < beyond && whole >= (integer.isSigned() ? -beyond : 0);
}

/// Whether a format has no number for x, the exact value before rounding: some
/// implementations saturate it, others make a NaN of it.
static bool hasNone(ElementType type, double x) {
  if (!type.isFloat())
    return false;
  numerics::FormatInfo info = numerics::formatInfo(type.format);
  return std::isnan(x) ? !info.hasNan()
                       : !info.hasInfinity() &&
                             std::fabs(x) > numerics::maxFinite(type.format);
}

static BoundResult convertBound(BoundRequest &r) {
  const Value &from = *r.operands[0], &to = r.results[0];
  ElementType source = from.tensor().elementType(),
              target = to.tensor().elementType();
  std::vector<double> exact = exactValues(from);
  size_t parts = source.isComplex() ? 2 : 1;
  Errors out = zeros(to);
  bool any = false;
  for (size_t k = 0; k < out->size(); ++k) {
    double error = errorAt(r.operandErrors[0], k, out->size()),
           x = exact[k * parts];
    double &result = (*out)[k];
    if (x == 0 && error == 0 && parts == 1 && target.bits >= 16)
      continue; // zero, which these types have
    if (target.isFloat() || target.isComplex()) {
      double size = source.isComplex()
                        ? std::max(std::fabs(x), std::fabs(exact[2 * k + 1]))
                        : std::fabs(x);
      bool widening = isFloating(from) &&
                      numerics::formatInfo(source.format).mantissaBits <=
                          numerics::formatInfo(target.format).mantissaBits &&
                      numerics::formatInfo(source.format).minExponent() >=
                          numerics::formatInfo(target.format).minExponent();
      result =
          hasNone(source, x)
              ? INFINITY
              : error +
                    (widening
                         ? 0
                         : halfUlp(size + (std::isfinite(error) ? error : 0),
                                   target));
    } else if (r.demands.definedOnly && isFloating(from) && target.isInteger() &&
               !target.isBool() && !isWithin(x, target)) {
      result = INFINITY; // the specification leaves it open
    } else if (error > 0) {
      result =
          std::trunc(x - error) == std::trunc(x + error) && !target.isBool()
              ? 0
              : INFINITY;
    }
    any |= result > 0;
  }
  return std::vector<Errors>{any ? out : nullptr};
}

/// Only the value is rounded by reduce_precision; the shadow continues unrounded.
static BoundResult reducePrecisionBound(BoundRequest &r) {
  std::vector<double> own = exactValues(Value(r.results[0].tensor())),
                      exact = exactValues(r.results[0]);
  int64_t bits =
      r.op->getAttrOfType<mlir::IntegerAttr>("mantissa_bits").getInt();
  Errors out = zeros(r.results[0]);
  for (size_t k = 0; k < out->size(); ++k) {
    double error = errorAt(r.operandErrors[0], k, out->size());
    double rounding = std::isfinite(own[k]) && std::isfinite(exact[k])
                          ? std::fabs(own[k] - exact[k])
                          : 0;
    if (std::isfinite(own[k]) != std::isfinite(exact[k]))
      rounding = error > 0 ? INFINITY : 0;
    (*out)[k] = error > 0 ? error +
                                std::ldexp(std::fabs(exact[k]) + error,
                                           -static_cast<int>(bits)) +
                                rounding
                          : rounding;
  }
  return std::vector<Errors>{out};
}

/// A tensor as the operand of a chlo.broadcast_*, in the shape of the result.
static llvm::Expected<Tensor> broadcastTensor(const BoundRequest &r,
                                              const Tensor &operand) {
  llvm::ArrayRef<int64_t> shape = r.results[0].tensor().shape();
  llvm::Expected<Tensor> dense = operand.dense();
  if (!dense)
    return dense;
  llvm::Expected<Tensor> result =
      Tensor::allocate({operand.elementType(), tensor::Shape(shape)});
  if (!result)
    return result;
  reference::copyBroadcast(r.op, operand.elementType().storageBytes(),
                           dense->shape(), dense->bytes(), shape,
                           result->mutableBytes(), &r.pool);
  return result;
}

/// Brings operand `i` of a chlo.broadcast_*, its shadow and its errors to the
/// shape of the result.
static llvm::Error broadcastOperand(BoundRequest &r, size_t i, Value &operand) {
  llvm::Expected<Tensor> tensor = broadcastTensor(r, operand.tensor());
  if (!tensor)
    return tensor.takeError();
  if (Errors &errors = r.operandErrors[i]) {
    Errors all = zeros(r.results[0]);
    reference::copyBroadcast(r.op, sizeof(double), operand.tensor().shape(),
                             errors->data(), tensor->shape(), all->data(),
                             &r.pool);
    errors = all;
  }
  Value made(std::move(*tensor));
  if (operand.shadow().valid()) {
    llvm::Expected<Tensor> shadow = broadcastTensor(r, operand.shadow());
    if (!shadow)
      return shadow.takeError();
    made.setShadow(std::move(*shadow));
  }
  operand = std::move(made);
  return llvm::Error::success();
}

/// Quotients of integers that the specification leaves open: by zero, and of the
/// lowest number by -1.
static llvm::Expected<Errors> openQuotients(const BoundRequest &r,
                                            Errors errors) {
  llvm::StringRef name = baseName(r);
  ElementType type = r.operands[0]->tensor().elementType();
  if ((name != "divide" && name != "remainder") || !type.isInteger())
    return errors;
  std::vector<double> values[2];
  for (size_t i = 0; i < 2; ++i) {
    llvm::Expected<Tensor> dense = r.operands[i]->tensor().dense();
    if (!dense)
      return dense.takeError();
    values[i].resize(static_cast<size_t>(dense->size()));
    numerics::toDoubles(type, dense->bytes(), values[i].data(), dense->size());
  }
  double lowest = type.isSigned() ? -std::ldexp(1.0, type.bits - 1) : NAN;
  for (size_t k = 0; k < values[0].size(); ++k)
    if (values[1][k] == 0 || (values[1][k] == -1 && values[0][k] == lowest)) {
      if (!errors)
        errors = zeros(r.results[0]);
      (*errors)[k] = kLeftOpen;
    }
  return errors;
}

static BoundResult sameShapesBound(BoundRequest &r) {
  switch (r.rule->kind) {
  case BoundKind::Move:
    return moveBound(r);
  case BoundKind::Select:
    return selectBound(r);
  case BoundKind::Compare:
    return compareBound(r);
  case BoundKind::Convert:
    return convertBound(r);
  case BoundKind::ReducePrecision:
    return reducePrecisionBound(r);
  case BoundKind::Bitcast:
    return r.allExact() ? std::vector<Errors>(1)
                        : std::vector<Errors>{undecided(r.results[0])};
  default:
    break;
  }
  if (isFloating(r.results[0]) && r.rule->kind != BoundKind::Exact)
    return ulpBound(r);
  std::vector<Errors> out;
  for (const Value &result : r.results) {
    llvm::Expected<Errors> errors = openQuotients(r, decided(r, result));
    if (!errors)
      return errors.takeError();
    out.push_back(std::move(*errors));
  }
  return out;
}

BoundResult judge::elementwiseBound(BoundRequest &r) {
  if (!r.op->getName().getStringRef().starts_with("chlo.broadcast_"))
    return sameShapesBound(r);
  std::vector<Value> operands;
  for (Value *operand : r.operands)
    operands.push_back(*operand);
  std::vector<Value *> pointers;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (operand.tensor().shape() != r.results[0].tensor().shape())
      if (llvm::Error error = broadcastOperand(r, i, operand))
        return error;
    pointers.push_back(&operand);
  }
  r.operands = pointers;
  return sameShapesBound(r);
}
