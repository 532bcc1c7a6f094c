// The values of the call's last five operands become the attributes of a
// reduce_window. The body of the function that the call names becomes its
// region.
#include "assay/program/DynamicWindow.h"
#include "assay/dialect/Stablehlo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace assay::program {

/// Window sizes, strides, base dilations, window dilations, padding.
static constexpr unsigned kWindowOperands = 5;

/// The function that the call names, which computes on scalars.
static mlir::func::FuncOp bodyOf(mlir::Operation *op) {
  auto call = mlir::dyn_cast<stablehlo::CustomCallOp>(op);
  if (!call || call.getCallTargetName() != "stablehlo.dynamic_reduce_window")
    return nullptr;
  auto named = op->getAttrOfType<mlir::ArrayAttr>("called_computations");
  unsigned operands = op->getNumOperands(), results = op->getNumResults();
  if (!named || named.size() != 1 || results == 0 ||
      operands != 2 * results + kWindowOperands)
    return nullptr;
  auto symbol = mlir::dyn_cast<mlir::FlatSymbolRefAttr>(named[0]);
  if (!symbol)
    return nullptr;
  auto body = mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(
      op, symbol);
  return body && body.getBody().hasOneBlock() ? body : nullptr;
}

/// Copies the function's block, with its return replaced by stablehlo's.
static void takeBody(mlir::func::FuncOp body, mlir::Region &region) {
  mlir::IRMapping mapping;
  body.getBody().cloneInto(&region, mapping);
  mlir::Operation *end = region.front().getTerminator();
  mlir::OpBuilder builder(end);
  stablehlo::ReturnOp::create(builder, end->getLoc(), end->getOperands());
  end->erase();
}

mlir::Operation *reduceWindowOf(mlir::Operation *op,
                                stablehlo::OperandValues values) {
  mlir::func::FuncOp body = bodyOf(op);
  if (!body)
    return nullptr;
  unsigned first = 2 * op->getNumResults();
  mlir::Builder builder(op->getContext());
  mlir::OperationState state(op->getLoc(), "stablehlo.reduce_window");
  state.addOperands(op->getOperands().take_front(first));
  state.addTypes(op->getResultTypes());
  static constexpr const char *kNames[] = {"window_dimensions",
                                           "window_strides", "base_dilations",
                                           "window_dilations"};
  for (unsigned i = 0; i < kWindowOperands - 1; ++i)
    state.addAttribute(kNames[i],
                       builder.getDenseI64ArrayAttr(values(first + i)));
  stablehlo::Dims padding = values(first + kWindowOperands - 1);
  auto rows = static_cast<int64_t>(padding.size() / 2);
  state.addAttribute(
      "padding",
      mlir::DenseIntElementsAttr::get(
          mlir::RankedTensorType::get({rows, 2}, builder.getI64Type()),
          llvm::ArrayRef<int64_t>(padding).take_front(2 * rows)));
  takeBody(body, *state.addRegion());
  return mlir::Operation::create(state);
}

} // namespace assay::program
