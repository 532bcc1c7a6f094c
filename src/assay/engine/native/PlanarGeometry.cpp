#include "assay/engine/native/PlanarGeometry.h"

namespace assay::engine {

using tensor::Shape;

std::optional<int64_t> mergedStride(llvm::ArrayRef<FilterDim> dims) {
  std::optional<int64_t> inner;
  int64_t next = 0;
  for (const FilterDim &dim : llvm::reverse(dims)) {
    if (dim.size == 1)
      continue;
    if (inner && dim.stride != next)
      return std::nullopt;
    if (!inner)
      inner = dim.stride;
    next = dim.stride * dim.size;
  }
  return inner.value_or(1);
}

/// True when the spatial dimensions of a tensor are adjacent, row-major.
static bool isPlanar(const Shape &strides, llvm::ArrayRef<int64_t> spatial,
                     llvm::ArrayRef<int64_t> sizes) {
  int64_t next = 1;
  for (size_t d = spatial.size(); d-- > 0;) {
    if (sizes[d] != 1 && strides[spatial[d]] != next)
      return false;
    next *= sizes[d];
  }
  return true;
}

/// The other end of a window's dimension is where it begins.
static void flip(PlanarGeometry &g, size_t d) {
  FilterDim &tap = g.filterTap[d];
  g.filterOffset += (tap.size - 1) * tap.stride;
  tap.stride = -tap.stride;
}

/// A filter in reversed order (as a gradient of the data reads it) is read
/// forwards: true when its taps are now counted from the last one.
static bool mirror(PlanarGeometry &g) {
  bool backwards = g.w.taps() > 1;
  for (const FilterDim &tap : g.filterTap)
    backwards &= tap.size == 1 || tap.stride < 0;
  for (size_t d = 0; backwards && d < 3; ++d)
    flip(g, d);
  return backwards;
}

static void setGrid(PlanarGeometry &g, bool mirrored) {
  UnfoldGrid &grid = g.grid;
  geometry::Axes3 axes = g.w.three();
  auto three = [&](int64_t geometry::Axis::*of) {
    return UnfoldGrid::Sizes{axes[0].*of, axes[1].*of, axes[2].*of};
  };
  using geometry::Axis;
  UnfoldGrid::Sizes in = three(&Axis::in), out = three(&Axis::out),
                    kernel = three(&Axis::kernel), stride = three(&Axis::stride),
                    dilation = three(&Axis::dilation), low = three(&Axis::low),
                    spread = three(&Axis::baseDilation);
  if (g.way == PlanarWay::Accumulate) {
    grid = {in, out, kernel, stride, dilation, low};
    return;
  }
  // Unfold: position p and tap t read the input at p * stride + t * dilation -
  // low. Fold: tap t puts the input's position x at x * spread - t * dilation +
  // low.
  for (size_t d = 0; d < 3; ++d) {
    if (mirrored) { // t = kernel - 1 - row
      low[d] -= (kernel[d] - 1) * dilation[d];
      dilation[d] = -dilation[d];
    }
    if (g.way == PlanarWay::Fold)
      low[d] = -low[d], dilation[d] = -dilation[d];
  }
  grid = g.way == PlanarWay::Unfold
             ? UnfoldGrid{in, kernel, out, dilation, stride, low}
             : UnfoldGrid{out, kernel, in, dilation, spread, low};
}

/// How the sums are made, or nullopt when the input is dilated in a way that
/// only strides of 1 can undo.
static std::optional<PlanarWay> wayOf(const PlanarGeometry &g, bool mirrored) {
  const geometry::Convolution &w = g.w;
  bool dense = w.all(&geometry::Axis::stride, 1);
  if (w.hasDilatedInput())
    return dense ? std::optional(PlanarWay::Fold) : std::nullopt;
  // A window of about the input's size, over one entry: the gradient of a filter
  // with one input channel, whose features are the image's entries.
  bool overEntries =
      g.batch() == 1 && w.groupIn() > 1 && w.positions() < w.taps() && !mirrored;
  if (g.lhsFeature > g.lhsBatch || overEntries)
    return PlanarWay::Accumulate;
  const FilterDim(&t)[3] = g.filterTap;
  bool asIs = mergedStride({g.filterIn, t[0], t[1], t[2]}).has_value(),
       turned = mergedStride({g.filterOut, t[0], t[1], t[2]}).has_value();
  // Folding multiplies with all of the input, whatever the result's size.
  bool folds = dense && turned && !asIs && w.inPositions() <= 2 * w.positions();
  return folds ? PlanarWay::Fold : PlanarWay::Unfold;
}

std::optional<PlanarGeometry> planarGeometry(const ConvRequest &request) {
  auto dims = request.dims;
  const geometry::Convolution &w = request.w;
  const Layout &filter = request.filter;
  Shape lhs = tensor::rowMajorStrides(request.spec.operands[0].shape),
        out = tensor::rowMajorStrides(request.spec.results[0].shape);
  if (w.axes.size() > 3 || w.axes.empty() ||
      !isPlanar(lhs, dims.getInputSpatialDimensions(),
                w.sizes(&geometry::Axis::in)) ||
      !isPlanar(out, dims.getOutputSpatialDimensions(),
                w.sizes(&geometry::Axis::out)))
    return std::nullopt;
  PlanarGeometry g;
  g.w = w;
  g.lhsBatch = lhs[dims.getInputBatchDimension()];
  g.lhsFeature = lhs[dims.getInputFeatureDimension()];
  g.lhsGroup =
      w.batchGroups > 1 ? g.batch() * g.lhsBatch : w.groupIn() * g.lhsFeature;
  g.outBatch = out[dims.getOutputBatchDimension()];
  g.outFeature = out[dims.getOutputFeatureDimension()];
  g.outGroup = w.groupOut() * g.outFeature;
  g.filterOffset = filter.offset;
  g.filterOut = {w.groupOut(), filter.strides[dims.getKernelOutputFeatureDimension()]};
  g.filterIn = {w.groupIn(),
                filter.strides[dims.getKernelInputFeatureDimension()]};
  size_t rank = w.axes.size(), first = 3 - rank;
  for (size_t d = 0; d < rank; ++d) {
    g.filterTap[first + d] = {
        w.axes[d].kernel, filter.strides[dims.getKernelSpatialDimensions()[d]]};
    if (w.axes[d].reversed)
      flip(g, first + d);
  }
  bool mirrored = mirror(g);
  std::optional<PlanarWay> way = wayOf(g, mirrored);
  if (!way || (mirrored && *way == PlanarWay::Accumulate))
    return std::nullopt;
  g.way = *way;
  setGrid(g, mirrored);
  return g;
}

} // namespace assay::engine
