// The text of attributes and types of the stablehlo dialect.
//
// An attribute with many dimension lists is written as named fields,
// `#stablehlo.gather<offset_dims = [1], ...>`, in any order; a missing field is
// empty or 0 (FieldReader.h).
#include "assay/dialect/FieldReader.h"
#include "assay/dialect/Format.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "assay/dialect/StablehloEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "assay/dialect/StablehloAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "assay/dialect/StablehloTypes.cpp.inc"

namespace assay::stablehlo {

using namespace mlir;

void StablehloDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "assay/dialect/StablehloAttrs.cpp.inc"
      >();
}

void StablehloDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "assay/dialect/StablehloTypes.cpp.inc"
      >();
}

// --- dot ---------------------------------------------------------------------

Attribute DotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> lhsBatch, rhsBatch, lhsContract, rhsContract;
  FieldReader reader(parser);
  reader.dims("lhs_batching_dimensions", lhsBatch)
      .dims("rhs_batching_dimensions", rhsBatch)
      .dims("lhs_contracting_dimensions", lhsContract)
      .dims("rhs_contracting_dimensions", rhsContract);
  if (parser.parseLess() || reader.read())
    return {};
  return get(parser.getContext(), lhsBatch, rhsBatch, lhsContract, rhsContract);
}

void DotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldWriter(printer)
      .dims("lhs_batching_dimensions", getLhsBatchingDimensions())
      .dims("rhs_batching_dimensions", getRhsBatchingDimensions())
      .dims("lhs_contracting_dimensions", getLhsContractingDimensions())
      .dims("rhs_contracting_dimensions", getRhsContractingDimensions());
}

static ParseResult parseBool(AsmParser &parser, bool &value) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  value = word == "true";
  return word == "true" || word == "false"
             ? success()
             : parser.emitError(loc, "expected true or false");
}

Attribute DotAlgorithmAttr::parse(AsmParser &parser, Type) {
  Type lhs, rhs, accumulation;
  int64_t lhsCount = 0, rhsCount = 0, operations = 0;
  bool imprecise = false;
  FieldReader reader(parser);
  reader.field("lhs_precision_type", [&] { return parser.parseType(lhs); })
      .field("rhs_precision_type", [&] { return parser.parseType(rhs); })
      .field("accumulation_type",
             [&] { return parser.parseType(accumulation); })
      .integer("lhs_component_count", lhsCount)
      .integer("rhs_component_count", rhsCount)
      .integer("num_primitive_operations", operations)
      .field("allow_imprecise_accumulation",
             [&] { return parseBool(parser, imprecise); });
  if (parser.parseLess() || reader.readAll())
    return {};
  return get(parser.getContext(), lhs, rhs, accumulation, lhsCount, rhsCount,
             operations, imprecise);
}

void DotAlgorithmAttr::print(AsmPrinter &printer) const {
  FieldWriter writer(printer);
  writer.begin("lhs_precision_type") << getLhsPrecisionType();
  writer.begin("rhs_precision_type") << getRhsPrecisionType();
  writer.begin("accumulation_type") << getAccumulationType();
  writer.begin("lhs_component_count") << getLhsComponentCount();
  writer.begin("rhs_component_count") << getRhsComponentCount();
  writer.begin("num_primitive_operations") << getNumPrimitiveOperations();
  writer.begin("allow_imprecise_accumulation")
      << getAllowImpreciseAccumulation();
}

// --- conv --------------------------------------------------------------------

/// Parses the `raw` form. It names every field, so that it can also represent
/// numbers that are inconsistent.
static Attribute parseRawConv(AsmParser &parser) {
  int64_t inputBatch = 0, inputFeature = 0, kernelInput = 0, kernelOutput = 0,
          outputBatch = 0, outputFeature = 0;
  SmallVector<int64_t> inputSpatial, kernelSpatial, outputSpatial;
  FieldReader reader(parser);
  reader.integer("input_batch_dimension", inputBatch)
      .integer("input_feature_dimension", inputFeature)
      .dims("input_spatial_dimensions", inputSpatial)
      .integer("kernel_input_feature_dimension", kernelInput)
      .integer("kernel_output_feature_dimension", kernelOutput)
      .dims("kernel_spatial_dimensions", kernelSpatial)
      .integer("output_batch_dimension", outputBatch)
      .integer("output_feature_dimension", outputFeature)
      .dims("output_spatial_dimensions", outputSpatial);
  if (reader.read())
    return {};
  return ConvDimensionNumbersAttr::get(
      parser.getContext(), inputBatch, inputFeature, inputSpatial, kernelInput,
      kernelOutput, kernelSpatial, outputBatch, outputFeature, outputSpatial);
}

Attribute ConvDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("raw")))
    return parseRawConv(parser);
  ConvDimensionNumbersAttr dims;
  if (parseConvDimensions(parser, dims) || parser.parseGreater())
    return {};
  return dims;
}

/// Whether the roles are a permutation of 0 ... rank-1, as the short form
/// requires.
static bool isPermutation(int64_t first, int64_t second,
                          ArrayRef<int64_t> spatial) {
  SmallVector<int64_t> all(spatial);
  all.append({first, second});
  llvm::sort(all);
  return llvm::all_of(llvm::enumerate(all), [](auto it) {
    return it.value() == static_cast<int64_t>(it.index());
  });
}

void ConvDimensionNumbersAttr::print(AsmPrinter &printer) const {
  if (isPermutation(getInputBatchDimension(), getInputFeatureDimension(),
                    getInputSpatialDimensions()) &&
      isPermutation(getKernelInputFeatureDimension(),
                    getKernelOutputFeatureDimension(),
                    getKernelSpatialDimensions()) &&
      isPermutation(getOutputBatchDimension(), getOutputFeatureDimension(),
                    getOutputSpatialDimensions())) {
    printer << "<";
    printConvDimensions(printer, *this);
    printer << ">";
    return;
  }
  printer << "<raw input_batch_dimension = " << getInputBatchDimension()
          << ", input_feature_dimension = " << getInputFeatureDimension()
          << ", input_spatial_dimensions = ";
  printDims(printer, getInputSpatialDimensions());
  printer << ", kernel_input_feature_dimension = "
          << getKernelInputFeatureDimension()
          << ", kernel_output_feature_dimension = "
          << getKernelOutputFeatureDimension()
          << ", kernel_spatial_dimensions = ";
  printDims(printer, getKernelSpatialDimensions());
  printer << ", output_batch_dimension = " << getOutputBatchDimension()
          << ", output_feature_dimension = " << getOutputFeatureDimension()
          << ", output_spatial_dimensions = ";
  printDims(printer, getOutputSpatialDimensions());
  printer << ">";
}

// --- gather and scatter ------------------------------------------------------

Attribute GatherDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> offset, collapsed, operandBatching, indicesBatching, map;
  int64_t vectorDim = 0;
  FieldReader reader(parser);
  reader.dims("offset_dims", offset)
      .dims("collapsed_slice_dims", collapsed)
      .dims("operand_batching_dims", operandBatching)
      .dims("start_indices_batching_dims", indicesBatching)
      .dims("start_index_map", map)
      .integer("index_vector_dim", vectorDim);
  if (parser.parseLess() || reader.read())
    return {};
  return get(parser.getContext(), offset, collapsed, operandBatching,
             indicesBatching, map, vectorDim);
}

void GatherDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldWriter(printer)
      .dims("offset_dims", getOffsetDims())
      .dims("collapsed_slice_dims", getCollapsedSliceDims())
      .dims("operand_batching_dims", getOperandBatchingDims())
      .dims("start_indices_batching_dims", getStartIndicesBatchingDims())
      .dims("start_index_map", getStartIndexMap())
      .integer("index_vector_dim", getIndexVectorDim());
}

Attribute ScatterDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> window, inserted, inputBatching, indicesBatching, map;
  int64_t vectorDim = 0;
  FieldReader reader(parser);
  reader.dims("update_window_dims", window)
      .dims("inserted_window_dims", inserted)
      .dims("input_batching_dims", inputBatching)
      .dims("scatter_indices_batching_dims", indicesBatching)
      .dims("scatter_dims_to_operand_dims", map)
      .integer("index_vector_dim", vectorDim);
  if (parser.parseLess() || reader.read())
    return {};
  return get(parser.getContext(), window, inserted, inputBatching,
             indicesBatching, map, vectorDim);
}

void ScatterDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldWriter(printer)
      .dims("update_window_dims", getUpdateWindowDims())
      .dims("inserted_window_dims", getInsertedWindowDims())
      .dims("input_batching_dims", getInputBatchingDims())
      .dims("scatter_indices_batching_dims", getScatterIndicesBatchingDims())
      .dims("scatter_dims_to_operand_dims", getScatterDimsToOperandDims())
      .integer("index_vector_dim", getIndexVectorDim());
}

// --- result_accuracy ---------------------------------------------------------

ResultAccuracyAttr ResultAccuracyAttr::getDefault(MLIRContext *context) {
  return get(context, APFloat(0.0), APFloat(0.0), 0,
             ResultAccuracyModeAttr::get(context, ResultAccuracyMode::DEFAULT));
}

LogicalResult
ResultAccuracyAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                           APFloat atol, APFloat rtol, int64_t ulps,
                           ResultAccuracyModeAttr mode) {
  bool tolerant = mode.getValue() == ResultAccuracyMode::TOLERANCE;
  if (!tolerant && (!atol.isZero() || !rtol.isZero() || ulps != 0))
    return emitError() << "tolerances need mode TOLERANCE, got "
                       << stringifyResultAccuracyMode(mode.getValue());
  if (atol.isNegative() || rtol.isNegative() || ulps < 0)
    return emitError() << "tolerances must not be negative";
  return success();
}

Attribute ResultAccuracyAttr::parse(AsmParser &parser, Type) {
  double atol = 0, rtol = 0;
  int64_t ulps = 0;
  ResultAccuracyModeAttr mode;
  FieldReader reader(parser);
  reader.field("atol", [&] { return parser.parseFloat(atol); })
      .field("rtol", [&] { return parser.parseFloat(rtol); })
      .integer("ulps", ulps)
      .field("mode", [&] { return parser.parseAttribute(mode); });
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || reader.read())
    return {};
  if (!mode)
    return parser.emitError(loc, "missing field 'mode'"), Attribute();
  return parser.getChecked<ResultAccuracyAttr>(
      loc, parser.getContext(), APFloat(atol), APFloat(rtol), ulps, mode);
}

void ResultAccuracyAttr::print(AsmPrinter &printer) const {
  FieldWriter writer(printer);
  if (!getAtol().isZero())
    writer.begin("atol").printFloat(getAtol());
  if (!getRtol().isZero())
    writer.begin("rtol").printFloat(getRtol());
  writer.integer("ulps", getUlps());
  writer.begin("mode") << getMode();
}

// --- custom calls, bounds, meshes --------------------------------------------

Attribute OutputOperandAliasAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> output, operand;
  int64_t index = 0;
  FieldReader reader(parser);
  reader.dims("output_tuple_indices", output)
      .integer("operand_index", index)
      .dims("operand_tuple_indices", operand);
  if (parser.parseLess() || reader.readAll())
    return {};
  return get(parser.getContext(), output, index, operand);
}

void OutputOperandAliasAttr::print(AsmPrinter &printer) const {
  FieldWriter writer(printer);
  printDims(writer.begin("output_tuple_indices"), getOutputTupleIndices());
  writer.begin("operand_index") << getOperandIndex();
  printDims(writer.begin("operand_tuple_indices"), getOperandTupleIndices());
}

static ParseResult parseBound(AsmParser &parser, int64_t &bound) {
  bound = ShapedType::kDynamic;
  return succeeded(parser.parseOptionalQuestion()) ? success()
                                                   : parser.parseInteger(bound);
}

/// Also reads the older spelling `#stablehlo.type_extensions<bounds = [4, ?]>`.
Attribute StablehloDialect::parseAttribute(DialectAsmParser &parser,
                                           Type type) const {
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  Attribute attribute;
  if (generatedAttributeParser(parser, &mnemonic, type, attribute).has_value())
    return attribute;
  if (mnemonic != "type_extensions")
    return parser.emitError(loc) << "unknown attribute '" << mnemonic
                                 << "' of dialect 'stablehlo'",
           Attribute();
  SmallVector<int64_t> bounds;
  auto parseOne = [&] { return parseBound(parser, bounds.emplace_back()); };
  if (parser.parseLess() || parser.parseKeyword("bounds") ||
      parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne) ||
      parser.parseGreater())
    return {};
  return TypeExtensionsAttr::get(parser.getContext(), bounds);
}

void StablehloDialect::printAttribute(Attribute attribute,
                                      DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attribute, printer);
}

Attribute TypeExtensionsAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> bounds;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&] {
        return parseBound(parser, bounds.emplace_back());
      }))
    return {};
  return get(parser.getContext(), bounds);
}

void TypeExtensionsAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleaveComma(getBounds(), printer, [&](int64_t bound) {
    if (ShapedType::isDynamic(bound))
      printer << "?";
    else
      printer << bound;
  });
  printer << ">";
}

LogicalResult TypeExtensionsAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type,
    function_ref<InFlightDiagnostic()> emitError) const {
  if (getBounds().size() != shape.size())
    return emitError() << "bounds are given for " << getBounds().size()
                       << " dimensions of a tensor of rank " << shape.size();
  for (auto [dim, size, bound] : llvm::zip_equal(
           llvm::seq<size_t>(0, shape.size()), shape, getBounds())) {
    if (!ShapedType::isDynamic(bound) && !ShapedType::isDynamic(size))
      return emitError() << "dimension " << dim
                         << " has a static size and a bound";
    if (!ShapedType::isDynamic(bound) && bound < 0)
      return emitError() << "bound of dimension " << dim << " is negative";
  }
  return success();
}

Attribute SubAxisInfoAttr::parse(AsmParser &parser, Type) {
  int64_t preSize = 0, size = 0;
  if (parser.parseLParen() || parser.parseInteger(preSize) ||
      parser.parseRParen() || parser.parseInteger(size))
    return {};
  return get(parser.getContext(), preSize, size);
}

void SubAxisInfoAttr::print(AsmPrinter &printer) const {
  printer << "(" << getPreSize() << ")" << getSize();
}

LogicalResult FutureType::verify(function_ref<InFlightDiagnostic()> error,
                                 ArrayRef<Type> types) {
  for (Type type : types)
    if (!isa<RankedTensorType>(type))
      return error() << "a future holds tensors, got " << type;
  return success();
}

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  SmallVector<MeshAxisAttr> axes;
  DenseIntElementsAttr devices;
  auto parseAxis = [&]() -> ParseResult {
    Attribute axis;
    SMLoc loc = parser.getCurrentLocation();
    OptionalParseResult full = parser.parseOptionalAttribute(axis, Type());
    if (!full.has_value())
      axis = MeshAxisAttr::parse(parser, {});
    axes.push_back(llvm::dyn_cast_or_null<MeshAxisAttr>(axis));
    return axes.back() ? success()
                       : parser.emitError(loc, "expected a mesh axis");
  };
  auto parseAxes = [&] {
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                          parseAxis);
  };
  FieldReader reader(parser);
  reader.field("axes", parseAxes).field("device_ids", [&] {
    return parser.parseAttribute(devices);
  });
  if (parser.parseLess() || reader.read())
    return {};
  return get(parser.getContext(), axes, devices);
}

void MeshAttr::print(AsmPrinter &printer) const {
  FieldWriter writer(printer);
  AsmPrinter &axes = writer.begin("axes") << "[";
  llvm::interleaveComma(getAxes(), axes,
                        [&](MeshAxisAttr axis) { axis.print(axes); });
  axes << "]";
  if (getDeviceIds())
    writer.begin("device_ids") << getDeviceIds();
}

} // namespace assay::stablehlo
