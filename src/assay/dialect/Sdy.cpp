// The sdy dialect: registration and text.
//
// For `#sdy.name<...>` MLIR passes the text as a whole. Where an operation
// writes the same without `#sdy.name` (`sdy.mesh @m = <["x"=2]>`), balanced
// brackets are skipped token by token and the text between them is kept.
#include "assay/dialect/Sdy.h"
#include "assay/dialect/Inlining.h"
#include "assay/dialect/SdyBytecode.h"

#include "assay/dialect/ElementKinds.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

#include "assay/dialect/SdyDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "assay/dialect/SdyAttrs.cpp.inc"

namespace assay::sdy {

using namespace mlir;

Attribute SdyDialect::parseAttribute(DialectAsmParser &parser, Type) const {
  return SdyTextAttr::get(parser.getContext(), parser.getFullSymbolSpec());
}

void SdyDialect::printAttribute(Attribute attribute,
                                DialectAsmPrinter &printer) const {
  printer << cast<SdyTextAttr>(attribute).getText();
}

/// Reads one token; adds 1 to `depth` if it opens a bracket, subtracts 1 if it
/// closes one.
static ParseResult skipToken(OpAsmParser &parser, int &depth) {
  std::string text;
  StringRef keyword;
  StringAttr symbol;
  int64_t number;
  if (succeeded(parser.parseOptionalLess()) ||
      succeeded(parser.parseOptionalLSquare()) ||
      succeeded(parser.parseOptionalLBrace()) ||
      succeeded(parser.parseOptionalLParen())) {
    ++depth;
    return success();
  }
  if (succeeded(parser.parseOptionalGreater()) ||
      succeeded(parser.parseOptionalRSquare()) ||
      succeeded(parser.parseOptionalRBrace()) ||
      succeeded(parser.parseOptionalRParen())) {
    --depth;
    return success();
  }
  if (succeeded(parser.parseOptionalComma()) ||
      succeeded(parser.parseOptionalEqual()) ||
      succeeded(parser.parseOptionalColon()) ||
      succeeded(parser.parseOptionalQuestion()) ||
      succeeded(parser.parseOptionalArrow()) ||
      succeeded(parser.parseOptionalString(&text)) ||
      succeeded(parser.parseOptionalSymbolName(symbol)) ||
      succeeded(parser.parseOptionalKeyword(&keyword)))
    return success();
  OptionalParseResult parsed = parser.parseOptionalInteger(number);
  if (parsed.has_value())
    return *parsed;
  return parser.emitError(parser.getCurrentLocation(),
                          "unexpected token in a sharding");
}

/// Reads a balanced bracket and stores `name` + `open` + text + `close`.
static ParseResult parseBracket(OpAsmParser &parser, SdyTextAttr &value,
                                StringRef name, StringRef open,
                                StringRef close) {
  const char *begin = parser.getCurrentLocation().getPointer();
  const char *last = begin; // finally the closing bracket
  if (!StringRef("<[{(").contains(*begin))
    return parser.emitError(parser.getCurrentLocation(), "expected a bracket");
  int depth = 0;
  do {
    last = parser.getCurrentLocation().getPointer();
    if (skipToken(parser, depth))
      return failure();
  } while (depth > 0);
  StringRef text(begin, last + 1 - begin);
  value =
      SdyTextAttr::get(parser.getContext(), (name + open + text + close).str());
  return success();
}

/// Prints the text without the parts that parseBracket added.
static void printBracket(OpAsmPrinter &printer, SdyTextAttr value,
                         StringRef name, StringRef open, StringRef close) {
  StringRef text = value.getText();
  if (text.consume_front(name) && text.consume_front(open))
    text.consume_back(close);
  printer << text;
}

static ParseResult parseMeshText(OpAsmParser &parser, SdyTextAttr &mesh) {
  return parseBracket(parser, mesh, "mesh", "", "");
}
static void printMeshText(OpAsmPrinter &printer, Operation *,
                          SdyTextAttr mesh) {
  printBracket(printer, mesh, "mesh", "", "");
}
static ParseResult parseShardingText(OpAsmParser &parser,
                                     SdyTextAttr &sharding) {
  return parseBracket(parser, sharding, "sharding", "", "");
}
static void printShardingText(OpAsmPrinter &printer, Operation *,
                              SdyTextAttr sharding) {
  printBracket(printer, sharding, "sharding", "", "");
}
static ParseResult parsePerValueText(OpAsmParser &parser,
                                     SdyTextAttr &shardings) {
  return parseBracket(parser, shardings, "sharding_per_value", "<", ">");
}
static void printPerValueText(OpAsmPrinter &printer, Operation *,
                              SdyTextAttr shardings) {
  printBracket(printer, shardings, "sharding_per_value", "<", ">");
}
static ParseResult parseAxesText(OpAsmParser &parser, SdyTextAttr &axes) {
  return parseBracket(parser, axes, "manual_axes", "", "");
}
static void printAxesText(OpAsmPrinter &printer, Operation *,
                          SdyTextAttr axes) {
  printBracket(printer, axes, "manual_axes", "", "");
}

static ParseResult parseBody(OpAsmParser &parser, Region &body) {
  SmallVector<OpAsmParser::Argument> arguments;
  return failure(parser.parseArgumentList(arguments,
                                          OpAsmParser::Delimiter::Paren,
                                          /*allowType=*/true) ||
                 parser.parseRegion(body, arguments));
}
static void printBody(OpAsmPrinter &printer, Operation *, Region &body) {
  printer << "(";
  llvm::interleaveComma(
      body.getArguments(), printer,
      [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

void SdyDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "assay/dialect/SdyAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "assay/dialect/Sdy.cpp.inc"
      >();
  addInterfaces<InlineAnywhere>();
  addBytecode(*this);
}

} // namespace assay::sdy

#define GET_OP_CLASSES
#include "assay/dialect/Sdy.cpp.inc"
