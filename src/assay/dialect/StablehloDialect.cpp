// The stablehlo dialect object: registers attributes, types and the families of
// operations (Ops<Family>.cpp), allows inlining, and makes constants for the
// folder.
#include "assay/dialect/Inlining.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/dialect/StablehloBytecode.h"

#include "mlir/Dialect/Quant/IR/Quant.h"

#include "assay/dialect/StablehloDialect.cpp.inc"

namespace assay::stablehlo {

using namespace mlir;

void StablehloDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerElementwiseOps();
  registerShapeOps();
  registerLinearOps();
  registerIndexOps();
  registerWindowOps();
  registerControlOps();
  registerCollectiveOps();
  registerQuantRandomOps();
  addBytecode(*this);
  addInterfaces<InlineAnywhere>();
}

Operation *StablehloDialect::materializeConstant(OpBuilder &builder,
                                                 Attribute value, Type type,
                                                 Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || !isTensorOf(type, kAnyElement | kQuant))
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

OpFoldResult ConstantOp::fold(FoldAdaptor adaptor) {
  return adaptor.getValue();
}

} // namespace assay::stablehlo
