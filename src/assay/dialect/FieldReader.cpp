// Named fields: the grammar of #stablehlo.dot, gather, scatter, conv<raw ...>,
// dot_algorithm and similar attributes.
//
// A field is a name and a function that reads its value. The fields may be in
// any order; each name may occur once.
#include "assay/dialect/FieldReader.h"

namespace assay::stablehlo {

using namespace mlir;

FieldReader &FieldReader::field(StringRef name,
                                std::function<ParseResult()> parse) {
  fields_.push_back({name, std::move(parse), false});
  return *this;
}

FieldReader &FieldReader::dims(StringRef name,
                               SmallVectorImpl<int64_t> &values) {
  return field(name, [this, &values] { return parseDims(parser_, values); });
}

FieldReader &FieldReader::integer(StringRef name, int64_t &value) {
  return field(name, [this, &value] { return parser_.parseInteger(value); });
}

ParseResult FieldReader::read() {
  // A comma may follow the last field.
  while (failed(parser_.parseOptionalGreater())) {
    if (failed(readField()))
      return failure();
    if (failed(parser_.parseOptionalComma()))
      return parser_.parseGreater();
  }
  return success();
}

ParseResult FieldReader::readAll() {
  SMLoc loc = parser_.getCurrentLocation();
  if (failed(read()))
    return failure();
  for (const Field &field : fields_)
    if (!field.seen)
      return parser_.emitError(loc, "missing field '") << field.name << "'";
  return success();
}

ParseResult FieldReader::readField() {
  SMLoc loc = parser_.getCurrentLocation();
  StringRef name;
  if (parser_.parseKeyword(&name) || parser_.parseEqual())
    return failure();
  for (Field &field : fields_) {
    if (field.name != name)
      continue;
    if (field.seen)
      return parser_.emitError(loc, "field '") << name << "' is given twice";
    field.seen = true;
    return field.parse();
  }
  InFlightDiagnostic diag = parser_.emitError(loc, "unknown field '");
  diag << name << "', expected one of ";
  llvm::interleaveComma(fields_, diag,
                        [&](const Field &field) { diag << field.name; });
  return diag;
}

FieldWriter &FieldWriter::dims(StringRef name, ArrayRef<int64_t> values) {
  if (!values.empty())
    printDims(begin(name), values);
  return *this;
}

FieldWriter &FieldWriter::integer(StringRef name, int64_t value) {
  if (value != 0)
    begin(name) << value;
  return *this;
}

AsmPrinter &FieldWriter::begin(StringRef name) {
  printer_ << (first_ ? "" : ", ") << name << " = ";
  first_ = false;
  return printer_;
}

ParseResult parseDims(AsmParser &parser, SmallVectorImpl<int64_t> &dims) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(dims.emplace_back());
  });
}

void printDims(AsmPrinter &printer, ArrayRef<int64_t> dims) {
  printer << "[";
  llvm::interleaveComma(dims, printer);
  printer << "]";
}

} // namespace assay::stablehlo
