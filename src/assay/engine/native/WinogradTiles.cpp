// Whether an operation is one for tiles, which size of them costs least, and how many
// fit a piece of work. Costs are counted in multiply-adds of the direct kernels.
#include "assay/engine/native/WinogradTiles.h"

#include "assay/support/Math.h"

#include <algorithm>

namespace assay::engine {

using program::ConvolutionAlgorithm;
std::optional<Refusal> refusalOfWinograd(const ConvRequest &request) {
  const StepSpec &spec = request.spec;
  const geometry::Convolution &w = request.w;
  if (spec.numeric.convolution == ConvolutionAlgorithm::Direct)
    return refuse("Winograd's transforms are not allowed");
  for (const TensorType *type :
       {&spec.operands[0], &spec.operands[1], &spec.results[0]})
    if (type->element != *numerics::parseElementType("f32"))
      return refuse("Winograd's transforms are for f32");
  using geometry::Axis;
  if (w.axes.size() != 2 || !w.all(&Axis::kernel, 3) ||
      !w.all(&Axis::stride, 1) || !w.all(&Axis::dilation, 1) ||
      w.hasDilatedInput())
    return refuse("Winograd's transforms are for windows of 3 x 3 without "
                  "strides and dilation");
  if (w.groups() != 1)
    return refuse("Winograd's transforms are for one group");
  if (!areChannelsLast(request.dims))
    return refuse("Winograd's transforms are for channels that lie last");
  return std::nullopt;
}

/// Tiles of a size, without a product.
static WinogradTiles tilesOf(const geometry::Convolution &w, int64_t results) {
  WinogradTiles t;
  t.tile.results = results;
  t.w = w;
  t.tileRows = ceilDiv(t.w.axes[0].out, results);
  t.tileColumns = ceilDiv(t.w.axes[1].out, results);
  return t;
}

//===--- Costs -----------------------------------------------------------===//

/// In multiply-adds of the direct kernels: elements of a filter that come from the last cache
/// or from memory, elements of points that are made of pixels or become results, and elements
/// of points of a filter. Source: layers of ResNet-50 on a Zen 5 (24 November 2026).
static constexpr double kFilterElement = 8, kPointElement = 8, kFilterPoint = 150;

/// Channels as the transforms take them: one that fills no vector costs as much as one.
static double inVectors(int64_t channels) {
  constexpr int64_t kLanes = 16;
  return double(channels / kLanes + channels % kLanes) * double(kLanes);
}

static double costOf(const WinogradTiles &t) {
  double points = double(t.tile.points()), tiles = double(t.allRows() * t.tileColumns),
         pair = double(t.w.features) * double(t.w.outFeatures),
         elements = inVectors(t.w.features) + inVectors(t.w.outFeatures);
  return points * (pair * (tiles + kFilterElement) + kPointElement * tiles * elements);
}

static double filterCost(const WinogradTiles &t) {
  return kFilterPoint * double(t.tile.points()) * double(t.w.features) *
         double(t.w.outFeatures);
}

/// The size that costs less.
static WinogradTiles bestTiles(const ConvRequest &request) {
  WinogradTiles small = tilesOf(request.w, 2), large = tilesOf(request.w, 4);
  if (costOf(large) < costOf(small))
    return large;
  return small;
}

static bool isForced(const ConvRequest &request) {
  return request.spec.numeric.convolution == ConvolutionAlgorithm::Winograd;
}

double costOfWinograd(const ConvRequest &request) {
  return isForced(request) ? 0 : costOf(bestTiles(request));
}

/// Points of a piece's tiles fill about half of the second-level cache, and are enough
/// for the products.
static void cut(WinogradTiles &t, const kernels::Caches &caches) {
  constexpr int64_t kFewest = 28;
  int64_t most = std::max(kFewest, caches.l2 * 5 / 8 / t.pointBytes());
  t.pieceColumns = std::min(t.tileColumns, most);
  int64_t pieces = ceilDiv(t.allRows() * t.pieceColumns, most);
  t.pieceRows = std::max<int64_t>(1, ceilDiv(t.allRows(), pieces));
  if (t.pieceColumns < t.tileColumns)
    t.pieceColumns =
        ceilDiv(t.tileColumns, ceilDiv(t.tileColumns, t.pieceColumns));
}

/// One product of all points, each with the same number of column panels.
static llvm::Error prepare(WinogradTiles &t, NativeContext &context) {
  const kernels::Machine &machine = context.registry.machine();
  kernels::WindowProblem problem;
  problem.columns = t.w.outFeatures;
  problem.channels = t.w.features;
  problem.positions = t.pieceTiles();
  std::optional<kernels::WindowBlock> block =
      kernels::windowBlock(problem, machine.isa);
  int64_t width = block->vectors * machine.isa.lanes(kernels::DataType::F32);
  problem.columns = roundUp(t.w.outFeatures, width) * t.tile.points();
  auto made = kernels::WindowProduct::prepare(
      problem, machine, context.registry.jit(), {block->vectors, block->rows});
  if (!made)
    return made.takeError();
  t.product = std::move(*made);
  return llvm::Error::success();
}

static void readFilter(WinogradTiles &t, const geometry::Convolution &w,
                       stablehlo::ConvDimensionNumbersAttr dims,
                       const Layout &filter) {
  t.filterStart = filter.offset;
  for (size_t d = 0; d < 2; ++d) {
    int64_t stride = filter.strides[dims.getKernelSpatialDimensions()[d]];
    bool reversed = w.axes[d].reversed;
    t.filterStart += reversed ? 2 * stride : 0;
    t.filterStrides.push_back(reversed ? -stride : stride);
  }
  t.filterStrides.push_back(
      filter.strides[dims.getKernelInputFeatureDimension()]);
  t.filterStrides.push_back(
      filter.strides[dims.getKernelOutputFeatureDimension()]);
}

llvm::Expected<WinogradTiles> winogradTiles(const ConvRequest &request) {
  WinogradTiles t = bestTiles(request);
  t.takesNewFilters = isForced(request) ||
                      costOf(t) + filterCost(t) < request.directCost();
  readFilter(t, request.w, request.dims, request.filter);
  cut(t, request.machine().caches);
  if (llvm::Error error = prepare(t, *request.context))
    return error;
  return t;
}

} // namespace assay::engine
