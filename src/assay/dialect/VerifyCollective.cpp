// Verifiers of Collective.td. The numbers of replicas and partitions are known
// only at run time, so groups are checked only for properties that hold in any
// grid.
#include "assay/dialect/Stablehlo.h"
#include "assay/dialect/Verify.h"

namespace assay::stablehlo {

using namespace mlir;

/// Checks that the mesh of named axes exists. Axes by number, an older form,
/// refer to a mesh of the compiler.
static LogicalResult expectMesh(Operation *op,
                                ReplicaGroupMeshAxesAttr groups) {
  auto name = dyn_cast<FlatSymbolRefAttr>(groups.getMesh());
  bool named = llvm::any_of(groups.getAxes(), llvm::IsaPred<AxisRefAttr>);
  if (!name || !named || !op->getParentOp() ||
      SymbolTable::lookupNearestSymbolFrom(op, name))
    return success();
  return op->emitOpError() << "'replica_groups' names the mesh '"
                           << name.getValue() << "', which does not exist";
}

/// Checks that ids are unique and, where groups are complete, are the numbers 0
/// to n-1; -1 fills up shorter groups. `groupSize` becomes the length of a row,
/// or -1 where the rows do not determine it. all_gather_c2 to c4, all_reduce_c1
/// to c3 and others
static LogicalResult expectGroups(Operation *op, Attribute groups,
                                  int64_t &groupSize, bool complete = true) {
  groupSize = -1;
  auto table = dyn_cast<DenseIntElementsAttr>(groups);
  if (!table)
    return expectMesh(op, cast<ReplicaGroupMeshAxesAttr>(groups));
  // A splat may claim to have more rows than fit in memory.
  if (table.isSplat() && !sameShape(table.getType().getShape(), {1, 1}))
    return op->emitOpError()
           << "'replica_groups' must not repeat a number, got "
           << table.getSplatValue<int64_t>() << " throughout";
  Dims ids;
  for (int64_t id : table.getValues<int64_t>())
    if (id != -1)
      ids.push_back(id);
  int64_t limit = complete ? ids.size() : std::numeric_limits<int64_t>::max();
  if (failed(expectUnique(op, "replica_groups", ids)) ||
      failed(expectInRange(op, "replica_groups", ids, limit)))
    return failure();
  bool ragged = static_cast<int64_t>(ids.size()) != table.getNumElements();
  groupSize = ragged ? -1 : table.getType().getShape()[1];
  return success();
}

/// With global ids the channel must have a number. all_gather_c5,
/// all_reduce_c4, reduce_scatter_c6
static LogicalResult expectChannel(Operation *op, bool globalIds,
                                   std::optional<ChannelHandleAttr> channel) {
  if (!globalIds || (channel && channel->getHandle() > 0))
    return success();
  return op->emitOpError()
         << "'use_global_device_ids' needs a channel with a positive handle";
}

/// The size of a group: the length of its row, unless partitions multiply it (a
/// channel without global ids).
static int64_t knownGroupSize(int64_t rowSize, bool globalIds,
                              std::optional<ChannelHandleAttr> channel) {
  bool multiplied = channel && channel->getHandle() > 0 && !globalIds;
  return multiplied ? -1 : rowSize;
}

/// Whether `whole` is `count` times `part`, or any multiple if count is -1.
static bool isTimes(int64_t whole, int64_t part, int64_t count) {
  if (ShapedType::isDynamic(whole) || ShapedType::isDynamic(part))
    return true;
  int64_t product;
  if (count >= 0)
    return !__builtin_mul_overflow(part, count, &product) && product == whole;
  return part == 0 ? whole == 0 : whole % part == 0;
}

/// Checks that there are as many results as operands.
static LogicalResult expectPaired(Operation *op, ValueRange operands) {
  if (operands.empty())
    return op->emitOpError() << "needs at least one operand";
  if (op->getNumResults() == operands.size())
    return success();
  return op->emitOpError() << "must have as many results as operands, "
                           << operands.size() << ", got "
                           << op->getNumResults();
}

LogicalResult AllGatherOp::verify() {
  int64_t rowSize = 0;
  if (failed(expectPaired(*this, getOperands())) ||
      failed(expectGroups(*this, getReplicaGroups(), rowSize)) ||
      failed(expectChannel(*this, getUseGlobalDeviceIds(), getChannelHandle())))
    return failure();
  // Groups of different sizes would make results of different shapes.
  auto table = dyn_cast<DenseIntElementsAttr>(getReplicaGroups());
  if (table && llvm::is_contained(table.getValues<int64_t>(), -1))
    return emitOpError() // all_gather_c4
           << "'replica_groups' must be within [0, " << table.getNumElements()
           << "), got -1";
  int64_t count =
      knownGroupSize(rowSize, getUseGlobalDeviceIds(), getChannelHandle());
  auto dim = static_cast<int64_t>(getAllGatherDim());
  for (auto [operand, result] : llvm::zip_equal(getOperands(), getResults())) {
    Dims expected(shapeOf(operand));
    if (failed(expectInRange(*this, "all_gather_dim", dim,
                             expected.size()))) // all_gather_c1
      return failure();
    expected[dim] = ShapedType::kDynamic;
    if (failed(expectShape(*this, "results", expected, shapeOf(result))) ||
        failed(expectSameElements(*this, {operand, result})))
      return failure();
    if (!isTimes(shapeOf(result)[dim], shapeOf(operand)[dim],
                 count)) // all_gather_c6
      return emitOpError() << "dimension " << dim
                           << " of the result must be that of the operand, "
                           << shapeOf(operand)[dim]
                           << ", times the size of a group, got "
                           << shapeOf(result)[dim];
  }
  return success();
}

/// Checks that each operand is reduced to a result of its shape. all_reduce_c5
/// to c7, collective_reduce_c3, c4
static LogicalResult expectFolded(Operation *op, ValueRange operands,
                                  Region &computation) {
  for (auto [operand, result] : llvm::zip(operands, op->getResults()))
    if (failed(expectShape(op, "results", shapeOf(operand), shapeOf(result))) ||
        failed(expectReducer(op, "computation", computation, elementOf(operand),
                             result)))
      return failure();
  return success();
}

LogicalResult AllReduceOp::verify() {
  int64_t rowSize = 0;
  if (failed(expectPaired(*this, getOperands())) ||
      failed(expectGroups(*this, getReplicaGroups(), rowSize)) ||
      failed(expectChannel(*this, getUseGlobalDeviceIds(), getChannelHandle())))
    return failure();
  return expectFolded(*this, getOperands(), getComputation());
}

LogicalResult AllToAllOp::verify() {
  int64_t rowSize = 0, split = getSplitDimension(),
          concat = getConcatDimension(), count = getSplitCount();
  if (failed(expectPaired(*this, getOperands())) ||
      failed(expectGroups(*this, getReplicaGroups(), rowSize))) // c5 to c7
    return failure();
  if (count <= 0) // all_to_all_c4
    return emitOpError() << "'split_count' must be positive, got " << count;
  if (rowSize >= 0 && rowSize != count) // all_to_all_c8
    return emitOpError() << "'split_count' must be the size of a group, "
                         << rowSize << ", got " << count;
  for (auto [operand, result] : llvm::zip_equal(getOperands(), getResults())) {
    Dims expected(shapeOf(operand));
    if (failed(expectInRange(*this, "split_dimension", split,
                             expected.size())) || // all_to_all_c1
        failed(expectInRange(*this, "concat_dimension", concat,
                             expected.size()))) // all_to_all_c3
      return failure();
    if (!ShapedType::isDynamic(expected[split]) &&
        expected[split] % count != 0) // all_to_all_c2
      return emitOpError() << "dimension " << split
                           << " must be a multiple of 'split_count', " << count
                           << ", got " << expected[split];
    if (split != concat) { // all_to_all_c9
      if (!ShapedType::isDynamic(expected[split]))
        expected[split] /= count;
      if (!ShapedType::isDynamic(expected[concat]) &&
          __builtin_mul_overflow(expected[concat], count, &expected[concat]))
        return emitOpError() << "size of the result does not fit 63 bits";
    }
    if (failed(expectShape(*this, "results", expected, shapeOf(result))) ||
        failed(expectSameElements(*this, {operand, result})))
      return failure();
  }
  return success();
}

/// With a dynamic root the last operand contains the root for each other
/// operand; it has no result.
static LogicalResult splitRoot(Operation *op, bool dynamicRoot,
                               ValueRange &operands) {
  if (dynamicRoot) {
    if (operands.size() < 2) // collective_broadcast_c4
      return op->emitOpError()
             << "'has_dynamic_root' needs at least two operands";
    Value root = operands.back();
    operands = operands.drop_back();
    if (!elementOf(root).isSignlessInteger(
            32) || // collective_broadcast_c4, collective_reduce_c3
        !sameShape(shapeOf(root), static_cast<int64_t>(operands.size())))
      return op->emitOpError()
             << "last operand must be tensor<" << operands.size()
             << "xi32>, the roots, got " << root.getType();
  }
  return expectPaired(op, operands); // collective_broadcast_c3, c5
}

LogicalResult CollectiveBroadcastOp::verify() {
  int64_t rowSize = 0;
  ValueRange operands = getOperands();
  if (failed(splitRoot(*this, getHasDynamicRoot(), operands)) ||
      failed(expectGroups(*this, getReplicaGroups(), rowSize,
                          /*complete=*/false))) // collective_broadcast_c1, c2
    return failure();
  for (auto [operand, result] : llvm::zip_equal(operands, getResults()))
    if (failed(
            expectShape(*this, "results", shapeOf(operand), shapeOf(result))) ||
        failed(expectSameElements(
            *this, {operand, result}))) // collective_broadcast_c3, c4
      return failure();
  return success();
}

LogicalResult CollectiveReduceOp::verify() {
  int64_t rowSize = 0;
  ValueRange operands = getOperands();
  if (failed(splitRoot(*this, getHasDynamicRoot(), operands)) ||
      failed(expectGroups(*this, getReplicaGroups(), rowSize,
                          /*complete=*/false)) || // collective_reduce_c1, c2
      failed(expectChannel(*this, getUseGlobalDeviceIds(), getChannelHandle())))
    return failure();
  return expectFolded(*this, operands,
                      getComputation()); // collective_reduce_c3, c4
}

/// Checks that no process sends twice or receives twice. collective_permute_c1
/// to c4, send_c1 to c4, recv_c1 to c4
static LogicalResult expectPairs(Operation *op,
                                 std::optional<DenseIntElementsAttr> table) {
  if (!table)
    return success();
  if (table->getType().getRank() != 2)
    return op->emitOpError()
           << "'source_target_pairs' must be 2-dimensional, got "
           << table->getType();
  if (table->isSplat() && table->getType().getShape()[0] > 1)
    return op->emitOpError()
           << "'source_target_pairs' must not repeat a pair, got "
           << table->getSplatValue<int64_t>() << " throughout";
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  if (failed(readPairs(op, "source_target_pairs", table,
                       table->getType().getShape()[0], pairs)))
    return failure();
  Dims sources, targets;
  for (auto [source, target] : pairs) {
    sources.push_back(source);
    targets.push_back(target);
    if (source < 0 || target < 0)
      return op->emitOpError()
             << "'source_target_pairs' must not be negative, got [" << source
             << ", " << target << "]";
  }
  return failure(
      failed(expectUnique(op, "sources of source_target_pairs", sources)) ||
      failed(expectUnique(op, "targets of source_target_pairs", targets)));
}

LogicalResult CollectivePermuteOp::verify() {
  if (failed(expectPairs(*this, getSourceTargetPairs())) ||
      failed(expectSameElements(
          *this, {getOperand(), getResult()}))) // collective_permute_c5
    return failure();
  return expectShape(*this, "result", shapeOf(getOperand()),
                     shapeOf(getResult()));
}

LogicalResult ReduceScatterOp::verify() {
  int64_t rowSize = 0;
  auto dim = static_cast<int64_t>(getScatterDimension());
  if (failed(expectGroups(*this, getReplicaGroups(),
                          rowSize)) || // reduce_scatter_c3 to c5
      failed(
          expectChannel(*this, getUseGlobalDeviceIds(), getChannelHandle())) ||
      failed(expectInRange(*this, "scatter_dimension", dim,
                           shapeOf(getOperand()).size()))) // reduce_scatter_c2
    return failure();
  Dims expected(shapeOf(getOperand()));
  expected[dim] = ShapedType::kDynamic;
  if (failed(expectShape(*this, "result", expected, shapeOf(getResult()))))
    return failure();
  int64_t count =
      knownGroupSize(rowSize, getUseGlobalDeviceIds(), getChannelHandle());
  if (!isTimes(shapeOf(getOperand())[dim], shapeOf(getResult())[dim],
               count)) // reduce_scatter_c1, c8
    return emitOpError() << "dimension " << dim
                         << " of the operand must be that of the result, "
                         << shapeOf(getResult())[dim]
                         << ", times the size of a group, got "
                         << shapeOf(getOperand())[dim];
  return expectReducer(*this, "computation", getComputation(),
                       elementOf(getOperand()), getResult()); // c7, c9
}

LogicalResult CrossReplicaSumOp::verify() {
  int64_t rowSize = 0;
  if (failed(expectGroups(*this, getReplicaGroups(), rowSize)))
    return failure();
  return verifySameBaselineType(*this);
}

/// Checks that there is one layout per tensor, each a list of numbers.
static LogicalResult expectInfeedLayout(InfeedOp op) {
  std::optional<ArrayAttr> layouts = op.getLayout();
  if (!layouts)
    return success();
  if (failed(expectSize(op, "layout", layouts->size(), op.getNumResults() - 1)))
    return failure();
  for (Attribute layout : *layouts) {
    auto dims = dyn_cast<ArrayAttr>(layout);
    if (!dims || !llvm::all_of(dims, llvm::IsaPred<IntegerAttr>))
      return op.emitOpError()
             << "'layout' must hold lists of numbers, got " << layout;
  }
  return success();
}

LogicalResult InfeedOp::verify() {
  if (getNumResults() == 0) // infeed_c1
    return emitOpError() << "needs at least one result, the token";
  for (Value result : getResults().drop_back()) // infeed_c2
    if (!isa<RankedTensorType>(result.getType()))
      return emitOpError() << "results before the last must be tensors, got "
                           << result.getType();
  if (!isa<TokenType>(getResults().back().getType())) // infeed_c3
    return emitOpError() << "last result must be a token, got "
                         << getResults().back().getType();
  return expectInfeedLayout(*this);
}

/// send_c5, recv_c5: channel types are 1 (device to device), 2 (device to
/// host), 3 (host to device).
static LogicalResult expectChannelType(Operation *op, ChannelHandleAttr channel,
                                       bool isHost, int64_t hostType) {
  int64_t expected = isHost ? hostType : 1;
  if (channel.getType() == expected)
    return success();
  return op->emitOpError() << "channel type must be " << expected
                           << " where 'is_host_transfer' is "
                           << (isHost ? "true" : "false") << ", got "
                           << channel.getType();
}

LogicalResult SendOp::verify() {
  if (failed(
          expectChannelType(*this, getChannelHandle(), getIsHostTransfer(), 2)))
    return failure();
  return expectPairs(*this, getSourceTargetPairs());
}

LogicalResult RecvOp::verify() {
  if (failed(expectChannelType(*this, getChannelHandle(), getIsHostTransfer(),
                               3)) ||
      failed(expectPairs(*this, getSourceTargetPairs())))
    return failure();
  if (getNumResults() == 0 || !isa<TokenType>(getResults().back().getType()))
    return emitOpError() << "last result must be a token";
  for (Value result : getResults().drop_back())
    if (!isa<RankedTensorType>(result.getType()))
      return emitOpError() << "results before the last must be tensors, got "
                           << result.getType();
  return success();
}

} // namespace assay::stablehlo
