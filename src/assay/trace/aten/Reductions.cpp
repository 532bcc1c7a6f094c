// aten reductions, scans and softmax.
#include "assay/formulas/Softmax.h"
#include "assay/judge/program/CommonForms.h"
#include "assay/trace/aten/Builder.h"

#include <cmath>

namespace assay::trace::aten {

static Axes every(const Value &x) {
  Axes axes;
  for (int64_t i = 0; i < x.rank(); ++i)
    axes.push_back(i);
  return axes;
}

void sumAll(Builder &b) {
  Value x = b.counted(b.tensor(0));
  b.result(b.sum(x, every(x)));
}
void sumDim(Builder &b) {
  Value x = b.counted(b.tensor(0));
  b.result(b.sum(x, b.axes(1, "dim", x.rank())));
}
void meanAll(Builder &b) {
  Value x = b.tensor(0);
  b.result(b.mean(x, every(x)));
}
void meanDim(Builder &b) {
  Value x = b.tensor(0);
  b.result(b.mean(x, b.axes(1, "dim", x.rank())));
}
void prodAll(Builder &b) {
  Value x = b.counted(b.tensor(0));
  b.result(b.reduce("multiply", x, every(x)));
}
void prodDim(Builder &b) {
  Value x = b.counted(b.tensor(0));
  b.result(b.reduce("multiply", x, {b.axis(1, "dim", 0, x.rank())}));
}
void amax(Builder &b) {
  Value x = b.tensor(0);
  b.result(b.reduce("maximum", x, b.axes(1, "dim", x.rank())));
}
void amin(Builder &b) {
  Value x = b.tensor(0);
  b.result(b.reduce("minimum", x, b.axes(1, "dim", x.rank())));
}

static Value nonZero(Builder &b, const Value &x) {
  return x.isBool() ? x : b.compare("NE", x, b.constant(0));
}
void anyAll(Builder &b) {
  Value x = nonZero(b, b.tensor(0));
  b.result(b.reduce("or", x, every(x)));
}
void anyDim(Builder &b) {
  Value x = nonZero(b, b.tensor(0));
  b.result(b.reduce("or", x, b.axes(1, "dim", x.rank())));
}
void allAll(Builder &b) {
  Value x = nonZero(b, b.tensor(0));
  b.result(b.reduce("and", x, every(x)));
}
void allDim(Builder &b) {
  Value x = nonZero(b, b.tensor(0));
  b.result(b.reduce("and", x, b.axes(1, "dim", x.rank())));
}

/// The first position of the extreme along an axis (a NaN is the extreme).
static Value position(Builder &b, const Value &x, const Value &extreme,
                      int64_t axis) {
  if (x.rank() == 0)
    return x; // refused by reduce()
  Value equal = b.compare("EQ", x, extreme);
  if (x.isFloat()) // tests for NaN first: no comparison with NaN decides
    equal = b.select(b.compare("NE", extreme, extreme), b.compare("NE", x, x),
                     equal);
  int64_t size = x.size(axis);
  Value places = b.select(equal, b.iota(x.shape(), axis),
                          b.broadcast(b.constant(size), x.shape()));
  return b.reduce("minimum", places, {axis});
}
static void extremeAndIndex(Builder &b, llvm::StringRef op) {
  Value x = b.tensor(0);
  if (x.rank() == 0)
    return b.refuse("a scalar");
  int64_t axis = b.axis(1, "dim", 0, x.rank());
  Value extreme = b.reduce(op, x, {axis});
  b.result(extreme, 0);
  b.result(position(b, x, extreme, axis), 1);
}
void maxDim(Builder &b) { extremeAndIndex(b, "maximum"); }
void minDim(Builder &b) { extremeAndIndex(b, "minimum"); }
static void argument(Builder &b, llvm::StringRef op) {
  Value x = b.tensor(0);
  int64_t axis = 0;
  const llvm::json::Value *dim = b.argument(1, "dim");
  if (dim && dim->getAsInteger()) {
    axis = b.axis(1, "dim", 0, x.rank());
  } else {
    x = b.reshape(x, {b.sizeOf(x)});
  }
  b.result(position(b, x, b.reduce(op, x, {axis}), axis));
}
void argmax(Builder &b) { argument(b, "maximum"); }
void argmin(Builder &b) { argument(b, "minimum"); }

/// sum (x - mean)^2 / (n - correction)
static Value variance(Builder &b, const Value &x, Dims axes,
                      double correction) {
  Value centred = b.sub(x, b.mean(x, axes));
  if (centred.isComplex())
    centred = b.unary("abs", centred);
  return b.div(b.sum(b.mul(centred, centred), axes),
               b.scalar(std::max(0.0, b.countOf(x, axes) - correction)));
}
static Value varianceOf(Builder &b) {
  Value x = b.tensor(0);
  return variance(b, x, b.axes(1, "dim", x.rank()),
                  b.number(2, "correction", 1));
}
void var(Builder &b) { b.result(varianceOf(b)); }
void stddev(Builder &b) { b.result(b.unary("sqrt", varianceOf(b))); }
void varMean(Builder &b) {
  b.result(varianceOf(b), 0);
  Value x = b.tensor(0);
  b.result(b.mean(x, b.axes(1, "dim", x.rank())), 1);
}

void norm(Builder &b) {
  Value x = b.wide(b.tensor(0));
  if (x.isComplex())
    x = b.unary("abs", x);
  double order = b.number(1, "ord", 2);
  Axes axes = b.axes(2, "dim", x.rank());
  if (order == 2)
    return b.result(b.unary("sqrt", b.sum(b.mul(x, x), axes)));
  if (order == 1)
    return b.result(b.sum(b.unary("abs", x), axes));
  if (order == INFINITY)
    return b.result(b.reduce("maximum", b.unary("abs", x), axes));
  if (order == -INFINITY)
    return b.result(b.reduce("minimum", b.unary("abs", x), axes));
  if (order == 0) {
    Value isThere = b.compare("NE", x, b.scalar(0));
    return b.result(b.sum(b.wide(isThere), axes));
  }
  Value powers = b.binary("power", b.unary("abs", x), b.scalar(order));
  b.result(b.binary("power", b.sum(powers, axes), b.scalar(1 / order)));
}

/// log sum exp along axes, computed with the largest element, which is
/// returned, too. `ofSeveral`: PyTorch computes it by several operators, each
/// of which may round, and does not subtract an infinity; else its CPU kernel
/// keeps the sum and its logarithm in the result's type.
static std::pair<Value, Value> logSumExp(Builder &b, const Value &x, Dims axes,
                                         bool ofSeveral) {
  ElementType stage = b.output().element;
  auto kept = [&](Value y) {
    y = ofSeveral ? b.rounded(y) : y;
    judge::withStageIn(y.handle, stage);
    return y;
  };
  auto inside = [&](const Value &y) { return ofSeveral ? kept(y) : y; };
  Value largest = b.reduce("maximum", x, axes);
  if (ofSeveral)
    largest =
        b.select(b.compare("LT", b.unary("abs", largest), b.scalar(INFINITY)),
                 largest, b.scalar(0));
  Value below = inside(b.sub(x, largest));
  Value total = kept(b.sum(inside(b.unary("exponential", below)), axes));
  return {largest, kept(b.unary("log", total))};
}
void logsumexp(Builder &b) {
  Value x = b.wide(b.tensor(0));
  auto [largest, sum] = logSumExp(b, x, b.axes(1, "dim", x.rank()), true);
  b.result(b.add(sum, largest));
}
void softmax(Builder &b) {
  Value x = b.tensor(0);
  if (x.rank() == 0)
    return b.refuse("a scalar");
  b.result(formulas::softmaxForward(b.rules(), x,
                                    b.axis(1, "dim", -1, x.rank())));
}
void logSoftmax(Builder &b) {
  Value x = b.tensor(0);
  if (x.rank() == 0)
    return b.refuse("a scalar");
  Axes axes{b.axis(1, "dim", -1, x.rank())};
  auto [largest, sum] = logSumExp(b, x, axes, false);
  b.result(b.sub(b.sub(x, largest), sum));
}

/// x times a triangle of ones along an axis, which becomes the last one.
static Value runningSum(Builder &b, const Value &x, int64_t axis) {
  int64_t size = x.size(axis);
  Value row = b.iota({size, size}, 0), column = b.iota({size, size}, 1);
  Value ones = b.convert(b.compare("LE", row, column), x.type.element);
  return b.dot(x, ones, {}, {}, {axis}, {0});
}

// A running sum is a product with a triangle of ones. In that product 0 * inf
// would reach elements before the infinity, so infinities and NaNs are counted
// separately.
void cumsum(Builder &b) {
  Value x = b.counted(b.tensor(0));
  if (x.rank() == 0)
    return b.result(x);
  int64_t axis = b.axis(1, "dim", 0, x.rank());
  Value sum;
  if (x.isFloat()) {
    Value largest = b.scalar(INFINITY), none = b.zeroLike(x);
    Value isFinite = b.compare("LT", b.unary("abs", x), largest);
    auto seen = [&](const Value &other) { // neither finite nor `other`
      Value far = b.unary("not", b.binary("or", isFinite, other));
      return b.compare("GT",
                       runningSum(b, b.convert(far, x.type.element), axis),
                       b.scalar(0));
    };
    Value up = seen(b.compare("LT", x, none)),
          down = seen(b.compare("GT", x, none));
    Value infinite = b.select(up, largest, b.scalar(-INFINITY));
    infinite = b.select(b.binary("and", up, down), b.scalar(NAN), infinite);
    sum = runningSum(b, b.select(isFinite, x, none), axis);
    sum = b.select(b.binary("or", up, down), infinite, sum);
  } else {
    sum = runningSum(b, x, axis);
  }
  Axes order;
  for (int64_t i = 0; i < x.rank(); ++i)
    order.push_back(i == axis ? x.rank() - 1 : i > axis ? i - 1 : i);
  b.result(b.transpose(sum, order));
}

} // namespace assay::trace::aten
