// dot equals the dot_general that contracts the left operand's last dimension
// with the right one's first.
#include "assay/reference/DotDimensions.h"
#include "assay/dialect/Stablehlo.h"

namespace assay::reference {

std::optional<DotDimensions> dotDimensions(mlir::Operation *op,
                                           const tensor::TensorType &lhs) {
  DotDimensions d;
  auto assign = [](auto &to, llvm::ArrayRef<int64_t> from) {
    to.assign(from.begin(), from.end());
  };
  if (auto general = mlir::dyn_cast<stablehlo::DotGeneralOp>(op)) {
    auto dims = general.getDotDimensionNumbers();
    assign(d.lhsBatch, dims.getLhsBatchingDimensions());
    assign(d.rhsBatch, dims.getRhsBatchingDimensions());
    assign(d.lhsContracted, dims.getLhsContractingDimensions());
    assign(d.rhsContracted, dims.getRhsContractingDimensions());
    return d;
  }
  if (mlir::isa<stablehlo::DotOp>(op)) {
    d.lhsContracted = {static_cast<int64_t>(lhs.shape.size()) - 1};
    d.rhsContracted = {0};
    return d;
  }
  return std::nullopt;
}

} // namespace assay::reference
