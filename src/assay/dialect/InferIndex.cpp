// Shape inference of gather and scatter, whose dimension numbers mirror each
// other.
#include "assay/dialect/InferDetail.h"

namespace assay::stablehlo {

using namespace mlir;

namespace {
/// The parts of the dimension numbers that gather and scatter have in common.
struct IndexDims {
  StringRef windowName, droppedName, batchingName, indicesBatchingName, mapName;
  Shape window;          // offset_dims, update_window_dims
  Shape dropped;         // collapsed_slice_dims, inserted_window_dims
  Shape batching;        // operand_batching_dims, input_batching_dims
  Shape indicesBatching; // start_indices_batching_dims,
                         // scatter_indices_batching_dims
  Shape map;             // start_index_map, scatter_dims_to_operand_dims
  int64_t vectorDim;
};
} // namespace

static LogicalResult checkList(StringRef name, Shape dims, int64_t limit,
                               bool sorted, EmitError error) {
  if (!isUniqueBelow(dims, limit))
    return error() << "'" << name << "' must be within [0, " << limit
                   << ") and not repeat";
  if (sorted && !llvm::is_sorted(dims))
    return error() << "'" << name << "' must be sorted";
  return success();
}

/// The common part of gather_c1 to c19 and scatter_c2 to c22; `rank` is the
/// rank of the values that contain the windows.
static LogicalResult checkIndexDims(Shape operand, Shape indices, int64_t rank,
                                    const IndexDims &dims, EmitError error) {
  int64_t operandRank = operand.size(), indicesRank = indices.size();
  size_t accounted =
      dims.window.size() + dims.dropped.size() + dims.batching.size();
  if (accounted != operand.size()) // gather_c1, scatter_c2
    return error() << "'" << dims.windowName << "', '" << dims.droppedName
                   << "' and '" << dims.batchingName << "' must name "
                   << operandRank << " dimensions together, got " << accounted;
  if (dims.vectorDim < 0 ||
      dims.vectorDim > indicesRank) // gather_c2, scatter_c22
    return error() << "'index_vector_dim' must be within [0, " << indicesRank
                   << "], got " << dims.vectorDim;
  int64_t vectorSize =
      dims.vectorDim < indicesRank ? indices[dims.vectorDim] : 1;
  if (!dimsAgree(vectorSize, dims.map.size())) // gather_c3, scatter_c19
    return error() << "'" << dims.mapName << "' must have " << vectorSize
                   << " elements, got " << dims.map.size();
  if (failed(checkList(dims.windowName, dims.window, rank, true,
                       error)) || // gather_c4, c5; scatter_c7, c8
      failed(checkList(dims.droppedName, dims.dropped, operandRank, true,
                       error)) || // gather_c7, c8; scatter_c10
      failed(checkList(dims.batchingName, dims.batching, operandRank, true,
                       error)) || // gather_c10; scatter_c12
      failed(checkList(dims.indicesBatchingName, dims.indicesBatching,
                       indicesRank, false, error)) || // gather_c13
      failed(checkList(dims.mapName, dims.map, operandRank, false,
                       error))) // gather_c18, scatter_c20
    return failure();
  if (!isUniqueBelow(concatLists(dims.dropped, dims.batching),
                     operandRank)) // gather_c6, scatter_c9
    return error() << "'" << dims.droppedName << "' and '" << dims.batchingName
                   << "' must not share a dimension";
  if (!isUniqueBelow(concatLists(dims.map, dims.batching),
                     operandRank)) // gather_c18, scatter_c20
    return error() << "'" << dims.mapName << "' and '" << dims.batchingName
                   << "' must not share a dimension";
  if (llvm::is_contained(dims.indicesBatching,
                         dims.vectorDim)) // gather_c15, scatter_c16
    return error() << "'" << dims.indicesBatchingName
                   << "' must not contain 'index_vector_dim'";
  if (dims.batching.size() !=
      dims.indicesBatching.size()) // gather_c16, scatter_c17
    return error() << "'" << dims.batchingName << "' and '"
                   << dims.indicesBatchingName
                   << "' must have as many elements, got "
                   << dims.batching.size() << " and "
                   << dims.indicesBatching.size();
  for (auto [own, other] : llvm::zip_equal(
           dims.batching, dims.indicesBatching)) // gather_c17, scatter_c18
    if (!dimsAgree(operand[own], indices[other]))
      return error() << "batching dimensions must have one size, got "
                     << operand[own] << " and " << indices[other];
  return success();
}

/// The shape of the indices without the dimension along which the components of
/// an index are stored.
static Dims batchSizes(Shape indices, int64_t vectorDim) {
  Dims sizes(indices);
  if (vectorDim < static_cast<int64_t>(sizes.size()))
    sizes.erase(sizes.begin() + vectorDim);
  return sizes;
}

FailureOr<Dims> inferGather(Shape operand, Shape startIndices,
                            GatherDimensionNumbersAttr numbers,
                            Shape sliceSizes, EmitError error) {
  IndexDims dims{"offset_dims",
                 "collapsed_slice_dims",
                 "operand_batching_dims",
                 "start_indices_batching_dims",
                 "start_index_map",
                 numbers.getOffsetDims(),
                 numbers.getCollapsedSliceDims(),
                 numbers.getOperandBatchingDims(),
                 numbers.getStartIndicesBatchingDims(),
                 numbers.getStartIndexMap(),
                 numbers.getIndexVectorDim()};
  int64_t indicesRank = startIndices.size();
  int64_t resultRank =
      dims.window.size() + indicesRank - (dims.vectorDim < indicesRank ? 1 : 0);
  if (failed(checkIndexDims(operand, startIndices, resultRank, dims, error)))
    return failure();
  if (sliceSizes.size() != operand.size()) // gather_c20
    return error() << "'slice_sizes' must have " << operand.size()
                   << " elements, got " << sliceSizes.size();
  Dims window;
  for (auto [index, size] : llvm::enumerate(sliceSizes)) {
    bool dropped = llvm::is_contained(dims.dropped, index) ||
                   llvm::is_contained(dims.batching, index);
    if (!ShapedType::isDynamic(size)) {
      if (size < 0 || (!ShapedType::isDynamic(operand[index]) &&
                       size > operand[index])) // gather_c21
        return error() << "'slice_sizes' must be within [0, " << operand[index]
                       << "] in dimension " << index << ", got " << size;
      if (dropped && size > 1) // gather_c9, gather_c12
        return error() << "'slice_sizes' must be at most 1 in the collapsed or "
                          "batching dimension "
                       << index << ", got " << size;
    }
    if (!dropped)
      window.push_back(size);
  }
  Dims result, batch = batchSizes(startIndices, dims.vectorDim); // gather_c22
  auto nextWindow = window.begin(), nextBatch = batch.begin();
  for (int64_t index = 0; index < resultRank; ++index)
    result.push_back(llvm::is_contained(dims.window, index) ? *nextWindow++
                                                            : *nextBatch++);
  return result;
}

LogicalResult checkScatter(Shape input, Shape indices, Shape updates,
                           ScatterDimensionNumbersAttr numbers,
                           EmitError error) {
  IndexDims dims{"update_window_dims",
                 "inserted_window_dims",
                 "input_batching_dims",
                 "scatter_indices_batching_dims",
                 "scatter_dims_to_operand_dims",
                 numbers.getUpdateWindowDims(),
                 numbers.getInsertedWindowDims(),
                 numbers.getInputBatchingDims(),
                 numbers.getScatterIndicesBatchingDims(),
                 numbers.getScatterDimsToOperandDims(),
                 numbers.getIndexVectorDim()};
  if (failed(checkIndexDims(input, indices, updates.size(), dims, error)))
    return failure();
  Dims batch = batchSizes(indices, dims.vectorDim), window; // scatter_c4
  for (auto [index, size] : llvm::enumerate(input))
    if (!llvm::is_contained(dims.dropped, index) &&
        !llvm::is_contained(dims.batching, index))
      window.push_back(size);
  if (updates.size() != batch.size() + window.size())
    return error() << "updates must have rank " << batch.size() + window.size()
                   << ", got " << updates.size();
  auto nextWindow = window.begin(), nextBatch = batch.begin();
  for (auto [index, size] : llvm::enumerate(updates)) {
    bool inWindow = llvm::is_contained(dims.window, index);
    int64_t limit = inWindow ? *nextWindow++ : *nextBatch++;
    if (inWindow && !ShapedType::isDynamic(size) &&
        !ShapedType::isDynamic(limit) && size > limit)
      return error() << "dimension " << index << " of updates must be at most "
                     << limit << ", got " << size;
    if (!inWindow && !dimsAgree(size, limit))
      return error() << "dimension " << index << " of updates must be " << limit
                     << ", got " << size;
  }
  return success();
}

} // namespace assay::stablehlo
