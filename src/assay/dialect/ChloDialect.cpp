// The chlo dialect: registration, the text of its attributes, constant and
// scan.
//
//   chlo.scan (%in) inits (%c) dimension = 0 attributes {...} {
//     ^bb0(%slice: T, %carry: U): ... } : (...) -> (...)
#include "assay/dialect/Chlo.h"
#include "assay/dialect/ChloBytecode.h"
#include "assay/dialect/Inlining.h"

#include "assay/dialect/FieldReader.h"
#include "assay/dialect/Stablehlo.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

#include "assay/dialect/ChloDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "assay/dialect/ChloAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "assay/dialect/Chlo.cpp.inc"

namespace assay::chlo {

using namespace mlir;

void ChloDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "assay/dialect/ChloAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "assay/dialect/Chlo.cpp.inc"
      >();
  addInterfaces<InlineAnywhere>();
  addBytecode(*this);
}

Operation *ChloDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  return elements
             ? ConstantOp::create(builder, loc, type, elements).getOperation()
             : nullptr;
}

// --- Attributes --------------------------------------------------------------

Attribute RaggedDotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> lhsBatch, rhsBatch, lhsContract, rhsContract, lhsRagged,
      rhsGroup;
  stablehlo::FieldReader reader(parser);
  reader.dims("lhs_batching_dimensions", lhsBatch)
      .dims("rhs_batching_dimensions", rhsBatch)
      .dims("lhs_contracting_dimensions", lhsContract)
      .dims("rhs_contracting_dimensions", rhsContract)
      .dims("lhs_ragged_dimensions", lhsRagged)
      .dims("rhs_group_dimensions", rhsGroup);
  if (parser.parseLess() || reader.read())
    return {};
  return get(parser.getContext(), lhsBatch, rhsBatch, lhsContract, rhsContract,
             lhsRagged, rhsGroup);
}

void RaggedDotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  stablehlo::FieldWriter(printer)
      .dims("lhs_batching_dimensions", getLhsBatchingDimensions())
      .dims("rhs_batching_dimensions", getRhsBatchingDimensions())
      .dims("lhs_contracting_dimensions", getLhsContractingDimensions())
      .dims("rhs_contracting_dimensions", getRhsContractingDimensions())
      .dims("lhs_ragged_dimensions", getLhsRaggedDimensions())
      .dims("rhs_group_dimensions", getRhsGroupDimensions());
}

// --- constant ----------------------------------------------------------------

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseAttribute(value, "value", result.attributes))
    return failure();
  result.addTypes(value.getShapedType());
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << ' ' << getValue();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

// --- scan --------------------------------------------------------------------

ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  int64_t dimension = 0;
  FunctionType type;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(inputs, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("inits") ||
      parser.parseOperandList(inits, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("dimension") || parser.parseEqual() ||
      parser.parseInteger(dimension) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*result.addRegion()) || parser.parseColonType(type))
    return failure();
  if (type.getNumResults() < inits.size())
    return parser.emitError(loc)
           << "expected a result for each of the " << inits.size()
           << " inits, got " << type.getNumResults();
  Builder &builder = parser.getBuilder();
  auto numInputs = static_cast<int32_t>(inputs.size());
  auto numInits = static_cast<int32_t>(inits.size());
  auto numOutputs = static_cast<int32_t>(type.getNumResults()) - numInits;
  result.addAttribute("dimension", builder.getI64IntegerAttr(dimension));
  result.addAttribute("operandSegmentSizes",
                      builder.getDenseI32ArrayAttr({numInputs, numInits}));
  result.addAttribute("resultSegmentSizes",
                      builder.getDenseI32ArrayAttr({numOutputs, numInits}));
  result.addTypes(type.getResults());
  inputs.append(inits);
  return parser.resolveOperands(inputs, type.getInputs(), loc, result.operands);
}

void ScanOp::print(OpAsmPrinter &printer) {
  printer << " (" << getInputs() << ") inits (" << getInits()
          << ") dimension = " << getDimension();
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {"dimension", "operandSegmentSizes", "resultSegmentSizes"});
  printer << ' ';
  printer.printRegion(getBody());
  printer << " : ";
  printer.printFunctionalType(*this);
}

} // namespace assay::chlo
