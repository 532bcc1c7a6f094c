// The short syntax of types, operands and attributes: the parsers and printers
// of the `custom<...>` directives in the .td files. Format.h shows the text of
// each.
#include "assay/dialect/Format.h"

#include "assay/dialect/Stablehlo.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"

namespace assay::stablehlo {

using namespace mlir;

// --- Types -------------------------------------------------------------------

static ParseResult assignFunctionType(OpAsmParser &parser, SMLoc loc,
                                      FunctionType type,
                                      ArrayRef<Type *> operands, Type &result) {
  if (type.getNumInputs() != operands.size())
    return parser.emitError(loc)
           << "expected " << operands.size() << " operand types, got "
           << type.getNumInputs();
  if (type.getNumResults() != 1)
    return parser.emitError(loc)
           << "expected one result type, got " << type.getNumResults();
  for (auto [operand, input] : llvm::zip_equal(operands, type.getInputs()))
    *operand = input;
  result = type.getResult(0);
  return success();
}

ParseResult parseSameTypeList(OpAsmParser &parser, ArrayRef<Type *> operands,
                              Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type))
    return assignFunctionType(parser, loc, function, operands, result);
  for (Type *operand : operands)
    *operand = type;
  result = type;
  return success();
}

void printSameTypeList(OpAsmPrinter &printer, Operation *op) {
  Type result = op->getResult(0).getType();
  if (llvm::all_of(op->getOperandTypes(),
                   [&](Type type) { return type == result; }))
    printer << result;
  else
    printer.printFunctionalType(op);
}

ParseResult
parseSameVariadicTypes(OpAsmParser &parser,
                       ArrayRef<OpAsmParser::UnresolvedOperand> values,
                       Types &operands, Type &result) {
  SmallVector<Type *> pointers;
  operands.resize(values.size());
  for (Type &type : operands)
    pointers.push_back(&type);
  return parseSameTypeList(parser, pointers, result);
}

void printSameVariadicTypes(OpAsmPrinter &printer, Operation *op, OperandRange,
                            TypeRange, Type) {
  printSameTypeList(printer, op);
}

/// tensor<Nxcomplex<f32>> -> tensor<Nxf32>; null for other types.
static Type realTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto complex =
      tensor ? dyn_cast<ComplexType>(tensor.getElementType()) : ComplexType();
  return complex ? tensor.clone(complex.getElementType()) : Type();
}

ParseResult parseComplexTypes(OpAsmParser &parser, Type &lhs, Type &rhs,
                              Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type))
    return assignFunctionType(parser, loc, function, {&lhs, &rhs}, result);
  result = type;
  lhs = rhs = realTensor(type);
  return lhs ? success()
             : parser.emitError(loc, "expected a tensor of complex numbers");
}

void printComplexTypes(OpAsmPrinter &printer, Operation *op, Type lhs, Type rhs,
                       Type result) {
  Type real = realTensor(result);
  if (lhs == real && rhs == real)
    printer << result;
  else
    printer.printFunctionalType(op);
}

ParseResult parseSelectTypes(OpAsmParser &parser, Type &pred, Type &onTrue,
                             Type &onFalse, Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Type, 2> types;
  if (parser.parseTypeList(types))
    return failure();
  if (types.size() == 1 && isa<FunctionType>(types[0]))
    return assignFunctionType(parser, loc, cast<FunctionType>(types[0]),
                              {&pred, &onTrue, &onFalse}, result);
  if (types.size() != 2)
    return parser.emitError(
        loc, "expected a function type, or the types of pred and result");
  pred = types[0];
  onTrue = onFalse = result = types[1];
  return success();
}

void printSelectTypes(OpAsmPrinter &printer, Operation *op, Type pred,
                      Type onTrue, Type onFalse, Type result) {
  if (onTrue == result && onFalse == result)
    printer << pred << ", " << result;
  else
    printer.printFunctionalType(op);
}

ParseResult parseTupleTypes(OpAsmParser &parser, Types &operands,
                            Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(result))
    return failure();
  auto tuple = dyn_cast<TupleType>(result);
  if (!tuple)
    return parser.emitError(loc, "expected a tuple type");
  operands.append(tuple.begin(), tuple.end());
  return success();
}

void printTupleTypes(OpAsmPrinter &printer, Operation *, TypeRange,
                     Type result) {
  printer << result;
}

ParseResult parsePairwiseTypes(OpAsmParser &parser, Types &operands,
                               Types &results) {
  if (parser.parseTypeList(operands))
    return failure();
  results.assign(operands.begin(), operands.end());
  return success();
}

void printPairwiseTypes(OpAsmPrinter &printer, Operation *, TypeRange operands,
                        TypeRange) {
  llvm::interleaveComma(operands, printer);
}

// --- Operands and attributes -------------------------------------------------

ParseResult parseOperandsThenComma(OpAsmParser &parser, Operands &operands) {
  while (true) {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    if (!parsed.has_value()) {
      if (operands.empty()) // upstream prints an empty list as "%0, , sizes"
        (void)parser.parseOptionalComma();
      return success();
    }
    if (failed(*parsed) || parser.parseComma())
      return failure();
    operands.push_back(operand);
  }
}

void printOperandsThenComma(OpAsmPrinter &printer, Operation *,
                            OperandRange operands) {
  llvm::interleaveComma(operands, printer);
  printer << ",";
}

ParseResult parseSliceRanges(OpAsmParser &parser, DenseI64ArrayAttr &starts,
                             DenseI64ArrayAttr &limits,
                             DenseI64ArrayAttr &strides) {
  SmallVector<int64_t> start, limit, stride;
  auto parseRange = [&]() -> ParseResult {
    if (parser.parseInteger(start.emplace_back()) || parser.parseColon() ||
        parser.parseInteger(limit.emplace_back()))
      return failure();
    stride.push_back(1);
    return succeeded(parser.parseOptionalColon())
               ? parser.parseInteger(stride.back())
               : success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRange))
    return failure();
  Builder &builder = parser.getBuilder();
  starts = builder.getDenseI64ArrayAttr(start);
  limits = builder.getDenseI64ArrayAttr(limit);
  strides = builder.getDenseI64ArrayAttr(stride);
  return success();
}

void printSliceRanges(OpAsmPrinter &printer, Operation *,
                      ArrayRef<int64_t> starts, ArrayRef<int64_t> limits,
                      ArrayRef<int64_t> strides) {
  // Lists of different lengths fail the verifier, whose message prints the
  // operation; that text need not be valid.
  size_t count = std::min({starts.size(), limits.size(), strides.size()});
  printer << "[";
  llvm::interleaveComma(llvm::seq<size_t>(0, count), printer, [&](size_t i) {
    printer << starts[i] << ":" << limits[i];
    if (strides[i] != 1)
      printer << ":" << strides[i];
  });
  printer << "]";
}

ParseResult parseFloatFormat(OpAsmParser &parser, IntegerAttr &exponent,
                             IntegerAttr &mantissa) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef text;
  if (parser.parseKeyword(&text))
    return failure();
  StringRef rest = text;
  int32_t exponentBits = 0, mantissaBits = 0;
  if (!rest.consume_front("e") || rest.consumeInteger(10, exponentBits) ||
      !rest.consume_front("m") || rest.getAsInteger(10, mantissaBits))
    return parser.emitError(loc, "expected a format such as e5m10, got ")
           << text;
  exponent = parser.getBuilder().getI32IntegerAttr(exponentBits);
  mantissa = parser.getBuilder().getI32IntegerAttr(mantissaBits);
  return success();
}

void printFloatFormat(OpAsmPrinter &printer, Operation *, IntegerAttr exponent,
                      IntegerAttr mantissa) {
  printer << "e" << exponent.getValue() << "m" << mantissa.getValue();
}

ParseResult parseCallTarget(OpAsmParser &parser, StringAttr &target) {
  return parser.parseSymbolName(target);
}

void printCallTarget(OpAsmPrinter &printer, Operation *, StringAttr target) {
  printer.printSymbolName(target.getValue());
}

// --- dot ---------------------------------------------------------------------

static ParseResult parseDimsPair(OpAsmParser &parser,
                                 SmallVectorImpl<int64_t> &lhs,
                                 SmallVectorImpl<int64_t> &rhs) {
  return failure(parser.parseEqual() || parseDims(parser, lhs) ||
                 parser.parseKeyword("x") || parseDims(parser, rhs));
}

ParseResult parseDotDimensions(OpAsmParser &parser,
                               DotDimensionNumbersAttr &dims) {
  SmallVector<int64_t> lhsBatch, rhsBatch, lhsContract, rhsContract;
  if (succeeded(parser.parseOptionalKeyword("batching_dims")) &&
      (parseDimsPair(parser, lhsBatch, rhsBatch) || parser.parseComma()))
    return failure();
  if (parser.parseKeyword("contracting_dims") ||
      parseDimsPair(parser, lhsContract, rhsContract))
    return failure();
  dims = DotDimensionNumbersAttr::get(parser.getContext(), lhsBatch, rhsBatch,
                                      lhsContract, rhsContract);
  return success();
}

void printDotDimensions(OpAsmPrinter &printer, Operation *,
                        DotDimensionNumbersAttr dims) {
  auto printPair = [&](StringRef name, ArrayRef<int64_t> lhs,
                       ArrayRef<int64_t> rhs) {
    printer << name << " = ";
    printDims(printer, lhs);
    printer << " x ";
    printDims(printer, rhs);
  };
  if (!dims.getLhsBatchingDimensions().empty() ||
      !dims.getRhsBatchingDimensions().empty()) {
    printPair("batching_dims", dims.getLhsBatchingDimensions(),
              dims.getRhsBatchingDimensions());
    printer << ", ";
  }
  printPair("contracting_dims", dims.getLhsContractingDimensions(),
            dims.getRhsContractingDimensions());
}

/// Parses the part after `precision`: `= [DEFAULT, HIGH]`.
static ParseResult parsePrecisionList(OpAsmParser &parser,
                                      ArrayAttr &precision) {
  SmallVector<Attribute> values;
  auto parseOne = [&]() -> ParseResult {
    values.push_back(PrecisionAttr::parse(parser, {}));
    return success(values.back() != nullptr);
  };
  if (parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  precision = parser.getBuilder().getArrayAttr(values);
  return success();
}

ParseResult parsePrecisionConfig(OpAsmParser &parser, ArrayAttr &precision) {
  if (failed(parser.parseOptionalComma()))
    return success();
  return failure(parser.parseKeyword("precision") ||
                 parsePrecisionList(parser, precision));
}

void printPrecisionConfig(OpAsmPrinter &printer, Operation *,
                          ArrayAttr precision) {
  if (!precision)
    return;
  printer << ", precision = [";
  llvm::interleaveComma(precision.getAsRange<PrecisionAttr>(), printer,
                        [&](PrecisionAttr value) {
                          printer << stringifyPrecision(value.getValue());
                        });
  printer << "]";
}

ParseResult parsePrecisionAndAlgorithm(OpAsmParser &parser,
                                       ArrayAttr &precision,
                                       DotAlgorithmAttr &algorithm) {
  if (failed(parser.parseOptionalComma()))
    return success();
  if (succeeded(parser.parseOptionalKeyword("precision")))
    if (parsePrecisionList(parser, precision) ||
        failed(parser.parseOptionalComma()))
      return success(precision != nullptr);
  if (parser.parseKeyword("algorithm") || parser.parseEqual())
    return failure();
  algorithm = llvm::dyn_cast_or_null<DotAlgorithmAttr>(
      DotAlgorithmAttr::parse(parser, {}));
  return success(algorithm != nullptr);
}

void printPrecisionAndAlgorithm(OpAsmPrinter &printer, Operation *op,
                                ArrayAttr precision,
                                DotAlgorithmAttr algorithm) {
  printPrecisionConfig(printer, op, precision);
  if (!algorithm)
    return;
  printer << ", algorithm = ";
  algorithm.print(printer);
}

// --- convolution -------------------------------------------------------------

/// Parses one bracket of the dimension numbers: the letters `first` and
/// `second` and the numbers of the spatial dimensions.
static ParseResult parseConvRoles(AsmParser &parser, StringRef firstName,
                                  StringRef secondName, int64_t &first,
                                  int64_t &second,
                                  SmallVectorImpl<int64_t> &spatial) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<std::pair<int64_t, int64_t>> places; // spatial number, position
  first = second = -1;
  int64_t position = 0;
  auto parseRole = [&]() -> ParseResult {
    int64_t number = 0;
    OptionalParseResult isNumber = parser.parseOptionalInteger(number);
    StringRef letter;
    if (isNumber.has_value())
      places.push_back({number, position});
    else if (parser.parseKeyword(&letter))
      return failure();
    else if (letter == firstName && first < 0)
      first = position;
    else if (letter == secondName && second < 0)
      second = position;
    else
      return parser.emitError(loc, "unexpected or repeated dimension '")
             << letter << "'";
    ++position;
    return success(!isNumber.has_value() || succeeded(*isNumber));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRole))
    return failure();
  if (first < 0 || second < 0)
    return parser.emitError(loc, "expected dimensions '")
           << firstName << "' and '" << secondName << "'";
  llvm::sort(places);
  for (auto [index, place] : llvm::enumerate(places)) {
    if (place.first != static_cast<int64_t>(index))
      return parser.emitError(loc, "expected spatial dimensions 0 to ")
             << places.size() - 1 << ", each once";
    spatial.push_back(place.second);
  }
  return success();
}

ParseResult parseConvDimensions(AsmParser &parser,
                                ConvDimensionNumbersAttr &dims) {
  int64_t inputBatch, inputFeature, kernelInput, kernelOutput, outputBatch,
      outputFeature;
  SmallVector<int64_t> inputSpatial, kernelSpatial, outputSpatial;
  if (parseConvRoles(parser, "b", "f", inputBatch, inputFeature,
                     inputSpatial) ||
      parser.parseKeyword("x") ||
      parseConvRoles(parser, "i", "o", kernelInput, kernelOutput,
                     kernelSpatial) ||
      parser.parseArrow() ||
      parseConvRoles(parser, "b", "f", outputBatch, outputFeature,
                     outputSpatial))
    return failure();
  dims = ConvDimensionNumbersAttr::get(
      parser.getContext(), inputBatch, inputFeature, inputSpatial, kernelInput,
      kernelOutput, kernelSpatial, outputBatch, outputFeature, outputSpatial);
  return success();
}

static void printConvRoles(AsmPrinter &printer, char firstName, int64_t first,
                           char secondName, int64_t second,
                           ArrayRef<int64_t> spatial) {
  // Numbers that are not a permutation fail the verifier, whose message prints
  // the operation; that text need not be valid.
  SmallVector<std::string> roles(spatial.size() + 2, "?");
  auto place = [&](int64_t position, std::string role) {
    if (position >= 0 && position < static_cast<int64_t>(roles.size()))
      roles[position] = std::move(role);
  };
  place(first, std::string(1, firstName));
  place(second, std::string(1, secondName));
  for (auto [index, position] : llvm::enumerate(spatial))
    place(position, std::to_string(index));
  printer << "[" << llvm::join(roles, ", ") << "]";
}

void printConvDimensions(AsmPrinter &printer, ConvDimensionNumbersAttr dims) {
  printConvRoles(printer, 'b', dims.getInputBatchDimension(), 'f',
                 dims.getInputFeatureDimension(),
                 dims.getInputSpatialDimensions());
  printer << "x";
  printConvRoles(printer, 'i', dims.getKernelInputFeatureDimension(), 'o',
                 dims.getKernelOutputFeatureDimension(),
                 dims.getKernelSpatialDimensions());
  printer << "->";
  printConvRoles(printer, 'b', dims.getOutputBatchDimension(), 'f',
                 dims.getOutputFeatureDimension(),
                 dims.getOutputSpatialDimensions());
}

static ParseResult parsePadding(OpAsmParser &parser,
                                DenseIntElementsAttr &padding) {
  SmallVector<int64_t> values;
  auto parsePair = [&]() -> ParseResult {
    return failure(
        parser.parseLSquare() || parser.parseInteger(values.emplace_back()) ||
        parser.parseComma() || parser.parseInteger(values.emplace_back()) ||
        parser.parseRSquare());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePair))
    return failure();
  auto type =
      RankedTensorType::get({static_cast<int64_t>(values.size() / 2), 2},
                            parser.getBuilder().getI64Type());
  padding = DenseIntElementsAttr::get(type, values);
  return success();
}

ParseResult parseConvWindow(OpAsmParser &parser, DenseI64ArrayAttr &strides,
                            DenseIntElementsAttr &padding,
                            DenseI64ArrayAttr &lhsDilation,
                            DenseI64ArrayAttr &rhsDilation,
                            DenseBoolArrayAttr &reversal) {
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  while (succeeded(parser.parseOptionalKeyword(&name))) {
    SmallVector<int64_t> values;
    Builder &builder = parser.getBuilder();
    if (parser.parseEqual() || (name == "pad" ? parsePadding(parser, padding)
                                              : parseDims(parser, values)))
      return failure();
    if (name == "stride" && !strides)
      strides = builder.getDenseI64ArrayAttr(values);
    else if (name == "lhs_dilate" && !lhsDilation)
      lhsDilation = builder.getDenseI64ArrayAttr(values);
    else if (name == "rhs_dilate" && !rhsDilation)
      rhsDilation = builder.getDenseI64ArrayAttr(values);
    else if (name == "reverse" && !reversal)
      reversal = builder.getDenseBoolArrayAttr(
          llvm::map_to_vector(values, [](int64_t v) { return v != 0; }));
    else if (name != "pad")
      return parser.emitError(loc, "unknown or repeated window attribute '")
             << name << "'";
    if (failed(parser.parseOptionalComma()))
      break;
    loc = parser.getCurrentLocation();
  }
  return success();
}

void printConvWindow(OpAsmPrinter &printer, Operation *,
                     DenseI64ArrayAttr strides, DenseIntElementsAttr padding,
                     DenseI64ArrayAttr lhsDilation,
                     DenseI64ArrayAttr rhsDilation,
                     DenseBoolArrayAttr reversal) {
  bool first = true;
  auto begin = [&](StringRef name) -> OpAsmPrinter & {
    printer << (first ? "" : ", ") << name << " = ";
    first = false;
    return printer;
  };
  if (strides)
    printDims(begin("stride"), strides);
  if (padding) {
    auto values = llvm::to_vector(padding.getValues<int64_t>());
    begin("pad") << "[";
    llvm::interleaveComma(
        llvm::seq<size_t>(0, values.size() / 2), printer, [&](size_t i) {
          printer << "[" << values[2 * i] << ", " << values[2 * i + 1] << "]";
        });
    printer << "]";
  }
  if (lhsDilation)
    printDims(begin("lhs_dilate"), lhsDilation);
  if (rhsDilation)
    printDims(begin("rhs_dilate"), rhsDilation);
  if (reversal) {
    begin("reverse") << "[";
    llvm::interleaveComma(reversal.asArrayRef(), printer);
    printer << "]";
  }
}

} // namespace assay::stablehlo
