/// Bytecode of operations that got a further property in a later version:
/// custom_call (StableHLO 1.18: result_tilings) and chlo.top_k (is_stable). The
/// file does not record which version wrote it.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace mlir {
class MLIRContext;
}

namespace assay {

/// While an object of this class exists, this thread reads these operations in
/// the older form (written by JAX up to 0.10.2 at least). The older form is
/// also written if no operation of the program has one of the later properties.
class OlderProperties {
public:
  OlderProperties();
  ~OlderProperties();
  OlderProperties(const OlderProperties &) = delete;
  static bool isActive();
  /// Whether the bytecode may contain one of these operations.
  static bool mayMatter(llvm::StringRef bytecode);
};

/// Whether the bytecode in a file can be read only in the older form
/// (parseProgramText() tries both forms).
bool hasOlderProperties(llvm::StringRef file, mlir::MLIRContext &context);

} // namespace assay
