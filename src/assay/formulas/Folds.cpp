// Reductions and attention. Attention keeps groups of heads that share keys as
// a separate dimension, [b, h', h / h', s, d], so that nothing is copied.
// Masked scores do not count: they are left out of the maximum, and their
// exponentials are replaced by 0, so that no infinity occurs on the way.
#include "assay/formulas/Folds.h"

#include <cmath>
#include <limits>

using namespace assay;
using namespace assay::formulas;
using mlir::Value;
using program::Builder;
using program::Dims;
using program::DimsRef;
using tensor::TensorType;

//===--- Reductions ------------------------------------------------------===//

Value formulas::dividedBy(Builder &b, Value x, Value counts) {
  Value one = b.constant(1, Builder::typeOf(counts));
  return b.binary("multiply", x, b.binary("divide", one, counts));
}

Value formulas::dividedBy(Builder &b, Value x, double count) {
  TensorType type = Builder::typeOf(x);
  int exponent;
  if (std::frexp(count, &exponent) == 0.5)
    return b.binary("multiply", x, b.constant(1 / count, type));
  return dividedBy(b, x, b.constant(count, type));
}

/// |x|^p with as few roundings as p allows.
static Value power(Builder &b, Value x, double p) {
  if (p == 1)
    return b.unary("abs", x);
  if (p == 2)
    return b.binary("multiply", x, x);
  return b.binary("power", b.unary("abs", x),
                  b.constant(p, Builder::typeOf(x)));
}

static Value root(Builder &b, Value x, double p) {
  if (p == 1)
    return x;
  if (p == 2)
    return b.unary("sqrt", x);
  return b.binary("power", x, b.constant(1 / p, Builder::typeOf(x)));
}

static llvm::StringRef combinerOf(FoldRule rule) {
  switch (rule) {
  case FoldRule::Max:
    return "maximum";
  case FoldRule::Min:
    return "minimum";
  case FoldRule::Product:
    return "multiply";
  default:
    return "add";
  }
}

Value formulas::foldForward(Builder &b, const Fold &fold, Value src,
                          DimsRef dst) {
  TensorType type = Builder::typeOf(src);
  if (dst.size() != type.shape.size()) {
    b.fail("a reduction keeps the number of dimensions");
    return src;
  }
  Dims axes;
  double count = 1;
  for (size_t d = 0; d < dst.size(); ++d)
    if (dst[d] != type.shape[d]) {
      axes.push_back(static_cast<int64_t>(d));
      count *= static_cast<double>(type.shape[d]);
    }
  Value x = fold.rule == FoldRule::Norm ? power(b, src, fold.p) : src;
  x = b.reshape(b.reduce(combinerOf(fold.rule), x, axes), dst);
  TensorType result = Builder::typeOf(x);
  if (fold.rule == FoldRule::Mean)
    return dividedBy(b, x, count);
  if (fold.rule != FoldRule::Norm)
    return x;
  x = b.binary(fold.epsilonIsFloor ? "maximum" : "add", x,
               b.constant(fold.epsilon, result));
  return fold.root ? root(b, x, fold.p) : x;
}

//===--- Attention -------------------------------------------------------===//

namespace {
/// The operations of one attention; scores are [b, h', h / h', s, t].
class Attend {
public:
  Attend(Builder &builder, const Attention &attention)
      : b_(builder), a_(attention) {
    q_ = Builder::typeOf(a_.q), v_ = Builder::typeOf(a_.v);
    int64_t shared = v_.shape[1];
    rows_ = {q_.shape[0], shared, q_.shape[1] / shared, q_.shape[2]};
    scores_ = rows_;
    scores_.push_back(v_.shape[2]);
  }
  Value result();

private:
  Value scores();
  Value scaled(Value x);
  Value masked(Value x);
  /// Whether key j counts for query i, null where all do.
  Value counts();
  /// Whether a query has keys at all, for BottomRight.
  Value hasKeys();
  Value perRow(Value x) { return b_.broadcast(x, scores_, {0, 1, 2, 3}); }
  Value number(double value, DimsRef shape) {
    return b_.constant(value, {q_.element, tensor::Shape(shape)});
  }

  Builder &b_;
  const Attention &a_;
  TensorType q_, v_;
  Dims rows_, scores_;
};
} // namespace

Value Attend::scaled(Value x) {
  if (!a_.scale)
    return b_.binary(
        "multiply", x,
        number(1 / std::sqrt(static_cast<double>(q_.shape[3])), scores_));
  Value scale = b_.broadcast(b_.reshape(a_.scale, {}), scores_, {});
  return b_.binary(a_.divides ? "divide" : "multiply", x, scale);
}

Value Attend::masked(Value x) {
  if (!a_.mask)
    return x;
  TensorType type = Builder::typeOf(a_.mask);
  Dims sizes, where;
  // [b, h, s, t] with sizes of 1 left out: the others are broadcast.
  for (size_t d = 0; d < 4; ++d) {
    if (type.shape[d] == 1)
      continue;
    if (d == 1) {
      sizes.append({scores_[1], scores_[2]});
      where.append({1, 2});
      continue;
    }
    sizes.push_back(type.shape[d]);
    where.push_back(static_cast<int64_t>(d ? d + 1 : 0));
  }
  Value mask = b_.broadcast(b_.reshape(a_.mask, sizes), scores_, where);
  return b_.binary("add", x, mask);
}

Value Attend::scores() {
  Dims q(rows_);
  q.push_back(q_.shape[3]);
  Value x = b_.dot(b_.reshape(a_.q, q), a_.k, {0, 1}, {0, 1}, {4}, {2});
  return masked(scaled(x));
}

Value Attend::counts() {
  if (a_.form != MaskForm::TopLeft && a_.form != MaskForm::BottomRight)
    return {};
  TensorType type{numerics::ElementType::integer(64), tensor::Shape(scores_)};
  int64_t shift =
      a_.form == MaskForm::BottomRight ? scores_[4] - scores_[3] : 0;
  Value last =
      b_.binary("add", b_.iota(type, 3), b_.integerConstant(shift, type));
  return b_.compare("LE", b_.iota(type, 4), last);
}

Value Attend::hasKeys() {
  TensorType type{numerics::ElementType::integer(64), tensor::Shape(rows_)};
  return b_.compare("GE", b_.iota(type, 3),
                    b_.integerConstant(scores_[3] - scores_[4], type));
}

Value Attend::result() {
  Value x = scores(), keep = counts(), zero = number(0, scores_);
  constexpr double kLowest = -std::numeric_limits<float>::max();
  Value seen = keep ? b_.select(keep, x, number(kLowest, scores_)) : x;
  Value top = perRow(b_.reduce("maximum", seen, {4}));
  Value below = b_.binary("subtract", x, top);
  Value e =
      b_.unary("exponential", keep ? b_.select(keep, below, zero) : below);
  if (keep)
    e = b_.select(keep, e, zero);
  Value sum = b_.reduce("add", e, {4});
  if (a_.form == MaskForm::BottomRight)
    sum = b_.select(hasKeys(), sum, number(1, rows_));
  Value weights = b_.binary("divide", e, perRow(sum));
  Value dst = b_.dot(weights, a_.v, {0, 1}, {0, 1}, {4}, {2});
  return b_.reshape(dst, {q_.shape[0], q_.shape[1], q_.shape[2], v_.shape[3]});
}

Value formulas::attentionForward(Builder &b, const Attention &attention) {
  return Attend(b, attention).result();
}
