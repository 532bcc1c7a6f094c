// Operands that are shapes: the values of constant ones.
#include "assay/dialect/ShapeOperands.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/dialect/Verify.h"

namespace assay::stablehlo {

using namespace mlir;

std::optional<Dims> knownValues(Value shape) {
  auto constant = shape.getDefiningOp<ConstantOp>();
  auto values = constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue())
                         : DenseIntElementsAttr();
  if (!values)
    return std::nullopt;
  Dims known;
  for (const APInt &value : values)
    known.push_back(value.getSExtValue());
  return known;
}

LogicalResult expectKnownShape(Operation *op, Value shape) {
  std::optional<Dims> known = knownValues(shape);
  Shape result = shapeOf(op->getResult(0));
  bool isNegative =
      known && llvm::any_of(*known, [](int64_t size) { return size < 0; });
  if (!known || (!isNegative && sameShape(*known, result)))
    return success();
  return op->emitOpError() << "result must have the shape that the shape "
                              "operand says, "
                           << DenseI64ArrayAttr::get(op->getContext(), *known)
                           << ", got " << op->getResult(0).getType();
}

} // namespace assay::stablehlo
