// Whether an operation is one for tiles, which size of them costs least, and how many
// fit a piece of work. Costs are counted in multiply-adds of the direct kernels.
#include "assay/engine/native/WinogradTiles.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/FilterGradient.h"
#include "assay/reference/Windows.h"
#include "assay/support/Math.h"

#include <algorithm>

namespace assay::engine {

using program::ConvolutionAlgorithm;
using tensor::Shape;

static Refusal refuse(const char *text) {
  return {ErrorCode::Unsupported, text};
}

static bool isDense(stablehlo::ConvDimensionNumbersAttr dims) {
  return areInOrder(dims.getInputBatchDimension(),
                    dims.getInputSpatialDimensions(),
                    dims.getInputFeatureDimension()) &&
         areInOrder(dims.getOutputBatchDimension(),
                    dims.getOutputSpatialDimensions(),
                    dims.getOutputFeatureDimension());
}

/// Why tiles do not serve the operation, by its geometry and types.
static std::optional<Refusal> refusalOf(const StepSpec &spec,
                                        const geometry::Convolution &w,
                                        stablehlo::ConvDimensionNumbersAttr dims) {
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
  if (!isDense(dims))
    return refuse("Winograd's transforms are for channels that lie last");
  return std::nullopt;
}

/// Tiles of a size, without a product.
static WinogradTiles tilesOf(const geometry::Convolution &w, int64_t results) {
  WinogradTiles t;
  t.tile.results = results;
  t.entries = w.batch, t.channels = w.features, t.outChannels = w.outFeatures;
  for (size_t d = 0; d < 2; ++d)
    t.in[d] = w.axes[d].in, t.out[d] = w.axes[d].out, t.low[d] = w.axes[d].low;
  t.tileRows = ceilDiv(t.out[0], results);
  t.tileColumns = ceilDiv(t.out[1], results);
  return t;
}

//===--- Costs -----------------------------------------------------------===//

/// What a multiply-add of the direct kernels could have been instead: bytes of a filter
/// that come from the last cache or from memory, elements of points that are made of
/// pixels or become results, and elements of points of a filter. Source: layers of
/// ResNet-50 on a Zen 5 (24 November 2026).
static constexpr double kFilterByte = 2, kPointElement = 8, kFilterPoint = 150;

/// Channels as the transforms take them: one that fills no vector costs as much as one.
static double inVectors(int64_t channels) {
  constexpr int64_t kLanes = 16;
  return double(channels / kLanes + channels % kLanes) * double(kLanes);
}

static double directCost(const WinogradTiles &t) {
  double filter = 9 * double(t.channels) * double(t.outChannels);
  return filter * (double(t.entries * t.out[0] * t.out[1]) + 4 * kFilterByte);
}

static double costOf(const WinogradTiles &t) {
  double points = double(t.tile.points()), tiles = double(t.allRows() * t.tileColumns),
         pair = double(t.channels) * double(t.outChannels),
         elements = inVectors(t.channels) + inVectors(t.outChannels);
  return points * (pair * (tiles + 4 * kFilterByte) + kPointElement * tiles * elements);
}

static double filterCost(const WinogradTiles &t) {
  return kFilterPoint * double(t.tile.points()) * double(t.channels) *
         double(t.outChannels);
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
  problem.columns = t.outChannels;
  problem.channels = t.channels;
  problem.positions = t.pieceTiles();
  std::optional<kernels::WindowBlock> block =
      kernels::windowBlock(problem, machine.isa);
  int64_t width = block->vectors * machine.isa.lanes(kernels::DataType::F32);
  problem.columns = roundUp(t.outChannels, width) * t.tile.points();
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

std::variant<WinogradTiles, Refusal> winogradTiles(const StepSpec &spec,
                                                   const Layout &filter,
                                                   NativeContext &context) {
  auto op = mlir::dyn_cast<stablehlo::ConvolutionOp>(spec.op);
  ConvolutionAlgorithm algorithm = spec.numeric.convolution;
  if (!op || algorithm == ConvolutionAlgorithm::Direct)
    return refuse("Winograd's transforms are not allowed");
  auto dims = op.getDimensionNumbers();
  geometry::Convolution w = reference::convolutionOf(spec);
  if (auto refusal = refusalOf(spec, w, dims))
    return *refusal;
  WinogradTiles t = tilesOf(w, 2), large = tilesOf(w, 4);
  if (t.allRows() * t.tileColumns * t.channels * t.outChannels == 0)
    return refuse("the convolution is empty");
  if (costOf(large) < costOf(t))
    t = std::move(large);
  bool always = algorithm == ConvolutionAlgorithm::Winograd;
  if (!always && costOf(t) >= directCost(t))
    return refuse("direct kernels are faster than Winograd's transforms");
  t.takesNewFilters = always || costOf(t) + filterCost(t) < directCost(t);
  readFilter(t, w, dims, filter);
  cut(t, context.registry.machine().caches);
  if (llvm::Error error = prepare(t, context)) {
    ErrorText text = takeError(std::move(error));
    return Refusal{text.code, std::move(text.message)};
  }
  return t;
}

} // namespace assay::engine
