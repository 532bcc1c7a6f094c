// The short syntax of constant, reduce and while, which need a parser for the
// whole operation.
//
//   stablehlo.constant {attributes} dense<1> : tensor<2xi32>
//   stablehlo.reduce(%x init: %i) applies stablehlo.add
//     across dimensions = [1] : (...) -> ...
//   stablehlo.reduce(%x init: %i), (%y init: %j) across dimensions = [1]
//     : (...) -> ... reducer(%p: T, %r: T) (%q: U, %s: U) { ... }
//   stablehlo.while(%it = %init, ...) : T, ... attributes {...}
//     cond { ... } do { ... }
#include "assay/dialect/Stablehlo.h"

#include "mlir/IR/TypeUtilities.h"

namespace assay::stablehlo {

using namespace mlir;

// --- constant ----------------------------------------------------------------

/// Parses the generic form after the name, `() <{value = ...}> {attributes} :
/// () -> T`, for a literal whose type differs from that of the result
/// (quantized constants).
static ParseResult parseGenericConstant(OpAsmParser &parser,
                                        OperationState &result) {
  Type type;
  if (parser.parseRParen())
    return failure();
  if (succeeded(parser.parseOptionalLess()) &&
      (parser.parseAttribute(result.propertiesAttr) || parser.parseGreater()))
    return failure();
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.parseLParen() || parser.parseRParen() || parser.parseArrow() ||
      parser.parseType(type))
    return failure();
  result.addTypes(type);
  return success();
}

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  if (succeeded(parser.parseOptionalLParen()))
    return parseGenericConstant(parser, result);
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseAttribute(value, "value", result.attributes))
    return failure();
  result.addTypes(value.getShapedType());
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  if (getValue().getShapedType() != getType()) {
    printer << "() <{value = " << getValue() << "}>";
    printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
    printer << " : () -> " << getType();
    return;
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << ' ' << getValue();
}

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getOutput(),
          isa<IntegerType>(getType().getElementType()) ? "c" : "cst");
}

// --- reduce ------------------------------------------------------------------

/// Whether the operation may follow `applies`: a commutative binary operation
/// of this dialect without regions.
static bool isReducer(OperationName name) {
  return name.getDialectNamespace() ==
             StablehloDialect::getDialectNamespace() &&
         name.hasTrait<OpTrait::IsCommutative>() &&
         name.hasTrait<OpTrait::NOperands<2>::Impl>();
}

/// The only operation of the body if `applies` can represent the body, else
/// null.
static Operation *singleReducer(ReduceOp op) {
  Region &body = op.getBody();
  if (op.getInputs().size() != 1 || !body.hasOneBlock() ||
      body.front().getOperations().size() != 2 ||
      body.front().getNumArguments() != 2)
    return nullptr;
  Block &block = body.front();
  Operation &inner = block.front();
  auto input = dyn_cast<RankedTensorType>(op.getInputs().front().getType());
  auto terminator = dyn_cast<ReturnOp>(block.back());
  if (!input || !terminator || !isReducer(inner.getName()) ||
      !inner.getDiscardableAttrDictionary().empty())
    return nullptr;
  Type scalar = RankedTensorType::get({}, input.getElementType());
  auto isScalar = [&](Type type) { return type == scalar; };
  bool plain = llvm::all_of(inner.getOperandTypes(), isScalar) &&
               llvm::all_of(inner.getResultTypes(), isScalar) &&
               llvm::equal(inner.getOperands(), block.getArguments()) &&
               llvm::equal(terminator->getOperands(), inner.getResults()) &&
               terminator->getDiscardableAttrDictionary().empty();
  return plain ? &inner : nullptr;
}

/// Makes the body for `applies`: one operation `name` on scalars of type
/// `scalar`.
static void buildReducer(OpBuilder builder, Location loc, OperationName name,
                         Type scalar, Region &body) {
  Block &block = body.emplaceBlock();
  block.addArguments({scalar, scalar}, {loc, loc});
  builder.setInsertionPointToStart(&block);
  OperationState state(loc, name);
  state.addOperands(block.getArguments());
  state.addTypes(scalar);
  Operation *inner = builder.create(state);
  ReturnOp::create(builder, loc, inner->getResults());
}

/// Parses `across dimensions = [..] {attributes} : function type`.
static ParseResult parseReduceTail(OpAsmParser &parser, OperationState &result,
                                   FunctionType &type) {
  SmallVector<int64_t> dims;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") ||
      parser.parseEqual() ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&] { return parser.parseInteger(dims.emplace_back()); }) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.parseType(type))
    return failure();
  if (type.getNumInputs() == 0)
    return parser.emitError(loc,
                            "expected the types of inputs and init values");
  result.addTypes(type.getResults());
  result.addAttribute("dimensions",
                      parser.getBuilder().getDenseI64ArrayAttr(dims));
  return success();
}

/// Parses `reducer(%p: T, %r: T) (%q: U, %s: U)`: the i-th pair is arguments i
/// and i + count of the body.
static ParseResult
parseReducerArguments(OpAsmParser &parser,
                      SmallVectorImpl<OpAsmParser::Argument> &arguments) {
  SmallVector<OpAsmParser::Argument> first, second;
  if (parser.parseKeyword("reducer"))
    return failure();
  while (succeeded(parser.parseOptionalLParen()))
    if (parser.parseArgument(first.emplace_back(), /*allowType=*/true) ||
        parser.parseComma() ||
        parser.parseArgument(second.emplace_back(), /*allowType=*/true) ||
        parser.parseRParen())
      return failure();
  arguments.append(first);
  arguments.append(second);
  return success();
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  // 1. (%input init: %value), ...
  SmallVector<OpAsmParser::UnresolvedOperand> operands, inits;
  SMLoc loc = parser.getCurrentLocation();
  do {
    if (parser.parseLParen() || parser.parseOperand(operands.emplace_back()) ||
        parser.parseKeyword("init") || parser.parseColon() ||
        parser.parseOperand(inits.emplace_back()) || parser.parseRParen())
      return failure();
  } while (succeeded(parser.parseOptionalComma()));
  operands.append(inits);

  // 2. applies name
  FailureOr<OperationName> inner = failure();
  bool isShort = succeeded(parser.parseOptionalKeyword("applies"));
  if (isShort) {
    SMLoc nameLoc = parser.getCurrentLocation();
    inner = parser.parseCustomOperationName();
    if (failed(inner))
      return failure();
    if (!isReducer(*inner))
      return parser.emitError(nameLoc, "expected a commutative stablehlo "
                                       "operation with two operands, got ")
             << *inner;
  }

  // 3. dimensions and types
  FunctionType type;
  if (parseReduceTail(parser, result, type) ||
      parser.resolveOperands(operands, type.getInputs(), loc, result.operands))
    return failure();

  // 4. the body
  Region *body = result.addRegion();
  if (isShort) {
    Type scalar =
        RankedTensorType::get({}, getElementTypeOrSelf(type.getInput(0)));
    std::optional<Location> explicitLoc;
    if (parser.parseOptionalLocationSpecifier(explicitLoc))
      return failure();
    result.location = explicitLoc.value_or(result.location);
    buildReducer(OpBuilder(parser.getContext()), result.location, *inner,
                 scalar, *body);
    return success();
  }
  SmallVector<OpAsmParser::Argument> arguments;
  return failure(parseReducerArguments(parser, arguments) ||
                 parser.parseRegion(*body, arguments));
}

void ReduceOp::print(OpAsmPrinter &printer) {
  size_t count = getInputs().size();
  llvm::interleaveComma(llvm::seq<size_t>(0, count), printer, [&](size_t i) {
    printer << "(" << getInputs()[i] << " init: " << getInitValues()[i] << ")";
  });
  Operation *inner = singleReducer(*this);
  if (inner)
    printer << " applies " << inner->getName();
  printer << " across dimensions = [";
  llvm::interleaveComma(getDimensions(), printer);
  printer << "]";
  printer.printOptionalAttrDict((*this)->getAttrs(), {"dimensions"});
  printer << " : ";
  printer.printFunctionalType(*this);
  if (inner)
    return;
  printer.printNewline();
  printer << " reducer";
  Block &block = getBody().front();
  for (size_t i = 0; i < count && i + count < block.getNumArguments(); ++i) {
    printer << "(";
    printer.printRegionArgument(block.getArgument(i));
    printer << ", ";
    printer.printRegionArgument(block.getArgument(i + count));
    printer << ") ";
  }
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

// --- while -------------------------------------------------------------------

void WhileOp::getAsmBlockArgumentNames(Region &region,
                                       OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument, "iterArg");
}

ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<OpAsmParser::Argument> arguments;
  SMLoc loc = parser.getCurrentLocation();
  auto parsePair = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parsePair))
    return failure();
  if (!operands.empty() &&
      (parser.parseColon() || parser.parseTypeList(result.types)))
    return failure();
  if (parser.resolveOperands(operands, result.types, loc, result.operands))
    return failure();
  for (auto [argument, type] : llvm::zip_equal(arguments, result.types))
    argument.type = type;
  Region *cond = result.addRegion();
  Region *body = result.addRegion();
  return failure(
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseKeyword("cond") || parser.parseRegion(*cond, arguments) ||
      parser.parseKeyword("do") || parser.parseRegion(*body, arguments));
}

void WhileOp::print(OpAsmPrinter &printer) {
  printer << "(";
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getOperands()),
                        printer, [&](auto pair) {
                          auto [argument, operand] = pair;
                          printer << argument << " = " << operand;
                        });
  printer << ")";
  if (getNumOperands() != 0) {
    printer << " : ";
    llvm::interleaveComma(getOperandTypes(), printer);
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer.printNewline();
  printer << "cond ";
  printer.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

} // namespace assay::stablehlo
