// The check dialect: registration, syntax and verifiers. Both sides of a
// comparison have the same type, so `: T` may be written once. A literal has
// the type of lhs.
#include "assay/dialect/Check.h"
#include "assay/dialect/Inlining.h"

#include "assay/dialect/Stablehlo.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace assay::check {

/// Parses `T`, the type of lhs and rhs.
static ParseResult parseBothTypes(OpAsmParser &parser, Type &lhs, Type &rhs) {
  if (parser.parseType(lhs))
    return failure();
  rhs = lhs;
  return success();
}
static void printBothTypes(OpAsmPrinter &printer, Operation *, Type lhs, Type) {
  printer << lhs;
}

/// Parses `dense<...> : T`, where T is also the type of the value that the
/// literal is compared with.
static ParseResult parseLiteralAndType(OpAsmParser &parser, ElementsAttr &value,
                                       Type &type) {
  SMLoc where = parser.getCurrentLocation();
  Attribute literal;
  if (parser.parseAttribute(literal))
    return failure();
  value = dyn_cast<ElementsAttr>(literal);
  if (!value)
    return parser.emitError(where)
           << literal << " is not a tensor literal: write dense<" << literal
           << "> : tensor<...>";
  type = value.getShapedType();
  return success();
}
static void printLiteralAndType(OpAsmPrinter &printer, Operation *,
                                ElementsAttr value, Type) {
  printer << value;
}

/// Checks that both sides have the same shape and element type.
static LogicalResult verifySides(Operation *op, Type lhs, Type rhs) {
  if (lhs == rhs)
    return success();
  return op->emitOpError() << "compares values of different types, " << lhs
                           << " and " << rhs;
}

LogicalResult ExpectEqOp::verify() {
  return verifySides(*this, getLhs().getType(), getRhs().getType());
}
LogicalResult ExpectEqConstOp::verify() {
  return verifySides(*this, getLhs().getType(), getValue().getShapedType());
}
LogicalResult ExpectAlmostEqOp::verify() {
  return verifySides(*this, getLhs().getType(), getRhs().getType());
}
LogicalResult ExpectAlmostEqConstOp::verify() {
  return verifySides(*this, getLhs().getType(), getValue().getShapedType());
}
LogicalResult ExpectCloseOp::verify() {
  return verifySides(*this, getActual().getType(), getExpected().getType());
}

void CheckDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "assay/dialect/Check.cpp.inc"
      >();
  addInterfaces<InlineAnywhere>();
}

} // namespace assay::check

#include "assay/dialect/CheckDialect.cpp.inc"
#define GET_OP_CLASSES
#include "assay/dialect/Check.cpp.inc"
