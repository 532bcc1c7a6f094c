/// Plain bytecode of custom_call in two versions: StableHLO 1.18 gave it one
/// more property, result_tilings, and the file does not say which it has.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace mlir {
class MLIRContext;
}

namespace assay {
/// Whether the bytecode in a file can be read only so (what parseProgramText()
/// tries by itself).
bool hasOlderCustomCalls(llvm::StringRef file, mlir::MLIRContext &context);
} // namespace assay

namespace assay::stablehlo {

/// While one lives, custom calls of this thread are read as StableHLO 1.17 and
/// older wrote them (JAX up to 0.10.2 at least). They are written so where no
/// custom call of the program has tilings.
class CustomCallsWithoutTilings {
public:
  CustomCallsWithoutTilings();
  ~CustomCallsWithoutTilings();
  CustomCallsWithoutTilings(const CustomCallsWithoutTilings &) = delete;
  static bool isActive();
};

} // namespace assay::stablehlo
