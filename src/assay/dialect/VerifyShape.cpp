// Verifiers of Shape.td: the result has the shape that Infer.h computes, and
// the element type of the operand.
#include "assay/dialect/ShapeOperands.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/dialect/Verify.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

namespace assay::stablehlo {

using namespace mlir;

/// Checks that a shape operand has one number for each of `rank` dimensions, if
/// its length is known.
static LogicalResult expectLength(Operation *op, StringRef name, Value shape,
                                  int64_t rank) {
  if (sameDim(shapeOf(shape)[0], rank))
    return success();
  return op->emitOpError() << "'" << name << "' must have " << rank
                           << " elements, got " << shapeOf(shape)[0];
}

/// Checks that the result is static or has one dynamic dimension with a bound:
/// then its memory is known, and only the number of valid elements is not.
static LogicalResult expectOneBounded(Operation *op) {
  RankedTensorType type = tensorType(op->getResult(0));
  auto extensions = dyn_cast_if_present<TypeExtensionsAttr>(type.getEncoding());
  int64_t unknown = type.getNumDynamicDims();
  if (unknown == 0 ||
      (unknown == 1 && extensions &&
       llvm::any_of(llvm::zip(type.getShape(), extensions.getBounds()),
                    [](auto pair) {
                      return ShapedType::isDynamic(std::get<0>(pair)) &&
                             !ShapedType::isDynamic(std::get<1>(pair));
                    })))
    return success();
  return op->emitOpError() << "result must have a static shape, or one dynamic "
                              "dimension with a bound, got "
                           << type;
}

/// Checks that the number of dimensions is known.
static LogicalResult expectStaticLength(Operation *op, StringRef name,
                                        Value shape) {
  if (!ShapedType::isDynamic(shapeOf(shape)[0]))
    return success();
  return op->emitOpError() << "'" << name << "' must have a static shape, got "
                           << shape.getType();
}

LogicalResult ConstantOp::verify() {
  ShapedType literal = getValue().getShapedType();
  Type element = elementOf(getOutput());
  if (!tensorType(getOutput()).hasStaticShape() ||
      literal.getShape() != shapeOf(getOutput())) // constant_c1
    return emitOpError() << "literal of type " << literal
                         << " does not have the shape of the result, "
                         << getType();
  if (literal.getElementType() != element &&
      storageOf(element) != literal.getElementType()) // constant_c1
    return emitOpError() << "literal of type " << literal
                         << " does not have the element type of the result, "
                         << element;
  return success();
}

static LogicalResult expectStatic(Operation *op) {
  if (tensorType(op->getResult(0)).hasStaticShape())
    return success();
  return op->emitOpError() << "result must have a static shape, got "
                           << op->getResult(0).getType();
}

LogicalResult IotaOp::verify() {
  if (failed(expectStatic(*this)))
    return failure();
  return expectInRange(*this, "iota_dimension",
                       static_cast<int64_t>(getIotaDimension()),
                       shapeOf(getOutput()).size()); // iota_c1
}

LogicalResult DynamicIotaOp::verify() {
  int64_t rank = shapeOf(getResult()).size();
  if (failed(expectInRange(*this, "iota_dimension",
                           static_cast<int64_t>(getIotaDimension()),
                           rank))) // dynamic_iota_c1
    return failure();
  if (failed(expectLength(*this, "output_shape", getOutputShape(),
                          rank))) // dynamic_iota_c2
    return failure();
  return expectKnownShape(*this, getOutputShape());
}

LogicalResult BitcastConvertOp::verify() {
  Type from = elementOf(getOperand()), to = elementOf(getResult());
  if (isa<ComplexType>(from) != isa<ComplexType>(to)) // bitcast_convert_c2
    return emitOpError() << "converts between complex and other numbers, "
                         << from << " and " << to;
  // bitcast_convert_c1: the side with the narrower element has an additional
  // dimension.
  int64_t fromBits = bitWidth(from), toBits = bitWidth(to);
  Dims narrow(
      shapeOf(fromBits <= toBits ? Value(getOperand()) : Value(getResult())));
  Dims wide(
      shapeOf(fromBits <= toBits ? Value(getResult()) : Value(getOperand())));
  int64_t ratio = std::max(fromBits, toBits) / std::min(fromBits, toBits);
  if (fromBits != toBits) {
    if (ratio * std::min(fromBits, toBits) != std::max(fromBits, toBits))
      return emitOpError() << "element widths must divide each other, got "
                           << fromBits << " and " << toBits << " bits";
    wide.push_back(ratio);
  }
  return expectShape(*this, "operand of the narrower element type", wide,
                     narrow);
}

/// Whether scales and zero points are equal, or all equal to the single one of
/// an axis of size 1. broadcast_in_dim_c6
static bool sameScales(quant::UniformQuantizedPerAxisType from,
                       quant::UniformQuantizedPerAxisType to) {
  if (from.getScales().size() != 1)
    return from.getScales() == to.getScales() &&
           from.getZeroPoints() == to.getZeroPoints();
  return llvm::all_of(
             to.getScales(),
             [&](double scale) { return scale == from.getScales()[0]; }) &&
         llvm::all_of(to.getZeroPoints(), [&](int64_t zero) {
           return zero == from.getZeroPoints()[0];
         });
}

/// Checks that element types are the same; for per-axis quantization `axis`
/// tells whether the operand's axis becomes the result's.
static LogicalResult
expectMovedElements(Operation *op, function_ref<bool(int64_t, int64_t)> axis) {
  Type from = elementOf(op->getOperand(0)), to = elementOf(op->getResult(0));
  if (isPerAxis(from) ? !sameBaseline(from, to) || !isPerAxis(to) : from != to)
    return op->emitOpError()
           << "operand and result must have the same element type, got " << from
           << " and " << to;
  if (!isPerAxis(from))
    return success();
  if (!axis(quantizedAxis(from), quantizedAxis(to)))
    return op->emitOpError() << "result must be quantized along the dimension "
                                "that the operand is, got "
                             << from << " and " << to;
  if (!sameScales(cast<quant::UniformQuantizedPerAxisType>(from),
                  cast<quant::UniformQuantizedPerAxisType>(to)))
    return op->emitOpError() << "scales and zero points of the result must be "
                                "those of the operand, got "
                             << from << " and " << to;
  return success();
}

/// The number of elements before `axis`.
static int64_t countBefore(Shape shape, int64_t axis) {
  int64_t count = 1;
  for (int64_t dim :
       shape.take_front(std::clamp<int64_t>(axis, 0, shape.size())))
    if (__builtin_mul_overflow(count, dim, &count))
      return -1;
  return count;
}

/// reshape_c1, reshape_c3, dynamic_reshape_c1, dynamic_reshape_c3
static LogicalResult expectReshapedElements(Operation *op) {
  Shape from = shapeOf(op->getOperand(0)), to = shapeOf(op->getResult(0));
  return expectMovedElements(op, [&](int64_t fromAxis, int64_t toAxis) {
    if (llvm::any_of(from, ShapedType::isDynamic) ||
        llvm::any_of(to, ShapedType::isDynamic))
      return true;
    return fromAxis < static_cast<int64_t>(from.size()) &&
           toAxis < static_cast<int64_t>(to.size()) &&
           from[fromAxis] == to[toAxis] &&
           countBefore(from, fromAxis) == countBefore(to, toAxis);
  });
}

LogicalResult ReshapeOp::verify() {
  if (failed(expectOneBounded(*this)))
    return failure();
  auto error = [&] { return emitOpError(); };
  auto from = countElements(shapeOf(getOperand()), error),
       to = countElements(shapeOf(getResult()), error);
  if (failed(from) || failed(to))
    return failure();
  if (*from && *to && **from != **to) // reshape_c2
    return emitOpError() << "operand has " << **from << " elements, result "
                         << **to;
  return expectReshapedElements(*this);
}

LogicalResult DynamicReshapeOp::verify() {
  if (failed(expectStaticLength(*this, "output_shape", getOutputShape())) ||
      failed(expectLength(*this, "output_shape", getOutputShape(),
                          shapeOf(getResult()).size())) || // c4
      failed(expectKnownShape(*this, getOutputShape())))
    return failure();
  auto error = [&] { return emitOpError(); };
  auto from = countElements(shapeOf(getOperand()), error),
       to = countElements(
           knownValues(getOutputShape()).value_or(Dims(shapeOf(getResult()))),
           error);
  if (failed(from) || failed(to))
    return failure();
  if (*from && *to && **from != **to) // dynamic_reshape_c2
    return emitOpError() << "operand has " << **from << " elements, result "
                         << **to;
  return expectReshapedElements(*this);
}

LogicalResult BroadcastOp::verify() {
  Dims expected(getBroadcastSizes());
  for (int64_t size : expected)
    if (size < 0)
      return emitOpError() << "'broadcast_sizes' must not be negative, got "
                           << size;
  expected.append(shapeOf(getOperand()).begin(), shapeOf(getOperand()).end());
  if (failed(expectSameElements(*this, {getOperand(), getResult()})))
    return failure();
  return expectShape(*this, "result", expected, shapeOf(getResult()));
}

/// The common part of broadcast_in_dim and its dynamic form: c1 to c6.
static LogicalResult verifyBroadcast(Operation *op, Shape dims) {
  Shape from = shapeOf(op->getOperand(0)), to = shapeOf(op->getResult(0));
  if (failed(expectSize(op, "broadcast_dimensions", dims.size(),
                        from.size())) || // broadcast_in_dim_c2
      failed(expectInRange(op, "broadcast_dimensions", dims,
                           to.size())) || // broadcast_in_dim_c3
      failed(expectUnique(op, "broadcast_dimensions",
                          dims))) // broadcast_in_dim_c4
    return failure();
  for (auto [index, dim] : llvm::enumerate(dims)) // broadcast_in_dim_c5
    if (from[index] != 1 && !sameDim(from[index], to[dim]))
      return op->emitOpError()
             << "dimension " << index
             << " of the operand must be 1 or that of dimension " << dim
             << " of the result, " << to[dim] << ", got " << from[index];
  return expectMovedElements(
      op, [&](int64_t fromAxis, int64_t toAxis) { // broadcast_in_dim_c1, c6
        return fromAxis < static_cast<int64_t>(dims.size()) &&
               dims[fromAxis] == toAxis;
      });
}

LogicalResult BroadcastInDimOp::verify() {
  if (failed(expectOneBounded(*this)))
    return failure();
  return verifyBroadcast(*this, getBroadcastDimensions());
}

LogicalResult DynamicBroadcastInDimOp::verify() {
  Shape expanding = getKnownExpandingDimensions().value_or(Shape());
  Shape nonexpanding = getKnownNonexpandingDimensions().value_or(Shape());
  Dims known(expanding);
  known.append(nonexpanding.begin(), nonexpanding.end());
  int64_t rank = shapeOf(getOperand()).size();
  if (failed(expectUnique(
          *this, "known_expanding_dimensions + known_nonexpanding_dimensions",
          known)) || // c8
      failed(expectInRange(*this, "known_expanding_dimensions", expanding,
                           rank)) || // c9
      failed(expectInRange(*this, "known_nonexpanding_dimensions", nonexpanding,
                           rank)) || // c10
      failed(expectStaticLength(*this, "output_dimensions",
                                getOutputDimensions())) ||
      failed(expectLength(*this, "output_dimensions", getOutputDimensions(),
                          shapeOf(getResult()).size())) || // c7
      failed(expectKnownShape(*this, getOutputDimensions())) ||
      failed(verifyBroadcast(*this, getBroadcastDimensions())))
    return failure();
  if (std::optional<Dims> to = knownValues(getOutputDimensions()))
    for (auto [size, dim] : llvm::zip_equal(shapeOf(getOperand()),
                                            getBroadcastDimensions())) // c5
      if (size != 1 && !sameDim(size, (*to)[dim]))
        return emitOpError() << "dimensions of the operand must be 1 or what "
                                "the shape operand says, "
                             << (*to)[dim] << ", got " << size;
  return success();
}

LogicalResult TransposeOp::verify() {
  if (failed(expectInferred(
          *this, inferTranspose(shapeOf(getOperand()), getPermutation(),
                                [&] { return emitOpError(); }))))
    return failure(); // transpose_c2, transpose_c3
  return expectMovedElements(
      *this,
      [&](int64_t fromAxis, int64_t toAxis) { // transpose_c1, transpose_c4
        return toAxis < static_cast<int64_t>(getPermutation().size()) &&
               getPermutation()[toAxis] == fromAxis;
      });
}

LogicalResult ReverseOp::verify() {
  if (failed(
          expectUnique(*this, "dimensions", getDimensions())) || // reverse_c2
      failed(expectInRange(*this, "dimensions", getDimensions(),
                           shapeOf(getResult()).size()))) // reverse_c3
    return failure();
  return verifySameBaselineType(*this); // reverse_c1
}

LogicalResult ConcatenateOp::verify() {
  SmallVector<Shape> inputs = llvm::map_to_vector(
      getInputs(), [](Value value) { return shapeOf(value); });
  auto dimension = static_cast<int64_t>(getDimension());
  if (failed(expectInferred(*this, inferConcatenate(inputs, dimension, [&] {
        return emitOpError();
      }))))
    return failure();
  SmallVector<Value> values(getInputs());
  values.push_back(getResult());
  return expectSameElements(*this, values); // concatenate_c1, concatenate_c5
}

LogicalResult SliceOp::verify() {
  if (failed(
          expectSameElements(*this, {getOperand(), getResult()}))) // slice_c1
    return failure();
  return expectInferred(*this,
                        inferSlice(shapeOf(getOperand()), getStartIndices(),
                                   getLimitIndices(), getStrides(),
                                   [&] { return emitOpError(); }));
}

LogicalResult RealDynamicSliceOp::verify() {
  int64_t rank = shapeOf(getOperand()).size();
  if (failed(expectSize(*this, "result dimensions", shapeOf(getResult()).size(),
                        rank)) ||
      failed(expectLength(*this, "start_indices", getStartIndices(), rank)) ||
      failed(expectLength(*this, "limit_indices", getLimitIndices(), rank)) ||
      failed(expectLength(*this, "strides", getStrides(), rank)))
    return failure();
  return expectSameElements(*this, {getOperand(), getResult()});
}

LogicalResult PadOp::verify() {
  if (failed(expectSameElements(
          *this, {getOperand(), getPaddingValue(), getResult()}))) // pad_c1
    return failure();
  return expectInferred(*this,
                        inferPad(shapeOf(getOperand()), getEdgePaddingLow(),
                                 getEdgePaddingHigh(), getInteriorPadding(),
                                 [&] { return emitOpError(); }));
}

LogicalResult DynamicPadOp::verify() {
  int64_t rank = shapeOf(getOperand()).size();
  if (failed(expectSize(*this, "result dimensions", shapeOf(getResult()).size(),
                        rank)) ||
      failed(expectLength(*this, "edge_padding_low", getEdgePaddingLow(),
                          rank)) || // dynamic_pad_c2
      failed(expectLength(*this, "edge_padding_high", getEdgePaddingHigh(),
                          rank)) ||
      failed(
          expectLength(*this, "interior_padding", getInteriorPadding(), rank)))
    return failure();
  std::optional<Dims> low = knownValues(getEdgePaddingLow()),
                      high = knownValues(getEdgePaddingHigh()),
                      interior = knownValues(getInteriorPadding());
  if (interior)
    for (int64_t amount : *interior)
      if (amount < 0) // dynamic_pad_c3
        return emitOpError()
               << "'interior_padding' must not be negative, got " << amount;
  if (low && high && interior &&
      failed(expectInferred(*this, inferPad(shapeOf(getOperand()), *low, *high,
                                            *interior, // dynamic_pad_c4
                                            [&] { return emitOpError(); }))))
    return failure();
  return expectSameElements(
      *this, {getOperand(), getPaddingValue(), getResult()}); // dynamic_pad_c1
}

LogicalResult GetDimensionSizeOp::verify() {
  return expectInRange(*this, "dimension", static_cast<int64_t>(getDimension()),
                       shapeOf(getOperand()).size()); // c1
}

LogicalResult SetDimensionSizeOp::verify() {
  auto dimension = static_cast<int64_t>(getDimension());
  int64_t rank = shapeOf(getOperand()).size();
  if (failed(expectInRange(*this, "dimension", dimension, rank)) ||
      failed(expectSize(*this, "result dimensions", shapeOf(getResult()).size(),
                        rank)))
    return failure();
  Dims expected(shapeOf(getOperand()));
  expected[dimension] = ShapedType::kDynamic;
  if (failed(expectShape(*this, "result", expected, shapeOf(getResult()))))
    return failure();
  return expectSameElements(*this, {getOperand(), getResult()});
}

} // namespace assay::stablehlo
