/// The options of the plugin, from environment variables or from the framework:
/// engine, devices, checks, recording.
#pragma once

#include "assay/pjrt_abi/Abi.h"
#include "assay/support/Error.h"
#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace assay::pjrt {

struct Options {
  /// ASSAY_ENGINE: native, reference, or pjrt:PATH.so for another device's
  /// plugin.
  std::string engine = "native";
  /// The program `assay`, which runs such a plugin in a separate process; set
  /// by the framework's side.
  std::string worker;
  int devices = 1;               ///< ASSAY_DEVICES: 1 to 64 virtual devices
  int threads = 0;               ///< ASSAY_THREADS; 0: all cores
  /// ASSAY_CHECK: nan, bound or shadow, by which every operation is judged;
  /// empty: none.
  std::string check;
  /// ASSAY_MEMORY, such as 4G: the limit for arrays and runs; 0: 80 % of the
  /// machine's memory, or 90 % of the available memory where that is less.
  int64_t memoryBytes = 0;
  std::string record; ///< ASSAY_RECORD: a folder, with one dump per run; or
                      ///< empty

  /// Whether every operation has to be observed.
  bool watches() const { return !check.empty() || !record.empty(); }

  /// Reads the environment, then the given options (`engine`, `devices`,
  /// `threads`, `memory`, `check`, `record`), which override it. Errors:
  /// InvalidArgument with the choices.
  static llvm::Expected<Options> read(llvm::ArrayRef<NamedValue> given);
};

/// A line for each of these variables whose name is nearly that of an option
/// (ASSAY_CHEK), which would have no effect.
std::string unknownVariables(llvm::ArrayRef<llvm::StringRef> names);

} // namespace assay::pjrt
