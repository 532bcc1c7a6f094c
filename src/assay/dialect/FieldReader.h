/// Named fields of an attribute, `<name = value, ...>`: read in any order,
/// written without empty or zero fields.
#pragma once

#include "mlir/IR/OpImplementation.h"

#include <functional>

namespace assay::stablehlo {

/// Reads `name = value, name = value >`, each name at most once.
class FieldReader {
public:
  explicit FieldReader(mlir::AsmParser &parser) : parser_(parser) {}

  FieldReader &field(llvm::StringRef name,
                     std::function<mlir::ParseResult()> parse);
  FieldReader &dims(llvm::StringRef name,
                    llvm::SmallVectorImpl<int64_t> &values);
  FieldReader &integer(llvm::StringRef name, int64_t &value);

  /// Reads up to the closing `>`, inclusive.
  mlir::ParseResult read();
  /// Like read(), but every field is required.
  mlir::ParseResult readAll();

private:
  struct Field {
    llvm::StringRef name;
    std::function<mlir::ParseResult()> parse;
    bool seen;
  };
  mlir::ParseResult readField();

  mlir::AsmParser &parser_;
  llvm::SmallVector<Field, 9> fields_;
};

/// Writes `<name = value, ...>`; the destructor writes the closing `>`.
class FieldWriter {
public:
  explicit FieldWriter(mlir::AsmPrinter &printer) : printer_(printer) {
    printer_ << "<";
  }
  ~FieldWriter() { printer_ << ">"; }

  FieldWriter &dims(llvm::StringRef name, llvm::ArrayRef<int64_t> values);
  FieldWriter &integer(llvm::StringRef name, int64_t value);
  /// Begins a field; the caller writes its value.
  mlir::AsmPrinter &begin(llvm::StringRef name);

private:
  mlir::AsmPrinter &printer_;
  bool first_ = true;
};

/// `[1, 2]`.
mlir::ParseResult parseDims(mlir::AsmParser &parser,
                            llvm::SmallVectorImpl<int64_t> &dims);
void printDims(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> dims);

} // namespace assay::stablehlo
