/// Plain bytecode of operations that a later version gave one more property:
/// custom_call (StableHLO 1.18: result_tilings) and chlo.top_k (is_stable). The
/// file does not say which version it is of.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace mlir {
class MLIRContext;
}

namespace assay {

/// While one lives, this thread reads these operations as the older versions
/// wrote them (JAX up to 0.10.2 at least). They are written so where no
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

/// Whether the bytecode in a file can be read only so (what parseProgramText()
/// tries by itself).
bool hasOlderProperties(llvm::StringRef file, mlir::MLIRContext &context);

} // namespace assay
