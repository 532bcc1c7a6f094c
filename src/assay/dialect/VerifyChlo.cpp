// Verifiers of Chlo.td: broadcasting, top_k, ragged_dot, scan.
//
// Operands broadcast as in NumPy, aligned at the last dimension. With
// `broadcast_dimensions`, dimension i of the operand of lower rank is instead
// at broadcast_dimensions[i].
#include "assay/dialect/Chlo.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/dialect/Verify.h"

namespace assay::chlo {

using namespace mlir;
using namespace assay::stablehlo;

// --- Broadcasting ------------------------------------------------------------

/// Merges `shape`, whose dimension i is at place[i], into the sizes known so
/// far.
static LogicalResult mergeShape(Operation *op, Shape shape,
                                ArrayRef<int64_t> place, Dims &sizes) {
  for (auto [size, at] : llvm::zip_equal(shape, place)) {
    int64_t &known = sizes[at];
    if (known == 1 || (ShapedType::isDynamic(known) && size != 1))
      known = size;
    else if (size != 1 && !sameDim(known, size))
      return op->emitOpError()
             << "operands do not broadcast: dimension " << at
             << " of the result has sizes " << known << " and " << size;
  }
  return success();
}

/// The places of the dimensions of an operand of rank `rank` in a result of
/// rank `resultRank`.
static FailureOr<Dims> placeOf(Operation *op, int64_t rank, int64_t resultRank,
                               bool isLower) {
  auto dims = op->getAttrOfType<DenseI64ArrayAttr>("broadcast_dimensions");
  if (dims && isLower) {
    if (failed(expectSize(op, "broadcast_dimensions", dims.size(), rank)) ||
        failed(expectInRange(op, "broadcast_dimensions", dims, resultRank)) ||
        failed(expectUnique(op, "broadcast_dimensions", dims)))
      return failure();
    return Dims(dims.asArrayRef());
  }
  return llvm::to_vector(llvm::seq<int64_t>(resultRank - rank, resultRank));
}

/// Checks the element types that must agree: all except those of pred, of the
/// result of a comparison, and of a complex result.
static LogicalResult verifyElements(Operation *op) {
  SmallVector<Value> same(op->getOperands());
  if (isa<BroadcastSelectOp>(op))
    same.erase(same.begin());
  if (!isa<BroadcastCompareOp, BroadcastComplexOp>(op))
    same.push_back(op->getResult(0));
  for (Value value : same)
    if (!sameBaseline(elementOf(value), elementOf(same.front())))
      return op->emitOpError()
             << "must have one element type, got " << elementOf(same.front())
             << " and " << elementOf(value);
  if (isa<BroadcastComplexOp>(op) &&
      ComplexType::get(elementOf(op->getOperand(0))) !=
          elementOf(op->getResult(0)))
    return op->emitOpError() << "result must have element type complex<"
                             << elementOf(op->getOperand(0)) << ">, got "
                             << elementOf(op->getResult(0));
  return success();
}

LogicalResult verifyBroadcasts(Operation *op) {
  int64_t rank = 0, lowest = std::numeric_limits<int64_t>::max();
  for (Value operand : op->getOperands()) {
    rank = std::max<int64_t>(rank, shapeOf(operand).size());
    lowest = std::min<int64_t>(lowest, shapeOf(operand).size());
  }
  Dims sizes(rank, 1);
  for (Value operand : op->getOperands()) {
    int64_t own = shapeOf(operand).size();
    FailureOr<Dims> place = placeOf(op, own, rank, own == lowest && own < rank);
    if (failed(place) ||
        failed(mergeShape(op, shapeOf(operand), *place, sizes)))
      return failure();
  }
  if (failed(expectShape(op, "result", sizes, shapeOf(op->getResult(0)))))
    return failure();
  return verifyElements(op);
}

// --- Constants and top_k -----------------------------------------------------

LogicalResult ConstantOp::verify() {
  if (getValue().getShapedType().getShape() == shapeOf(getOutput()) &&
      getValue().getShapedType().getElementType() == elementOf(getOutput()))
    return success();
  return emitOpError() << "literal must have type " << getOutput().getType()
                       << ", got " << getValue().getShapedType();
}

LogicalResult ConstantLikeOp::verify() {
  if (getValue().getType() != elementOf(getResult()))
    return emitOpError() << "'value' must have type " << elementOf(getResult())
                         << ", got " << getValue().getType();
  return expectShape(*this, "result", shapeOf(getOperand()),
                     shapeOf(getResult()));
}

LogicalResult TopKOp::verify() {
  auto isUnranked = [](Type type) { return isa<UnrankedTensorType>(type); };
  if (llvm::any_of((*this)->getOperandTypes(), isUnranked) ||
      llvm::any_of((*this)->getResultTypes(), isUnranked))
    return success();
  Dims expected(shapeOf(getOperand()));
  auto k = static_cast<int64_t>(getK());
  if (expected.empty())
    return emitOpError() << "operand must have rank 1 or more";
  if (k < 0 || (!ShapedType::isDynamic(expected.back()) && k > expected.back()))
    return emitOpError() << "'k' must be within [0, " << expected.back()
                         << "], the last dimension, got " << k;
  expected.back() = k;
  if (failed(expectShape(*this, "values", expected, shapeOf(getValues()))) ||
      failed(expectShape(*this, "indices", expected, shapeOf(getIndices()))))
    return failure();
  if (!elementOf(getIndices()).isSignlessInteger(32))
    return emitOpError() << "indices must have element type i32, got "
                         << elementOf(getIndices());
  return expectSameElements(*this, {getOperand(), getValues()});
}

// --- ragged_dot --------------------------------------------------------------

/// The sizes of `shape` at `dims`.
static Dims pick(Shape shape, ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [&](int64_t dim) { return shape[dim]; });
}

/// The shape of group_sizes without its last dimension, the number of groups:
/// the dimensions of lhs outside of the ragged one.
static Dims groupSizesPrefix(Shape lhs, RaggedDotDimensionNumbersAttr dims) {
  int64_t ragged = dims.getLhsRaggedDimensions()[0];
  Dims batch(dims.getLhsBatchingDimensions()), prefix;
  if (const auto *found = llvm::find(batch, ragged);
      found != batch.end()) // ragged batch: the batches before it
    return pick(lhs, ArrayRef(batch).take_front(found - batch.begin()));
  prefix = pick(lhs, batch);
  Dims contracting(dims.getLhsContractingDimensions());
  if (const auto *found = llvm::find(contracting, ragged);
      found != contracting.end()) {
    for (int64_t dim :
         ArrayRef(contracting).take_front(found - contracting.begin()))
      prefix.push_back(lhs[dim]);
    return prefix;
  }
  for (int64_t dim = 0; dim < ragged; ++dim) // ragged row: the batches, and the
                                             // rows before it
    if (!llvm::is_contained(batch, dim) &&
        !llvm::is_contained(contracting, dim))
      prefix.push_back(lhs[dim]);
  return prefix;
}

/// The result has one product per matrix of rhs or one result per group.
static FailureOr<Dims> inferRaggedDot(RaggedDotOp op, bool raggedRow,
                                      int64_t groups, EmitError error) {
  RaggedDotDimensionNumbersAttr dims = op.getRaggedDotDimensionNumbers();
  Dims rhs(shapeOf(op.getRhs()));
  SmallVector<int64_t> rhsContract(dims.getRhsContractingDimensions()),
      rhsBatch(dims.getRhsBatchingDimensions());
  if (raggedRow) { // the group dimension is not part of the product
    int64_t group = dims.getRhsGroupDimensions()[0];
    rhs.erase(rhs.begin() + group);
    for (int64_t *dim : llvm::concat<int64_t *>(
             llvm::to_vector(llvm::make_pointer_range(rhsContract)),
             llvm::to_vector(llvm::make_pointer_range(rhsBatch))))
      *dim -= *dim > group;
  }
  auto plain = DotDimensionNumbersAttr::get(
      op.getContext(), dims.getLhsBatchingDimensions(), rhsBatch,
      dims.getLhsContractingDimensions(), rhsContract);
  FailureOr<Dims> result =
      inferDotGeneral(shapeOf(op.getLhs()), rhs, plain, error);
  bool raggedContracting = llvm::is_contained(
      dims.getLhsContractingDimensions(), dims.getLhsRaggedDimensions()[0]);
  if (succeeded(result) && raggedContracting)
    result->insert(result->begin(), groups);
  return result;
}

LogicalResult RaggedDotOp::verify() {
  // 1. The ragged dimension and the groups of rhs.
  RaggedDotDimensionNumbersAttr dims = getRaggedDotDimensionNumbers();
  int64_t lhsRank = shapeOf(getLhs()).size(),
          rhsRank = shapeOf(getRhs()).size();
  if (failed(expectSize(*this, "lhs_ragged_dimensions",
                        dims.getLhsRaggedDimensions().size(), 1)) ||
      failed(expectInRange(*this, "lhs_ragged_dimensions",
                           dims.getLhsRaggedDimensions(), lhsRank)) ||
      failed(expectInRange(*this, "lhs_batching_dimensions",
                           dims.getLhsBatchingDimensions(), lhsRank)) ||
      failed(expectInRange(*this, "lhs_contracting_dimensions",
                           dims.getLhsContractingDimensions(), lhsRank)) ||
      failed(expectInRange(*this, "rhs_group_dimensions",
                           dims.getRhsGroupDimensions(), rhsRank)))
    return failure();
  int64_t ragged = dims.getLhsRaggedDimensions()[0];
  bool raggedRow =
      !llvm::is_contained(dims.getLhsBatchingDimensions(), ragged) &&
      !llvm::is_contained(dims.getLhsContractingDimensions(), ragged);
  if (failed(expectSize(*this, "rhs_group_dimensions",
                        dims.getRhsGroupDimensions().size(),
                        raggedRow ? 1 : 0)))
    return failure();
  Dims rhsDims(dims.getRhsBatchingDimensions());
  llvm::append_range(rhsDims, dims.getRhsContractingDimensions());
  llvm::append_range(rhsDims, dims.getRhsGroupDimensions());
  if (failed(expectUnique(*this, "dimensions of rhs", rhsDims)) ||
      failed(expectInRange(*this, "dimensions of rhs", rhsDims, rhsRank)))
    return failure();
  // 2. group_sizes: one list of sizes, or one for each index of the dimensions
  // before the ragged one.
  Shape groupSizes = shapeOf(getGroupSizes());
  if (groupSizes.empty())
    return emitOpError() << "'group_sizes' must have rank 1 or more";
  int64_t groups = groupSizes.back();
  if (raggedRow &&
      !sameDim(shapeOf(getRhs())[dims.getRhsGroupDimensions()[0]], groups))
    return emitOpError() << "group dimension of rhs must have size " << groups
                         << ", got "
                         << shapeOf(getRhs())[dims.getRhsGroupDimensions()[0]];
  Dims expected = groupSizesPrefix(shapeOf(getLhs()), dims);
  expected.push_back(groups);
  if (groupSizes.size() != 1 &&
      failed(expectShape(*this, "'group_sizes'", expected, groupSizes)))
    return failure();
  // 3. The result.
  FailureOr<Dims> inferred =
      inferRaggedDot(*this, raggedRow, groups, [&] { return emitOpError(); });
  if (failed(inferred))
    return failure();
  return expectShape(*this, "result", *inferred, shapeOf(getResult()));
}

// --- scan --------------------------------------------------------------------

/// `shape` without dimension `dim`.
static Dims sliceShape(Shape shape, int64_t dim) {
  Dims slice(shape);
  slice.erase(slice.begin() + dim);
  return slice;
}

LogicalResult ScanOp::verify() {
  if (getInputs().empty() && getOutputs().empty())
    return emitOpError() << "needs at least one input or output";
  auto dim = static_cast<int64_t>(getDimension());
  int64_t length = getScanDimSize() ? static_cast<int64_t>(*getScanDimSize())
                                    : ShapedType::kDynamic;
  // 1. The arguments of the body are slices of the inputs, then the carried
  // values.
  SmallVector<Type> arguments, results;
  for (Value input : getInputs()) {
    if (failed(expectInRange(*this, "dimension", dim, shapeOf(input).size())))
      return failure();
    if (!sameDim(shapeOf(input)[dim], length))
      return emitOpError() << "inputs must have " << length << " slices, got "
                           << shapeOf(input)[dim];
    length = ShapedType::isDynamic(length) ? shapeOf(input)[dim] : length;
    arguments.push_back(RankedTensorType::get(sliceShape(shapeOf(input), dim),
                                              elementOf(input)));
  }
  llvm::append_range(arguments, getInits().getTypes());
  // 2. The results of the body are slices of the outputs, then the carried
  // values.
  for (Value output : getOutputs()) {
    if (failed(expectInRange(*this, "dimension", dim, shapeOf(output).size())))
      return failure();
    if (!sameDim(shapeOf(output)[dim], length))
      return emitOpError() << "outputs must have " << length << " slices, got "
                           << shapeOf(output)[dim];
    results.push_back(RankedTensorType::get(sliceShape(shapeOf(output), dim),
                                            elementOf(output)));
  }
  if (failed(
          expectSize(*this, "carries", getCarries().size(), getInits().size())))
    return failure();
  for (auto [init, carry] : llvm::zip_equal(getInits(), getCarries()))
    if (failed(expectShape(*this, "carries", shapeOf(init), shapeOf(carry))) ||
        failed(expectSameElements(*this, {init, carry})))
      return failure();
  llvm::append_range(results, getCarries().getTypes());
  return expectRegion(*this, "body", getBody(), arguments, results);
}

} // namespace assay::chlo
