/// A convolution of planar images (NCHW), sorted out for PlanarConvolution.
#pragma once

#include "assay/engine/native/ConvAlgorithm.h"
#include "assay/engine/native/Unfold.h"

namespace assay::engine {

/// How the sums are made (PlanesConvolution.cpp).
enum class PlanarWay : uint8_t { Unfold, Fold, Accumulate };

/// A dimension of the filter with its stride.
struct FilterDim {
  int64_t size = 1, stride = 0;
};

/// The operation with its dimensions sorted out. Strides count elements.
struct PlanarGeometry {
  PlanarWay way = PlanarWay::Unfold;
  UnfoldGrid grid;
  geometry::Convolution w;
  int64_t batch() const { return w.batch / w.batchGroups; } ///< of a group
  int64_t lhsGroup = 0, lhsBatch = 0, lhsFeature = 0, outGroup = 0,
          outBatch = 0, outFeature = 0;
  FilterDim filterOut, filterIn, filterTap[3];
  int64_t filterOffset = 0; ///< of the first element
  bool isDirect() const { return grid.isPlane(); }
};

/// The stride of dimensions, outermost first, that continue each other; nullopt:
/// they do not.
std::optional<int64_t> mergedStride(llvm::ArrayRef<FilterDim> dims);

/// Decodes the operation; nullopt when its tensors are not planar, or its input is
/// dilated in a way that only strides of 1 can undo.
std::optional<PlanarGeometry> planarGeometry(const ConvRequest &request);

} // namespace assay::engine
