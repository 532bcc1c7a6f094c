// Batch normalization as elementwise operations and sums over every dimension
// except the feature dimension:
//   mean = sum(x) / n, variance = sum((x - mean)^2) / n
//   y = (x - mean) * rsqrt(variance + epsilon) * scale + offset
//   grad_offset = sum(dy), grad_scale = sum(dy * h), h the normalized operand
//   grad_operand = scale * rsqrt(variance + epsilon)
//                  * (dy - grad_offset / n - h * grad_scale / n)
// The formula of grad_operand is that of the specification with n divided out.
// Source: StableHLO specification, batch_norm_training, _inference, _grad.
#include "assay/program/ExpansionRewriter.h"

namespace assay::program {

using namespace mlir;

namespace {
class BatchNorm : public ExpansionRewriter {
public:
  explicit BatchNorm(Operation *op)
      : ExpansionRewriter(op),
        feature_(op->getAttrOfType<IntegerAttr>("feature_index").getInt()) {
    for (Value value : op->getOperands())
      in_.push_back(computable(value, typeOf(value).getElementType()));
    for (int64_t d = 0; d < typeOf(in_[0]).getRank(); ++d)
      if (d != feature_)
        others_.push_back(d);
  }

  void inference();
  void training();
  void grad();

private:
  Value add(Value a, Value b) { return binary("stablehlo.add", a, b); }
  Value minus(Value a, Value b) { return binary("stablehlo.subtract", a, b); }
  Value times(Value a, Value b) { return binary("stablehlo.multiply", a, b); }
  Value perFeature(Value x) { return spread(x, {feature_}, in_[0]); }
  /// A sum over all dimensions except the feature's, divided by the number of
  /// its terms.
  Value divided(Value total);
  Value inverseDeviation(Value variance);
  Value normalized(Value mean, Value variance) {
    return times(minus(in_[0], perFeature(mean)),
                 perFeature(inverseDeviation(variance)));
  }
  Value output(Value mean, Value variance) {
    return add(times(normalized(mean, variance), perFeature(in_[1])),
               perFeature(in_[2]));
  }

  SmallVector<Value, 5> in_;
  int64_t feature_;
  SmallVector<int64_t> others_;
};
} // namespace

Value BatchNorm::divided(Value total) {
  Type element = typeOf(total).getElementType();
  double known = 1;
  Value count;
  for (int64_t d : others_) {
    if (!typeOf(in_[0]).isDynamicDim(unsigned(d))) {
      known *= static_cast<double>(typeOf(in_[0]).getDimSize(unsigned(d)));
      continue;
    }
    Value size = sizeOf(in_[0], d);
    count = count ? times(count, size) : size;
  }
  Value divisor = scalar(known, element);
  if (count)
    divisor = times(divisor, convert(count, element));
  return binary("stablehlo.divide", total, spread(divisor, {}, total));
}

Value BatchNorm::inverseDeviation(Value variance) {
  double epsilon = op()->getAttrOfType<FloatAttr>("epsilon").getValueAsDouble();
  Value moved =
      add(variance, spread(scalar(epsilon, typeOf(variance).getElementType()),
                           {}, variance));
  return unary("stablehlo.rsqrt", moved);
}

void BatchNorm::inference() { give(0, output(in_[3], in_[4])); }

void BatchNorm::training() {
  Value mean = divided(sum(in_[0], others_));
  Value centred = minus(in_[0], perFeature(mean));
  Value variance = divided(sum(times(centred, centred), others_));
  Value made = output(mean, variance);
  give(0, made);
  give(1, mean);
  give(2, variance);
}

void BatchNorm::grad() {
  Value scale = in_[1], mean = in_[2], variance = in_[3], dy = in_[4];
  Value h = normalized(mean, variance);
  Value offsetGrad = sum(dy, others_), scaleGrad = sum(times(dy, h), others_);
  Value rest = minus(minus(dy, perFeature(divided(offsetGrad))),
                     times(h, perFeature(divided(scaleGrad))));
  Value factor = perFeature(times(scale, inverseDeviation(variance)));
  give(0, times(rest, factor));
  give(1, scaleGrad);
  give(2, offsetGrad);
}

bool expandBatchNormInference(Operation *op) {
  BatchNorm(op).inference();
  return true;
}

bool expandBatchNormTraining(Operation *op) {
  BatchNorm(op).training();
  return true;
}

bool expandBatchNormGrad(Operation *op) {
  BatchNorm(op).grad();
  return true;
}

} // namespace assay::program
