/// Serialises values for another process of the same build on the same machine.
#pragma once

#include "assay/program/RunContext.h"

namespace assay::program {

/// False for quantised values, because a quantised type belongs to its program.
bool canBeWritten(llvm::ArrayRef<Value> values);
/// Appends values (tensors with their shadows, tokens, tuples) to `bytes`.
void writeValues(std::string &bytes, llvm::ArrayRef<Value> values);
void writeText(std::string &bytes, llvm::StringRef text);
void writeNumber(std::string &bytes, int64_t number);

/// Reads values that the functions above wrote from the front of `bytes`, and
/// removes them there. Errors: DataLoss for bytes that end early.
llvm::Expected<std::vector<Value>> readValues(llvm::StringRef &bytes,
                                              RunContext &run);
llvm::Expected<std::string> readText(llvm::StringRef &bytes);
llvm::Expected<int64_t> readNumber(llvm::StringRef &bytes);

} // namespace assay::program
