// Normalisations as operations. Everything is computed in the layout's shape;
// small tensors are reshaped to the dimensions that they depend on and
// broadcast. The inverse of the deviation is a rsqrt, whose bound leaves room
// for engines that divide by a root and for those that multiply by its inverse.
#include "assay/formulas/Norms.h"
#include "assay/support/Math.h"
#include "assay/formulas/Folds.h"
#include "llvm/ADT/STLExtras.h"

using namespace assay;
using namespace assay::formulas;
using mlir::Value;
using program::Builder;
using program::Dims;
using program::DimsRef;
using tensor::TensorType;

NormLayout NormLayout::layer(DimsRef src) {
  NormLayout layout{Dims(src), {}, {static_cast<int64_t>(src.size()) - 1}};
  for (int64_t d = 0; d + 1 < static_cast<int64_t>(src.size()); ++d)
    layout.statistics.push_back(d);
  return layout;
}

NormLayout NormLayout::batch(DimsRef src) { return {Dims(src), {1}, {1}}; }

NormLayout NormLayout::group(DimsRef src, int64_t groups) {
  Dims shape{src[0], groups, src[1] / groups};
  shape.append(src.begin() + 2, src.end());
  return {shape, {0, 1}, {1, 2}};
}

namespace {
/// The operations on one layout.
class Norm {
public:
  Norm(Builder &builder, const NormOptions &options, const NormTensors &tensors)
      : b_(builder), options_(options), tensors_(tensors) {
    src_ = view(tensors.src);
    type_ = Builder::typeOf(src_);
  }

  NormForward forward();
  NormBackward backward();

private:
  Value view(Value x) {
    return x ? b_.reshape(x, options_.layout.shape) : Value();
  }
  Value add(Value a, Value b) { return b_.binary("add", a, b); }
  Value times(Value a, Value b) { return b_.binary("multiply", a, b); }
  Value minus(Value a, Value b) { return b_.binary("subtract", a, b); }
  Value number(double value, Value like) {
    return b_.constant(value, Builder::typeOf(like));
  }
  /// x over the dimensions `of`, spread over the whole shape.
  Value spread(Value x, const Dims &of) {
    Dims sizes;
    for (int64_t d : of)
      sizes.push_back(options_.layout.shape[static_cast<size_t>(d)]);
    return b_.broadcast(b_.reshape(x, sizes), options_.layout.shape, of);
  }
  Value perStatistic(Value x) { return spread(x, options_.layout.statistics); }
  Value perChannel(Value x) { return spread(x, options_.layout.channels); }
  Value flat(Value x) {
    int64_t count = product(Builder::typeOf(x).shape);
    return b_.reshape(x, {count});
  }
  /// The sum of x over all dimensions except `kept`.
  Value sum(Value x, const Dims &kept) {
    Dims axes;
    for (int64_t d = 0, rank = static_cast<int64_t>(type_.shape.size());
         d < rank; ++d)
      if (!llvm::is_contained(kept, d))
        axes.push_back(d);
    return b_.reduce("add", x, axes);
  }
  Value mean(Value x) {
    Value total = sum(x, options_.layout.statistics);
    double count = 1;
    for (size_t d = 0; d < type_.shape.size(); ++d)
      if (!llvm::is_contained(options_.layout.statistics,
                              static_cast<int64_t>(d)))
        count *= static_cast<double>(type_.shape[d]);
    return dividedBy(b_, total, count);
  }
  /// Sets centred_ (src - mean) and inverse_, and mean_ and var_ on the way.
  void statistics();
  Value output();

  Builder &b_;
  const NormOptions &options_;
  const NormTensors &tensors_;
  Value src_, mean_, var_, centred_, inverse_;
  TensorType type_;
};
} // namespace

void Norm::statistics() {
  mean_ = tensors_.mean, var_ = tensors_.var;
  if (!var_ && !options_.rms)
    mean_ = mean(src_);
  centred_ = options_.rms ? src_ : minus(src_, perStatistic(mean_));
  if (!var_)
    var_ = mean(times(centred_, centred_));
  Value moved = add(var_, number(options_.epsilon, var_));
  inverse_ = perStatistic(b_.unary("rsqrt", moved));
}

// The result before relu.
Value Norm::output() {
  Value y = times(centred_, inverse_);
  if (tensors_.scale)
    y = times(y, perChannel(tensors_.scale));
  if (tensors_.shift)
    y = add(y, perChannel(tensors_.shift));
  return tensors_.add ? add(y, view(tensors_.add)) : y;
}

NormForward Norm::forward() {
  statistics();
  Value y = output();
  if (options_.relu)
    y = b_.binary("maximum", y, number(0, y));
  NormForward result;
  result.dst = b_.reshape(y, Builder::typeOf(tensors_.src).shape);
  result.mean = mean_ ? flat(mean_) : Value();
  result.var = flat(var_);
  return result;
}

NormBackward Norm::backward() {
  statistics();
  Value dy = view(tensors_.diffDst);
  if (options_.relu) {
    Value y = output(), zero = number(0, y);
    dy = b_.select(b_.compare("GT", y, zero), dy, zero);
  }
  Value h = times(centred_, inverse_);
  Value g = tensors_.scale ? times(dy, perChannel(tensors_.scale)) : dy;
  Arithmetic plain(b_);
  Value toSrc = options_.given
                    ? times(g, inverse_)
                    : normGradient(plain, g, h, inverse_, options_.rms,
                                   [&](Value x) { return perStatistic(mean(x)); });
  Dims srcShape(Builder::typeOf(tensors_.src).shape);
  NormBackward result;
  result.diffSrc = b_.reshape(toSrc, srcShape);
  if (tensors_.add)
    result.diffAdd = b_.reshape(dy, srcShape);
  if (options_.scaleGradient)
    result.diffScale = flat(sum(times(dy, h), options_.layout.channels));
  if (options_.shiftGradient)
    result.diffShift = flat(sum(dy, options_.layout.channels));
  return result;
}

Value formulas::normGradient(Arithmetic &a, Value g, Value h, Value r, bool rms,
                             llvm::function_ref<Value(Value)> mean) {
  Value rest = rms ? g : a.sub(g, mean(g));
  return a.mul(a.sub(rest, a.mul(h, mean(a.mul(g, h)))), r);
}

NormForward formulas::normForward(Builder &builder, const NormOptions &options,
                                const NormTensors &tensors) {
  return Norm(builder, options, tensors).forward();
}

NormBackward formulas::normBackward(Builder &builder, const NormOptions &options,
                                  const NormTensors &tensors) {
  return Norm(builder, options, tensors).backward();
}
