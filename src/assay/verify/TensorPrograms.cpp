// Programs that combine or rearrange whole tensors. Sizes of 1 broadcast, in
// both directions: what is repeated forward is summed backward.
// Source: oneDNN's developer guide, "Binary", "PReLU", "Shuffle", "Softmax".
#include "assay/verify/TensorPrograms.h"
#include "assay/verify/EltwisePrograms.h"

#include <cmath>

using namespace assay;
using namespace assay::verify;
using mlir::Value;
using program::Builder;
using program::Dims;
using program::DimsRef;
using tensor::TensorType;

static Dims shapeOf(Value x) { return Builder::typeOf(x).shape; }

Value verify::spread(Builder &b, Value x, DimsRef shape) {
  Dims same, from = shapeOf(x);
  if (DimsRef(from) == shape)
    return x;
  for (size_t d = 0; d < from.size(); ++d)
    same.push_back(static_cast<int64_t>(d));
  return b.broadcast(x, shape, same);
}

Value verify::sumTo(Builder &b, Value x, DimsRef shape) {
  Dims axes, from = shapeOf(x);
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] != from[d])
      axes.push_back(static_cast<int64_t>(d));
  return axes.empty() ? x : b.reshape(b.reduce("add", x, axes), shape);
}

//===--- binary ----------------------------------------------------------===//

static constexpr std::pair<llvm::StringRef, llvm::StringRef> kArithmetic[] = {
    {"add", "add"},    {"sub", "subtract"}, {"mul", "multiply"},
    {"div", "divide"}, {"max", "maximum"},  {"min", "minimum"}};
static constexpr llvm::StringRef kComparisons[] = {"eq", "ne", "ge",
                                                   "gt", "le", "lt"};

static llvm::StringRef arithmeticOf(llvm::StringRef name) {
  for (auto [ours, theirs] : kArithmetic)
    if (name == ours)
      return theirs;
  return "";
}

bool verify::isBinaryFunction(llvm::StringRef name) {
  return !arithmeticOf(name).empty() || llvm::is_contained(kComparisons, name);
}

Value verify::binaryForward(Builder &builder, llvm::StringRef name, Value a,
                            Value b) {
  if (!isBinaryFunction(name))
    builder.fail("binary operation '" + name + "' is unknown");
  if (llvm::StringRef arithmetic = arithmeticOf(name); !arithmetic.empty())
    return builder.binary(arithmetic, a, b);
  return builder.convert(builder.compare(name.upper(), a, b),
                         Builder::typeOf(a).element);
}

std::string verify::binaryNameOf(mlir::Operation *op) {
  llvm::StringRef name = op->getName().getStringRef();
  if (!name.consume_front("stablehlo."))
    return "";
  for (auto [ours, theirs] : kArithmetic)
    if (name == theirs)
      return ours.str();
  auto direction = op->getAttrOfType<stablehlo::ComparisonDirectionAttr>(
      "comparison_direction");
  return direction
             ? stablehlo::stringifyComparisonDirection(direction.getValue())
                   .lower()
             : "";
}

//===--- prelu -----------------------------------------------------------===//

static Value isPositive(Builder &b, Value x) {
  return b.compare("GT", x, b.constant(0, Builder::typeOf(x)));
}

Value verify::preluForward(Builder &b, Value src, Value wei) {
  Value scaled = b.binary("multiply", src, spread(b, wei, shapeOf(src)));
  return b.select(isPositive(b, src), src, scaled);
}

PreluBackward verify::preluBackward(Builder &b, Value src, Value wei,
                                    Value diffDst) {
  TensorType type = Builder::typeOf(src);
  Value scaled = b.binary("multiply", diffDst, spread(b, wei, type.shape));
  Value negative = b.binary("minimum", src, b.constant(0, type));
  return {b.select(isPositive(b, src), diffDst, scaled),
          sumTo(b, b.binary("multiply", negative, diffDst), shapeOf(wei))};
}

//===--- shuffle ---------------------------------------------------------===//

Value verify::shuffle(Builder &b, Value x, int64_t axis, int64_t rows) {
  Dims shape = shapeOf(x), split, order;
  int64_t rank = static_cast<int64_t>(shape.size());
  for (int64_t d = 0; d < rank; ++d) {
    order.push_back(d < axis ? d : d + 1);
    if (d == axis)
      order.push_back(d);
    split.push_back(d == axis ? rows : shape[d]);
    if (d == axis)
      split.push_back(shape[d] / rows);
  }
  return b.reshape(b.transpose(b.reshape(x, split), order), shape);
}

//===--- softmax ---------------------------------------------------------===//

/// One value per line of x along `axis`, given to every element of the line.
static Value alongLine(Builder &b, Value perLine, Value x, int64_t axis) {
  Dims kept, shape = shapeOf(x);
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d)
    if (d != axis)
      kept.push_back(d);
  return b.broadcast(perLine, shape, kept);
}

/// exp or log, as accurate as an elementwise function has to be.
static Value elementwise(Builder &b, const char *function, Value x) {
  return eltwiseForward(b, {function, 0, 0}, x);
}

Value verify::softmaxForward(Builder &b, Value x, int64_t axis,
                             SoftmaxForm form) {
  Value largest = b.reduce("maximum", x, {axis}), isEmpty;
  TensorType line = Builder::typeOf(largest);
  if (form == SoftmaxForm::InfAsZero) {
    isEmpty = b.compare("EQ", largest, b.constant(-INFINITY, line));
    largest = b.select(isEmpty, b.constant(0, line), largest);
  }
  Value shifted = b.binary("subtract", x, alongLine(b, largest, x, axis));
  Value powers = elementwise(b, "exp", shifted);
  Value sum = b.reduce("add", powers, {axis});
  if (form == SoftmaxForm::Logarithm)
    return b.binary("subtract", shifted,
                    alongLine(b, elementwise(b, "log", sum), x, axis));
  if (isEmpty)
    sum = b.select(isEmpty, b.constant(1, line), sum);
  return b.binary("divide", powers, alongLine(b, sum, x, axis));
}

Value verify::softmaxBackward(Builder &b, Value dst, Value diffDst,
                              int64_t axis, SoftmaxForm form) {
  bool logarithm = form == SoftmaxForm::Logarithm;
  Value terms = logarithm ? diffDst : b.binary("multiply", dst, diffDst);
  Value sum = alongLine(b, b.reduce("add", terms, {axis}), dst, axis);
  if (!logarithm)
    return b.binary("multiply", dst, b.binary("subtract", diffDst, sum));
  Value powers = elementwise(b, "exp", dst);
  return b.binary("subtract", diffDst, b.binary("multiply", powers, sum));
}
