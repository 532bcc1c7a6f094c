// Shape inference of dot_general and convolution.
#include "assay/dialect/InferDetail.h"

namespace assay::stablehlo {

using namespace mlir;

FailureOr<Dims> inferDotGeneral(Shape lhs, Shape rhs,
                                DotDimensionNumbersAttr dims, EmitError error) {
  Shape lhsBatch = dims.getLhsBatchingDimensions(),
        rhsBatch = dims.getRhsBatchingDimensions();
  Shape lhsContract = dims.getLhsContractingDimensions(),
        rhsContract = dims.getRhsContractingDimensions();
  if (lhsBatch.size() != rhsBatch.size()) // dot_general_c1
    return error() << "lhs and rhs must have as many batching dimensions, got "
                   << lhsBatch.size() << " and " << rhsBatch.size();
  if (lhsContract.size() != rhsContract.size()) // dot_general_c2
    return error()
           << "lhs and rhs must have as many contracting dimensions, got "
           << lhsContract.size() << " and " << rhsContract.size();
  Dims lhsDims = concatLists(lhsBatch, lhsContract),
       rhsDims = concatLists(rhsBatch, rhsContract);
  if (!isUniqueBelow(lhsDims, lhs.size())) // dot_general_c3, c5, c6
    return error()
           << "batching and contracting dimensions of lhs must be within [0, "
           << lhs.size() << ") and not repeat";
  if (!isUniqueBelow(rhsDims, rhs.size())) // dot_general_c4, c7, c8
    return error()
           << "batching and contracting dimensions of rhs must be within [0, "
           << rhs.size() << ") and not repeat";
  for (auto [left, right] :
       llvm::zip_equal(lhsDims, rhsDims)) // dot_general_c9, c10
    if (!dimsAgree(lhs[left], rhs[right]))
      return error() << "dimension " << left << " of lhs and " << right
                     << " of rhs must have one size, got " << lhs[left]
                     << " and " << rhs[right];
  Dims result; // dot_general_c12
  for (auto [left, right] : llvm::zip_equal(lhsBatch, rhsBatch))
    result.push_back(ShapedType::isDynamic(lhs[left]) ? rhs[right] : lhs[left]);
  for (auto [index, size] : llvm::enumerate(lhs))
    if (!llvm::is_contained(lhsDims, static_cast<int64_t>(index)))
      result.push_back(size);
  for (auto [index, size] : llvm::enumerate(rhs))
    if (!llvm::is_contained(rhsDims, static_cast<int64_t>(index)))
      result.push_back(size);
  return result;
}

/// Checks that the roles are different dimensions and that there is a spatial
/// dimension for each window.
static LogicalResult checkRoles(StringRef what, int64_t rank, int64_t first,
                                int64_t second, Shape spatial,
                                EmitError error) {
  if (static_cast<int64_t>(spatial.size()) !=
      rank - 2) // convolution_c12, c17, c19
    return error() << what << " must have " << rank - 2
                   << " spatial dimensions, got " << spatial.size();
  if (!isUniqueBelow(concatLists({first, second}, spatial),
                     rank)) // convolution_c13, c18, c20
    return error() << "dimension numbers of " << what << " must be within [0, "
                   << rank << ") and not repeat";
  return success();
}

/// Checks that `size` is a multiple of `divisor`, if it is known.
static LogicalResult checkMultiple(StringRef what, int64_t size,
                                   StringRef divisorName, int64_t divisor,
                                   EmitError error) {
  if (ShapedType::isDynamic(size) || size % divisor == 0)
    return success();
  return error() << what << ", " << size << ", must be a multiple of "
                 << divisorName << ", " << divisor;
}

static LogicalResult checkGroups(Shape lhs, Shape rhs,
                                 ConvDimensionNumbersAttr dims,
                                 int64_t featureGroups, int64_t batchGroups,
                                 EmitError error) {
  if (featureGroups <= 0 || batchGroups <= 0) // convolution_c21, c22
    return error() << "group counts must be positive, got " << featureGroups
                   << " and " << batchGroups;
  if (featureGroups != 1 && batchGroups != 1) // convolution_c23
    return error() << "'feature_group_count' and 'batch_group_count' must not "
                      "both be greater than 1";
  int64_t inputFeatures = lhs[dims.getInputFeatureDimension()];
  int64_t kernelInput = rhs[dims.getKernelInputFeatureDimension()];
  int64_t kernelOutput = rhs[dims.getKernelOutputFeatureDimension()];
  if (failed(checkMultiple("batch size of lhs",
                           lhs[dims.getInputBatchDimension()],
                           "'batch_group_count'", batchGroups,
                           error)) || // convolution_c10
      failed(checkMultiple("number of features of lhs", inputFeatures,
                           "'feature_group_count'", featureGroups,
                           error)) || // convolution_c11
      failed(checkMultiple("number of output features of rhs", kernelOutput,
                           "'batch_group_count'", batchGroups,
                           error)) || // convolution_c15
      failed(checkMultiple("number of output features of rhs", kernelOutput,
                           "'feature_group_count'", featureGroups,
                           error))) // convolution_c16
    return failure();
  if (!ShapedType::isDynamic(inputFeatures) &&
      !dimsAgree(kernelInput, inputFeatures / featureGroups)) // convolution_c14
    return error() << "number of input features of rhs must be "
                   << inputFeatures / featureGroups << ", got " << kernelInput;
  return success();
}

FailureOr<Dims> inferConvolution(Shape lhs, Shape rhs,
                                 ConvDimensionNumbersAttr dims,
                                 MutableArrayRef<WindowDim> windows,
                                 int64_t featureGroups, int64_t batchGroups,
                                 EmitError error) {
  int64_t rank = lhs.size();
  if (rhs.size() != lhs.size() || rank < 2) // convolution_c1
    return error() << "lhs and rhs must have one rank, at least 2, got "
                   << lhs.size() << " and " << rhs.size();
  if (failed(checkRoles("lhs", rank, dims.getInputBatchDimension(),
                        dims.getInputFeatureDimension(),
                        dims.getInputSpatialDimensions(), error)) ||
      failed(checkRoles("rhs", rank, dims.getKernelInputFeatureDimension(),
                        dims.getKernelOutputFeatureDimension(),
                        dims.getKernelSpatialDimensions(), error)) ||
      failed(checkRoles("the result", rank, dims.getOutputBatchDimension(),
                        dims.getOutputFeatureDimension(),
                        dims.getOutputSpatialDimensions(), error)) ||
      failed(checkGroups(lhs, rhs, dims, featureGroups, batchGroups, error)))
    return failure();
  // The shape of the result: convolution_c25.
  Dims result(rank);
  int64_t batch = lhs[dims.getInputBatchDimension()];
  result[dims.getOutputBatchDimension()] =
      ShapedType::isDynamic(batch) ? batch : batch / batchGroups;
  result[dims.getOutputFeatureDimension()] =
      rhs[dims.getKernelOutputFeatureDimension()];
  for (auto [index, window] : llvm::enumerate(windows)) {
    int64_t base = lhs[dims.getInputSpatialDimensions()[index]];
    int64_t size = rhs[dims.getKernelSpatialDimensions()[index]];
    window.size = ShapedType::isDynamic(size) ? 1 : size;
    FailureOr<int64_t> count =
        countWindows(ShapedType::isDynamic(size) ? ShapedType::kDynamic : base,
                     window, error);
    if (failed(count))
      return failure();
    result[dims.getOutputSpatialDimensions()[index]] = *count;
  }
  return result;
}

} // namespace assay::stablehlo
