/// Dumps of a compiler, pass by pass: XLA's (--xla_dump_hlo_pass_re), MLIR's
/// (--mlir-print-ir-after-all, in one file or a tree), or a folder of programs.
#pragma once

#include "assay/support/Error.h"
#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace assay::judge {

/// One program of a dump.
struct PassProgram {
  std::string group; ///< the module that it is a state of
  std::string pass;  ///< this program is the state after it
  std::string file;  ///< where it was read, with a line where a file has many
  std::string text;
  bool isHlo = false; ///< XLA's own text, to be converted
};

struct PassDump {
  /// Group after group, each in the order of the passes.
  std::vector<PassProgram> programs;
  std::vector<std::string> others; ///< files that hold no program
};

/// Files and folders. Errors: NotFound, DataLoss.
llvm::Expected<PassDump> readPassDump(llvm::ArrayRef<std::string> paths);

} // namespace assay::judge
