// Verifiers of Window.td: reductions, windows, map, batch normalization.
#include "assay/dialect/Stablehlo.h"
#include "assay/dialect/Verify.h"
#include "assay/dialect/Windows.h"

namespace assay::stablehlo {

using namespace mlir;

/// Whether `part` is `whole` without some of its dimensions.
static bool isPartOf(Shape part, Shape whole) {
  for (int64_t dim : whole)
    if (!part.empty() && sameDim(part.front(), dim))
      part = part.drop_front();
  return part.empty();
}

/// Checks that there are as many inputs as init values and results, that inputs
/// have the same shape, and init values the inputs' element types. Init values
/// are scalars in the specification. Upstream also allows tensors with some of
/// the dimensions of `folded`, which parse but do not run. reduce_c1 to c3,
/// reduce_window_c1 to c3
static LogicalResult expectReduction(Operation *op, ValueRange inputs,
                                     ValueRange inits, Shape folded,
                                     SmallVector<Type> &elements) {
  if (inputs.empty())
    return op->emitOpError() << "needs at least one input";
  if (op->getNumResults() != inputs.size())
    return op->emitOpError()
           << "must have as many results as inputs, " << inputs.size()
           << ", got " << op->getNumResults();
  for (auto [input, init] : llvm::zip_equal(inputs, inits)) {
    if (failed(expectShape(op, "inputs", shapeOf(inputs.front()),
                           shapeOf(input))) ||
        (!isPartOf(shapeOf(init), folded) &&
         failed(expectShape(op, "init values", {}, shapeOf(init)))) ||
        failed(expectSameElements(op, {input, init})))
      return failure();
    elements.push_back(elementOf(input));
  }
  return success();
}

static LogicalResult expectResults(Operation *op,
                                   const FailureOr<Dims> &inferred) {
  if (failed(inferred))
    return failure();
  for (Value result : op->getResults())
    if (failed(expectShape(op, "results", *inferred, shapeOf(result))))
      return failure();
  return success();
}

LogicalResult ReduceOp::verify() {
  SmallVector<Type> elements;
  Dims kept;
  if (!getInputs().empty())
    for (auto [dim, size] : llvm::enumerate(shapeOf(getInputs().front())))
      if (!llvm::is_contained(getDimensions(), static_cast<int64_t>(dim)))
        kept.push_back(size);
  if (failed(
          expectReduction(*this, getInputs(), getInitValues(), kept, elements)))
    return failure();
  auto inferred = inferReduce(shapeOf(getInputs().front()), getDimensions(),
                              [&] { return emitOpError(); });
  if (failed(expectResults(*this, inferred))) // reduce_c7
    return failure();
  return expectReducer(*this, "body", getBody(), elements, getResults(),
                       shapeOf(getInitValues().front())); // reduce_c6, c8
}

LogicalResult ReduceWindowOp::verify() {
  SmallVector<Type> elements;
  if (failed(expectReduction(*this, getInputs(), getInitValues(),
                             getWindowDimensions(), elements)))
    return failure();
  FailureOr<WindowDims> windows = windowsOf(*this);
  if (failed(windows) ||
      failed(
          expectResults(*this, inferWindows(shapeOf(getInputs().front()),
                                            *windows, // reduce_window_c14, c15
                                            [&] { return emitOpError(); }))))
    return failure();
  return expectReducer(
      *this, "body", getBody(), elements, getResults(),
      shapeOf(getInitValues().front())); // reduce_window_c13, c16
}

LogicalResult SelectAndScatterOp::verify() {
  if (failed(expectSameElements(
          *this, {getOperand(), getSource(),
                  getInitValue()})) || // select_and_scatter_c1, c3
      failed(expectShape(*this, "init value", {}, shapeOf(getInitValue()))) ||
      failed(expectShape(*this, "result", shapeOf(getOperand()),
                         shapeOf(getResult())))) // select_and_scatter_c11
    return failure();
  FailureOr<WindowDims> windows = windowsOf(*this);
  if (failed(windows))
    return failure();
  auto inferred = inferWindows(shapeOf(getOperand()), *windows,
                               [&] { return emitOpError(); });
  if (failed(inferred) || failed(expectShape(*this, "source", *inferred,
                                             shapeOf(getSource())))) // c2
    return failure();
  Type scalar = RankedTensorType::get({}, elementOf(getOperand()));
  Type pred = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  if (failed(expectRegion(*this, "select", getSelect(), {scalar, scalar},
                          pred))) // select_and_scatter_c9
    return failure();
  return expectReducer(*this, "scatter", getScatter(), elementOf(getOperand()),
                       getResult()); // c10, c12
}

LogicalResult MapOp::verify() {
  if (getInputs().empty()) // map_c2
    return emitOpError() << "needs at least one input";
  Shape shape = shapeOf(getResult());
  SmallVector<Type> arguments;
  for (Value input : getInputs()) {
    if (failed(expectShape(*this, "inputs", shape, shapeOf(input)))) // map_c1
      return failure();
    arguments.push_back(RankedTensorType::get({}, elementOf(input)));
  }
  if (!llvm::equal(getDimensions(),
                   llvm::seq<int64_t>(0, shape.size()))) // map_c3
    return emitOpError() << "'dimensions' must be all " << shape.size()
                         << " dimensions in order";
  Type result = RankedTensorType::get({}, elementOf(getResult()));
  return expectRegion(*this, "computation", getComputation(), arguments,
                      result); // map_c4
}

/// Checks shared by the batch normalizations: feature_index, one element type,
/// vectors of one number per feature, tensors of the operand's shape.
static LogicalResult verifyBatchNorm(Operation *op, int64_t feature,
                                     ValueRange vectors, ValueRange tensors) {
  Value operand = tensors.front();
  if (failed(expectInRange(op, "feature_index", feature,
                           shapeOf(operand).size()))) // batch_norm_*_c1
    return failure();
  SmallVector<Value> all(vectors);
  all.append(tensors.begin(), tensors.end());
  if (failed(expectSameElements(op, all))) // batch_norm_*_c2
    return failure();
  for (Value vector :
       vectors) // batch_norm_grad_c4, c5; batch_norm_inference_c3 to c6;
                // batch_norm_training_c3 to c6
    if (failed(expectShape(op, "values per feature", shapeOf(operand)[feature],
                           shapeOf(vector))))
      return failure();
  for (Value tensor : tensors) // batch_norm_grad_c3, batch_norm_inference_c7,
                               // batch_norm_training_c7
    if (failed(expectShape(op, "operands and result", shapeOf(operand),
                           shapeOf(tensor))))
      return failure();
  return success();
}

LogicalResult BatchNormGradOp::verify() {
  return verifyBatchNorm(
      *this, getFeatureIndex(),
      {getScale(), getMean(), getVariance(), getGradScale(), getGradOffset()},
      {getOperand(), getGradOutput(), getGradOperand()});
}

LogicalResult BatchNormInferenceOp::verify() {
  return verifyBatchNorm(*this, getFeatureIndex(),
                         {getScale(), getOffset(), getMean(), getVariance()},
                         {getOperand(), getResult()});
}

LogicalResult BatchNormTrainingOp::verify() {
  return verifyBatchNorm(
      *this, getFeatureIndex(),
      {getScale(), getOffset(), getBatchMean(), getBatchVar()},
      {getOperand(), getOutput()});
}

} // namespace assay::stablehlo
