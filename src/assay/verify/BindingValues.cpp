// Values that bindings require, computed in f64 and rounded into the argument's
// type.
#include "assay/verify/BindingValues.h"
#include "assay/numerics/Convert.h"
#include "assay/support/Random.h"

#include <algorithm>
#include <cmath>

using namespace assay;
using namespace assay::verify;
using tensor::Shape;
using tensor::Tensor;

/// Replaces one line by its softmax or the logarithm of that, in place; a line
/// with a NaN or infinities stays as it is.
static void softmaxLine(double *x, int64_t count, int64_t stride, bool isLog) {
  double largest = -INFINITY, sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (!std::isfinite(x[i * stride]))
      return;
    largest = std::max(largest, x[i * stride]);
  }
  for (int64_t i = 0; i < count; ++i)
    sum += std::exp(x[i * stride] - largest);
  for (int64_t i = 0; i < count; ++i) {
    double shifted = x[i * stride] - largest;
    x[i * stride] = isLog ? shifted - std::log(sum) : std::exp(shifted) / sum;
  }
}

static void softmax(std::vector<double> &values, llvm::ArrayRef<int64_t> shape,
                    size_t axis, bool isLog) {
  int64_t inner = 1, size = shape[axis];
  for (int64_t d : shape.drop_front(axis + 1))
    inner *= d;
  auto total = static_cast<int64_t>(values.size());
  for (int64_t at = 0; at < total; at += size * inner)
    for (int64_t i = 0; i < inner; ++i)
      softmaxLine(values.data() + at + i, size, inner, isLog);
}

/// A power of two from 1/16 to 4: a scale that keeps exact data exact, and
/// whose reciprocal is exact.
static double powerNear(double value) {
  return std::exp2(
      std::clamp(std::round(std::log2(std::abs(value) + 0x1p-4)), -4.0, 2.0));
}

/// Keeps signs. Real numbers get a magnitude of 2^-1/8 to 2^1/8; a few integers
/// become 2, the others 1.
static void nearOne(std::vector<double> &values, bool areIntegers) {
  CounterRandom random(1, 0);
  double share = std::min(1.0 / 16, 24 / static_cast<double>(values.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    double size = areIntegers ? random.uniform(i) < share ? 2 : 1
                              : std::exp2(std::clamp(values[i], -1.0, 1.0) / 8);
    values[i] =
        std::isnan(values[i]) ? values[i] : std::copysign(size, values[i]);
  }
}

static llvm::Expected<std::vector<double>> valuesOf(const Tensor &tensor) {
  llvm::Expected<Tensor> dense = tensor.dense();
  if (!dense)
    return dense.takeError();
  std::vector<double> values(static_cast<size_t>(dense->size()));
  numerics::toDoubles(dense->elementType(), dense->bytes(), values.data(),
                      dense->size());
  return values;
}

/// Replaces the tensor's values by these, rounded.
static llvm::Error store(llvm::ArrayRef<double> values, Tensor &tensor) {
  llvm::Expected<Tensor> filled =
      Tensor::allocate({tensor.elementType(), Shape(tensor.shape())});
  if (!filled)
    return filled.takeError();
  numerics::convertArray(judge::types::F64, values.data(), tensor.elementType(),
                         filled->mutableBytes(), filled->size());
  tensor = std::move(*filled);
  return llvm::Error::success();
}

llvm::Error verify::applyBinding(const Binding &binding, Tensor &input) {
  using Values = Binding::Values;
  if (binding.values == Values::Any || binding.values == Values::Previous)
    return llvm::Error::success();
  llvm::Expected<std::vector<double>> values = valuesOf(input);
  if (!values)
    return values.takeError();
  bool isScale = llvm::StringRef(binding.role).starts_with("scale_");
  if (binding.values == Values::Softmax || binding.values == Values::LogSoftmax)
    softmax(*values, input.shape(), static_cast<size_t>(binding.axis),
            binding.values == Values::LogSoftmax);
  else if (binding.values == Values::Factors)
    nearOne(*values, input.elementType().isInteger());
  else
    for (double &value : *values)
      value = binding.values == Values::Constant  ? binding.value
              : binding.values == Values::NonZero ? value == 0 ? 1.0 : value
              : binding.values == Values::Positive
                  ? isScale ? powerNear(value) : std::abs(value) + 0x1p-4
                  : std::nearbyint(std::clamp(value, -8.0, 8.0));
  return store(*values, input);
}

llvm::Error verify::keepSpecial(const Binding &binding, const Tensor &special,
                                Tensor &input) {
  if (binding.values != Binding::Values::NonZero &&
      binding.values != Binding::Values::Factors)
    return llvm::Error::success();
  llvm::Expected<std::vector<double>> from = valuesOf(special),
                                      values = valuesOf(input);
  if (!from || !values)
    return llvm::joinErrors(from.takeError(), values.takeError());
  for (size_t i = 0; i < values->size(); ++i)
    if (!std::isfinite((*from)[i]) || (*from)[i] == 0)
      (*values)[i] = (*from)[i];
  return store(*values, input);
}
