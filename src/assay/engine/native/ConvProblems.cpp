// Which problem of the kernels' choice an operation is, and the operation of a problem.
#include "assay/engine/native/ConvProblems.h"

#include "assay/program/Builder.h"
#include "assay/reference/Windows.h"

namespace assay::engine {

using kernels::ConvDirection;
using kernels::ConvProblem;

//===--- Operations as problems ------------------------------------------===//

/// Dimensions follow each other in memory: `first`, the spatial ones, `last`.
static bool areInOrder(int64_t first, llvm::ArrayRef<int64_t> spatial,
                       int64_t last) {
  for (auto [index, dim] : llvm::enumerate(spatial))
    if (dim != static_cast<int64_t>(index) + 1)
      return false;
  return first == 0 && last == static_cast<int64_t>(spatial.size()) + 1;
}

bool areChannelsLast(stablehlo::ConvDimensionNumbersAttr dims) {
  return areInOrder(dims.getInputBatchDimension(),
                    dims.getInputSpatialDimensions(),
                    dims.getInputFeatureDimension()) &&
         areInOrder(dims.getOutputBatchDimension(),
                    dims.getOutputSpatialDimensions(),
                    dims.getOutputFeatureDimension());
}

bool isGradientOfChannelsLast(stablehlo::ConvDimensionNumbersAttr dims) {
  llvm::ArrayRef<int64_t> outSpatial = dims.getOutputSpatialDimensions();
  auto rank = static_cast<int64_t>(outSpatial.size());
  for (auto [index, dim] : llvm::enumerate(outSpatial))
    if (dim != static_cast<int64_t>(index))
      return false;
  return areInOrder(dims.getInputFeatureDimension(),
                    dims.getInputSpatialDimensions(),
                    dims.getInputBatchDimension()) &&
         areInOrder(dims.getKernelInputFeatureDimension(),
                    dims.getKernelSpatialDimensions(),
                    dims.getKernelOutputFeatureDimension()) &&
         dims.getOutputBatchDimension() == rank &&
         dims.getOutputFeatureDimension() == rank + 1;
}

static void setSides(ConvProblem &p, const geometry::Convolution &w,
                     llvm::function_ref<geometry::Axis(const geometry::Axis &)> view) {
  geometry::Axes3 axes = w.three();
  for (size_t d = 0; d < 3; ++d) {
    geometry::Axis axis = view(axes[d]);
    p.image[d] = axis.in, p.result[d] = axis.out, p.filter[d] = axis.kernel;
    p.stride[d] = axis.stride, p.dilation[d] = axis.dilation, p.low[d] = axis.low;
  }
}

/// The gradient of the data: image and result change places, and the stride
/// becomes the dilation of the gradient.
static ConvProblem backwardData(const geometry::Convolution &w) {
  ConvProblem p;
  p.direction = ConvDirection::BackwardData;
  p.batch = w.batch;
  p.channels = w.outFeatures, p.outChannels = w.features;
  p.groups = w.featureGroups;
  setSides(p, w, [](const geometry::Axis &axis) { return axis.transposed(); });
  return p;
}

static ConvProblem forward(const geometry::Convolution &w) {
  ConvProblem p;
  p.batch = w.batch;
  p.channels = w.features, p.outChannels = w.outFeatures;
  p.groups = w.featureGroups;
  setSides(p, w, [](const geometry::Axis &axis) { return axis; });
  return p;
}

/// The gradient of the filter: the image's channels are the batch, and the
/// batch is summed over.
static ConvProblem backwardWeights(const geometry::Convolution &w) {
  ConvProblem p;
  p.direction = ConvDirection::BackwardWeights;
  p.batch = w.features;
  p.channels = w.batch, p.outChannels = w.outFeatures;
  p.groups = w.batchGroups;
  setSides(p, w, [](const geometry::Axis &axis) { return axis.exchanged(); });
  return p;
}

std::optional<ConvProblem> convProblemOf(const StepSpec &spec,
                                         const Layout &filter) {
  auto op = mlir::dyn_cast<stablehlo::ConvolutionOp>(spec.op);
  auto type = kernels::dataTypeOf(spec.operands[0].element);
  if (!op || !type || !(spec.operands[1].element == spec.operands[0].element) ||
      !(spec.results[0].element == spec.operands[0].element))
    return std::nullopt;
  auto dims = op.getDimensionNumbers();
  auto w = reference::convolutionOf(spec);
  if (w.axes.empty() || w.axes.size() > 3)
    return std::nullopt;
  bool backwards = w.isReversed();
  for (int64_t d : dims.getKernelSpatialDimensions())
    backwards |= filter.strides[static_cast<size_t>(d)] < 0;
  ConvProblem p;
  if (areChannelsLast(dims) && w.batchGroups == 1) {
    bool dilated = w.hasDilatedInput();
    if ((dilated || backwards) && w.all(&geometry::Axis::stride, 1))
      p = backwardData(w);
    else if (!dilated && !backwards)
      p = forward(w);
    else
      return std::nullopt;
  } else if (isGradientOfChannelsLast(dims) && w.featureGroups == 1 &&
             !w.hasDilatedInput() && !backwards) {
    p = backwardWeights(w);
  } else {
    return std::nullopt;
  }
  p.type = *type;
  if (kernels::validate(p))
    return std::nullopt;
  return p;
}

//===--- Problems as operations ------------------------------------------===//

static tensor::TensorType typeOf(kernels::DataType type,
                                 llvm::ArrayRef<int64_t> shape) {
  return {*numerics::parseElementType(kernels::toString(type)),
          tensor::Shape(shape.begin(), shape.end())};
}

llvm::Expected<std::shared_ptr<const program::Program>>
convolutionProgram(const ConvProblem &p) {
  bool deep = p.image[0] > 1 || p.filter[0] > 1 || p.result[0] > 1;
  size_t first = deep ? 0 : 1;
  auto rank = static_cast<int64_t>(3 - first);
  bool data = p.direction == ConvDirection::BackwardData,
       weights = p.direction == ConvDirection::BackwardWeights;
  program::Dims image{p.batch}, result{p.batch}, filter;
  program::Convolution o;
  for (size_t d = first; d < 3; ++d) {
    image.push_back(p.image[d]), result.push_back(p.result[d]);
    filter.push_back(p.filter[d]);
    auto at = static_cast<int64_t>(d - first);
    o.inputSpatial.push_back(at + 1);
    o.kernelSpatial.push_back(weights ? at + 1 : at);
    o.outputSpatial.push_back(weights ? at : at + 1);
    int64_t reach = (p.filter[d] - 1) * p.dilation[d] + 1,
            span = (p.result[d] - 1) * p.stride[d] + 1;
    // The result has the expected size, whatever the padding after
    // the image: a strided convolution may not read all of it.
    int64_t low = data ? reach - 1 - p.low[d] : p.low[d],
            high = data ? p.image[d] + reach - 1 - span - low
                        : span + reach - 1 - p.image[d] - p.low[d];
    o.padding.push_back({low, high});
    o.strides.push_back(data ? 1 : weights ? p.dilation[d] : p.stride[d]);
    o.lhsDilation.push_back(data ? p.stride[d] : 1);
    o.rhsDilation.push_back(weights ? p.stride[d] : p.dilation[d]);
    o.reversal.push_back(data);
  }
  image.push_back(p.channels), result.push_back(p.outChannels);
  o.inputFeature = o.outputFeature = rank + 1;
  o.kernelInputFeature = rank, o.kernelOutputFeature = rank + 1;
  o.featureGroups = weights ? 1 : p.groups;
  o.batchGroups = weights ? p.groups : 1;
  if (weights) {
    o.inputFeature = 0, o.inputBatch = rank + 1;
    o.kernelInputFeature = 0, o.outputBatch = rank;
  } else if (data && p.groups > 1) {
    filter.append({p.groupOut(), p.channels});
  } else {
    filter.append({p.groupIn(), p.outChannels});
    if (data)
      std::swap(o.kernelInputFeature, o.kernelOutputFeature);
  }
  program::Builder b;
  mlir::Value lhs = b.argument(typeOf(p.type, data ? result : image)),
              rhs = b.argument(typeOf(p.type, weights ? result : filter));
  return b.finish({b.convolution(lhs, rhs, o)}, kernels::toString(p));
}

} // namespace assay::engine
