// Replaces values by ones that are easy to read. The order is fixed: all of an
// input to zero, to one, to small integers; then halves, quarters, ... single
// elements to zero or one.
#include "assay/judge/program/ErrorTracker.h"
#include "assay/judge/reduce/Shrink.h"
#include "assay/numerics/Convert.h"

#include <cmath>
#include <cstring>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using tensor::Tensor;

/// Inputs with more elements are changed as wholes and in large pieces only.
static constexpr size_t kMostPieces = 512;

/// A copy whose elements are `change(value, index)`; invalid where the type
/// is not a real number.
static Tensor changed(const Tensor &tensor,
                      llvm::function_ref<double(double, size_t)> change) {
  ElementType type = tensor.elementType();
  llvm::Expected<Tensor> dense = tensor.dense();
  llvm::Expected<Tensor> copy = Tensor::allocate(tensor.type());
  if (!dense || !copy || type.isComplex()) {
    llvm::consumeError(llvm::joinErrors(dense.takeError(), copy.takeError()));
    return {};
  }
  auto width = static_cast<size_t>(type.storageBytes());
  std::memcpy(copy->mutableBytes(), dense->bytes(),
              static_cast<size_t>(dense->denseBytes()));
  std::vector<double> values(static_cast<size_t>(tensor.size()));
  numerics::toDoubles(type, dense->bytes(), values.data(), tensor.size());
  for (size_t i = 0; i < values.size(); ++i) {
    double value = change(values[i], i);
    if (value != values[i]) // unchanged values keep their bits
      numerics::convertArray(ElementType::floating(numerics::FloatFormat::F64),
                             &value, type, copy->mutableBytes() + i * width, 1);
  }
  return std::move(*copy);
}

/// The test with other values in one input. Errors: no value changes, or the
/// type is not a real number.
static llvm::Expected<TestCase>
withValues(const TestCase &test, size_t input,
           llvm::function_ref<double(double, size_t)> change) {
  TestCase other = test;
  other.inputs[input] = changed(test.inputs[input], change);
  if (!other.inputs[input].valid() || other.key() == test.key())
    return makeError(ErrorCode::InvalidArgument, "the values stay");
  return other;
}

static bool isAll(const Tensor &tensor, double value) {
  std::vector<double> values = exactValues(program::Value(tensor));
  return llvm::all_of(values, [&](double x) { return x == value; });
}

static double smallInteger(double x) {
  double rounded = std::clamp(std::nearbyint(x), -4.0, 4.0);
  return std::isfinite(x) ? rounded : x;
}

/// Sets pieces of ever smaller width to zero, or else to one.
static bool takePieces(Shrinking &work, size_t input) {
  bool any = false;
  auto size = static_cast<size_t>(work.test.inputs[input].size());
  for (size_t width = (size + 1) / 2; width > 0 && size / width <= kMostPieces;
       width = width > 1 ? (width + 1) / 2 : 0)
    any |= work.takeEach(2 * ((size + width - 1) / width), [&](size_t piece) {
      size_t at = piece / 2 * width;
      auto value = static_cast<double>(piece % 2);
      return withValues(work.test, input, [&](double old, size_t i) {
        bool isInside = i >= at && i < at + width;
        return isInside && old != 0 ? value : old; // a zero is simple already
      });
    });
  return any;
}

bool judge::shrinkValues(Shrinking &work) {
  if (!work.test.recorded.empty())
    return false;
  bool any = false;
  for (size_t input = 0; input < work.test.inputs.size(); ++input) {
    if (work.trial.spent())
      break;
    if (isAll(work.test.inputs[input], 0))
      continue;
    if (work.takeFirst(2, [&](size_t value) {
          return withValues(work.test, input, [&](double, size_t) {
            return static_cast<double>(value);
          });
        })) {
      any = true;
      continue;
    }
    if (isAll(work.test.inputs[input], 1))
      continue;
    any |= work.takeEach(1, [&](size_t) {
      return withValues(work.test, input,
                        [](double x, size_t) { return smallInteger(x); });
    });
    any |= takePieces(work, input);
  }
  return any;
}
