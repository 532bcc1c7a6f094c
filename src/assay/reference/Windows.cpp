// Attributes and types become geometry. Source: StableHLO specification,
// convolution, reduce_window.
#include "assay/reference/Windows.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/program/Builder.h"
#include "assay/reference/Attributes.h"

namespace assay::reference {

geometry::Convolution convolutionOf(const StepSpec &spec) {
  mlir::Operation *op = spec.op;
  auto dims = op->getAttrOfType<stablehlo::ConvDimensionNumbersAttr>("dimension_numbers");
  const TensorType &lhs = spec.operands[0], &rhs = spec.operands[1],
                   &result = spec.results[0];
  geometry::Convolution c;
  auto rank = static_cast<int64_t>(dims.getInputSpatialDimensions().size());
  c.batch = lhs.shape[dims.getInputBatchDimension()];
  c.features = lhs.shape[dims.getInputFeatureDimension()];
  c.outFeatures = rhs.shape[dims.getKernelOutputFeatureDimension()];
  c.featureGroups = intOf(op, "feature_group_count", 1);
  c.batchGroups = intOf(op, "batch_group_count", 1);
  Ints strides = intsOf(op, "window_strides", rank, 1),
       baseDilation = intsOf(op, "lhs_dilation", rank, 1),
       dilation = intsOf(op, "rhs_dilation", rank, 1),
       reversal = intsOf(op, "window_reversal", rank, 0),
       padding = intsOf(op, "padding", 2 * rank, 0);
  Shape outStrides = tensor::rowMajorStrides(result.shape);
  c.lhsOrder.push_back(dims.getInputBatchDimension());
  c.rhsOrder.push_back(dims.getKernelOutputFeatureDimension());
  c.outStrides.push_back(outStrides[dims.getOutputBatchDimension()]);
  for (int64_t d = 0; d < rank; ++d) {
    int64_t in = dims.getInputSpatialDimensions()[d],
            kernel = dims.getKernelSpatialDimensions()[d],
            out = dims.getOutputSpatialDimensions()[d];
    c.axes.push_back({lhs.shape[in], result.shape[out], rhs.shape[kernel],
                      strides[d], dilation[d], baseDilation[d],
                      padding[2 * d], reversal[d] != 0});
    c.lhsOrder.push_back(in);
    c.rhsOrder.push_back(kernel);
    c.outStrides.push_back(outStrides[out]);
  }
  c.lhsOrder.push_back(dims.getInputFeatureDimension());
  c.rhsOrder.push_back(dims.getKernelInputFeatureDimension());
  c.outStrides.push_back(outStrides[dims.getOutputFeatureDimension()]);
  return c;
}

geometry::Windows windowsOf(mlir::Operation *op, const TensorType &operand) {
  geometry::Windows windows;
  auto rank = static_cast<int64_t>(operand.shape.size());
  Ints size = intsOf(op, "window_dimensions", rank, 1),
       strides = intsOf(op, "window_strides", rank, 1),
       baseDilation = intsOf(op, "base_dilations", rank, 1),
       dilation = intsOf(op, "window_dilations", rank, 1),
       padding = intsOf(op, "padding", 2 * rank, 0);
  for (int64_t d = 0; d < rank; ++d) {
    geometry::Axis axis{operand.shape[d], 0, size[d], strides[d], dilation[d],
                        baseDilation[d], padding[2 * d]};
    axis.out = axis.windows(padding[2 * d + 1]);
    windows.axes.push_back(axis);
  }
  return windows;
}

} // namespace assay::reference
