/// What a client of the plugin is asked for, by environment variables or by the
/// options that a framework gives: engine, devices, checks, recording.
#pragma once

#include "Abi.h"
#include "assay/support/Error.h"
#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace assay::pjrt {

struct Options {
  std::string engine = "native"; ///< ASSAY_ENGINE: native or reference
  int devices = 1;               ///< ASSAY_DEVICES: 1 to 64 virtual ones
  int threads = 0;               ///< ASSAY_THREADS; 0: all cores

  /// The environment's, and over them the given ones (`engine`, `devices`,
  /// `threads`). Errors: InvalidArgument with the choices.
  static llvm::Expected<Options> read(llvm::ArrayRef<NamedValue> given);
};

} // namespace assay::pjrt
