/// A folder as torch_xla's StableHLOGraphModule.save() writes it: programs with
/// their weights.
///
///   functions/NAME.meta        which argument is an input, which a weight
///   functions/NAME.bytecode    the program, a portable artifact
///   functions/NAME.mlir        the same as text (may be missing)
///   data/WEIGHT, constants/0   .npy images
#pragma once

#include "assay/support/Error.h"

#include <string>
#include <vector>

namespace assay::formats {

struct SavedFolder {
  /// The source of one argument of the program.
  struct Source {
    std::string file;     ///< file of a weight or a constant; empty for an
                          ///< input
    int64_t position = 0; ///< position among the user's inputs
  };
  std::string folder, program;
  std::vector<Source> arguments;
  /// How many inputs the user has to give, including those that the program
  /// ignores.
  int64_t inputs = 0;

  /// Reads the method's .meta file; without a name that of the only method, or
  /// `forward`. Errors: NotFound, which lists the methods; InvalidArgument,
  /// NotFound with the file that is damaged or missing
  static llvm::Expected<SavedFolder> open(llvm::StringRef folder,
                                          llvm::StringRef method);

  /// Turns the user's specifications (one for each input, or one .npz or
  /// `random` for all) into one specification (Inputs.h) for each argument of
  /// the program.
  llvm::Expected<std::vector<std::string>>
  bind(llvm::ArrayRef<std::string> specs) const;
};

} // namespace assay::formats
