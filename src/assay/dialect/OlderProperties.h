/// Plain bytecode of operations that got one more property in a later version:
/// custom_call (StableHLO 1.18: result_tilings) and chlo.top_k (is_stable). The
/// file does not record its version.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace mlir {
class MLIRContext;
}

namespace assay {

/// While one lives, this thread reads these operations as the older versions
/// wrote them (JAX up to 0.10.2 at least). The older form is also written where no
/// operation of the program has one of the later properties.
class OlderProperties {
public:
  OlderProperties();
  ~OlderProperties();
  OlderProperties(const OlderProperties &) = delete;
  static bool isActive();
  /// Whether the bytecode holds one of these operations at all.
  static bool mayMatter(llvm::StringRef bytecode);
};

/// Whether the bytecode in a file can be read in the older form only (which parseProgramText()
/// tries by itself).
bool hasOlderProperties(llvm::StringRef file, mlir::MLIRContext &context);

} // namespace assay
