// Verifiers of Index.td: gather, scatter, slices at computed positions, sort.
#include "assay/dialect/ShapeOperands.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/dialect/Verify.h"

namespace assay::stablehlo {

using namespace mlir;

LogicalResult GatherOp::verify() {
  if (failed(
          expectSameElements(*this, {getOperand(), getResult()}))) // gather_c23
    return failure();
  return expectInferred(
      *this, inferGather(shapeOf(getOperand()), shapeOf(getStartIndices()),
                         getDimensionNumbers(), getSliceSizes(),
                         [&] { return emitOpError(); }));
}

LogicalResult DynamicGatherOp::verify() {
  if (failed(expectSameElements(
          *this, {getOperand(), getResult()}))) // dynamic_gather_c14
    return failure();
  int64_t rank = shapeOf(getOperand()).size();
  if (!sameDim(shapeOf(getSliceSizes())[0], rank)) // dynamic_gather_c11
    return emitOpError() << "'slice_sizes' must have " << rank
                         << " elements, got " << shapeOf(getSliceSizes())[0];
  std::optional<Dims> sizes = knownValues(getSliceSizes());
  if (sizes && llvm::any_of(*sizes, [](int64_t size) { return size < 0; }))
    return emitOpError() << "'slice_sizes' must not be negative, got "
                         << DenseI64ArrayAttr::get(getContext(), *sizes);
  // dynamic_gather_c9, c12, c21 where the sizes are a constant
  return expectInferred(
      *this, inferGather(shapeOf(getOperand()), shapeOf(getStartIndices()),
                         getDimensionNumbers(),
                         sizes.value_or(Dims(rank, ShapedType::kDynamic)),
                         [&] { return emitOpError(); }));
}

LogicalResult ScatterOp::verify() {
  if (getInputs().empty()) // scatter_c5
    return emitOpError() << "needs at least one input";
  if (getNumResults() != getInputs().size())
    return emitOpError() << "must have as many results as inputs, "
                         << getInputs().size() << ", got " << getNumResults();
  Shape shape = shapeOf(getInputs().front()),
        updates = shapeOf(getUpdates().front());
  SmallVector<Type> elements;
  for (auto [input, update, result] :
       llvm::zip_equal(getInputs(), getUpdates(), getResults())) {
    if (failed(expectShape(*this, "inputs", shape,
                           shapeOf(input))) || // scatter_c1
        failed(expectShape(*this, "updates", updates,
                           shapeOf(update))) || // scatter_c3
        failed(expectShape(*this, "results", shape,
                           shapeOf(result))) ||             // scatter_c24
        failed(expectSameElements(*this, {input, update}))) // scatter_c6
      return failure();
    elements.push_back(elementOf(input));
  }
  if (failed(checkScatter(shape, shapeOf(getScatterIndices()), updates,
                          getScatterDimensionNumbers(),
                          [&] { return emitOpError(); })))
    return failure();
  return expectReducer(*this, "update_computation", getUpdateComputation(),
                       elements, getResults()); // c23, c25
}

/// Checks that there is one scalar index of the same type for each dimension.
/// dynamic_slice_c2, c3; dynamic_update_slice_c4, c5
static LogicalResult expectStarts(Operation *op, ValueRange starts,
                                  int64_t rank) {
  if (failed(expectSize(op, "start_indices", starts.size(), rank)))
    return failure();
  for (Value start : starts)
    if (start.getType() != starts.front().getType())
      return op->emitOpError()
             << "'start_indices' must have one type, got "
             << starts.front().getType() << " and " << start.getType();
  return success();
}

/// Checks 0 <= sizes <= operand.
static LogicalResult expectWithin(Operation *op, StringRef name, Shape sizes,
                                  Shape operand) {
  if (failed(expectSize(op, name, sizes.size(), operand.size())))
    return failure();
  for (auto [index, size] : llvm::enumerate(sizes))
    if (!ShapedType::isDynamic(size) &&
        (size < 0 ||
         (!ShapedType::isDynamic(operand[index]) && size > operand[index])))
      return op->emitOpError()
             << "'" << name << "' must be within [0, " << operand[index]
             << "] in dimension " << index << ", got " << size;
  return success();
}

LogicalResult DynamicSliceOp::verify() {
  Shape operand = shapeOf(getOperand());
  if (failed(expectSameElements(
          *this, {getOperand(), getResult()})) || // dynamic_slice_c1
      failed(expectStarts(*this, getStartIndices(),
                          operand.size())) || // dynamic_slice_c2, c3
      failed(expectWithin(*this, "slice_sizes", getSliceSizes(),
                          operand))) // dynamic_slice_c4
    return failure();
  return expectShape(*this, "result", getSliceSizes(),
                     shapeOf(getResult())); // dynamic_slice_c5
}

LogicalResult DynamicUpdateSliceOp::verify() {
  Shape operand = shapeOf(getOperand());
  if (failed(expectSameElements(
          *this, {getOperand(), getUpdate(),
                  getResult()})) || // dynamic_update_slice_c1, c2
      failed(expectShape(*this, "result", operand,
                         shapeOf(getResult()))) || // dynamic_update_slice_c1
      failed(expectWithin(*this, "update dimensions", shapeOf(getUpdate()),
                          operand))) // dynamic_update_slice_c3, c6
    return failure();
  return expectStarts(*this, getStartIndices(),
                      operand.size()); // dynamic_update_slice_c4, c5
}

LogicalResult TorchIndexSelectOp::verify() {
  Shape operand = shapeOf(getOperand()), index = shapeOf(getIndex());
  auto dim = static_cast<int64_t>(getDim()),
       batch = static_cast<int64_t>(getBatchDims());
  if (!(elementKind(elementOf(getIndex())) & kInt))
    return emitOpError() << "'index' must be a tensor of integers, got "
                         << getIndex().getType();
  if (failed(expectInRange(*this, "dim", dim, operand.size())))
    return failure();
  if (batch < 0 || batch > dim || batch > static_cast<int64_t>(index.size()))
    return emitOpError()
           << "'batch_dims' must be at most 'dim' and the rank of 'index', got "
           << batch;
  if (!sameShape(operand.take_front(batch), index.take_front(batch)))
    return emitOpError() << "operand and index must agree in their first "
                         << batch << " dimensions";
  Dims expected(operand.take_front(dim));
  expected.append(index.begin() + batch, index.end());
  expected.append(operand.begin() + dim + 1, operand.end());
  if (failed(expectSameElements(*this, {getOperand(), getResult()})))
    return failure();
  return expectShape(*this, "result", expected, shapeOf(getResult()));
}

LogicalResult SortOp::verify() {
  if (getInputs().empty()) // sort_c1
    return emitOpError() << "needs at least one input";
  if (getNumResults() != getInputs().size())
    return emitOpError() << "must have as many results as inputs, "
                         << getInputs().size() << ", got " << getNumResults();
  Shape shape = shapeOf(getInputs().front());
  SmallVector<Type> arguments;
  for (auto [input, result] : llvm::zip_equal(getInputs(), getResults())) {
    if (failed(expectSameElements(*this, {input, result})) || // sort_c2
        failed(
            expectShape(*this, "inputs", shape, shapeOf(input))) || // sort_c3
        failed(
            expectShape(*this, "results", shape, shapeOf(result)))) // sort_c3
      return failure();
    arguments.append(2, RankedTensorType::get({}, elementOf(input)));
  }
  auto dimension = static_cast<int64_t>(getDimension()),
       rank = static_cast<int64_t>(shape.size());
  if (dimension < -rank || dimension >= rank) // sort_c4
    return emitOpError() << "'dimension' must be within [" << -rank << ", "
                         << rank << "), got " << dimension;
  Type pred = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  return expectRegion(*this, "comparator", getComparator(), arguments,
                      pred); // sort_c5
}

} // namespace assay::stablehlo
