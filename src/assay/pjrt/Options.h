/// The options of the plugin, by environment variables or by the
/// options that a framework gives: engine, devices, checks, recording.
#pragma once

#include "assay/pjrt_abi/Abi.h"
#include "assay/support/Error.h"
#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace assay::pjrt {

struct Options {
  /// ASSAY_ENGINE: native, reference or pjrt:PATH.so, another device's plugin.
  std::string engine = "native";
  /// The program `assay`, which runs such a plugin in a process of its own: given by
  /// the framework's side.
  std::string worker;
  int devices = 1;               ///< ASSAY_DEVICES: 1 to 64 virtual ones
  int threads = 0;               ///< ASSAY_THREADS; 0: all cores
  /// ASSAY_CHECK: nan, bound or shadow, which judges every operation; empty: no.
  std::string check;
  /// ASSAY_MEMORY, as 4G: what arrays and runs may hold; 0: 80 % of the
  /// machine's, or 90 % of what is available where that is less.
  int64_t memoryBytes = 0;
  std::string record; ///< ASSAY_RECORD: a folder, a dump for each run; or empty

  /// Whether every operation has to be seen.
  bool watches() const { return !check.empty() || !record.empty(); }

  /// The environment's, and over them the given ones (`engine`, `devices`,
  /// `threads`, `memory`, `check`, `record`). Errors: InvalidArgument with the choices.
  static llvm::Expected<Options> read(llvm::ArrayRef<NamedValue> given);
};

/// A line for each of these variables whose name is nearly that of an option
/// (ASSAY_CHEK), which would have no effect.
std::string unknownVariables(llvm::ArrayRef<llvm::StringRef> names);

} // namespace assay::pjrt
