/// Reads the fields of attributes from bytecode; shared by several dialects.
#pragma once

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace assay::bytecode {

using Reader = mlir::DialectBytecodeReader;

/// The attribute for a number of an enumeration; reports an error and returns
/// null if there is none.
template <typename Attr, typename Symbolize>
mlir::Attribute readEnum(Reader &reader, Symbolize symbolize) {
  uint64_t number = 0;
  if (failed(reader.readVarInt(number)))
    return {};
  if (number <= UINT32_MAX)
    if (auto value = symbolize(static_cast<uint32_t>(number)))
      return Attr::get(reader.getContext(), *value);
  return reader.emitError("an enumeration has no value ") << number,
         mlir::Attribute();
}

/// Reads fields one after the other; `ok` tells at the end whether all were
/// present.
struct Fields {
  Reader &reader;
  bool ok = true;

  int64_t integer() {
    int64_t value = 0;
    ok = ok && succeeded(reader.readSignedVarInt(value));
    return value;
  }
  llvm::SmallVector<int64_t> list() {
    llvm::SmallVector<int64_t> values;
    ok = ok && succeeded(reader.readSignedVarInts(values));
    return values;
  }
  mlir::Type type() {
    mlir::Type value;
    ok = ok && succeeded(reader.readType(value));
    return value;
  }
  llvm::APFloat real() {
    auto value =
        ok ? reader.readAPFloatWithKnownSemantics(llvm::APFloat::IEEEdouble())
           : mlir::FailureOr<llvm::APFloat>(mlir::failure());
    ok = succeeded(value);
    return ok ? *value : llvm::APFloat(0.0);
  }
};

/// The version that upstream's dialects write: three numbers, which are not
/// needed for reading.
struct AnyVersion : mlir::DialectVersion {};
inline std::unique_ptr<mlir::DialectVersion> readAnyVersion(Reader &reader) {
  uint64_t number = 0;
  for (int part = 0; part < 3; ++part)
    if (failed(reader.readVarInt(number)))
      return nullptr;
  return std::make_unique<AnyVersion>();
}

} // namespace assay::bytecode
