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
  /// The source of an argument of the program.
  struct Source {
    std::string file;     ///< of a weight or a constant, else empty
    int64_t position = 0; ///< among the inputs of the user
  };
  std::string folder, program;
  std::vector<Source> arguments;
  /// How many inputs the user gives, those that the program ignores among them.
  int64_t inputs = 0;

  /// Reads the method's .meta; without a name the only one, or `forward`.
  /// Errors: NotFound lists the methods; InvalidArgument, NotFound say which
  /// file is damaged or missing
  static llvm::Expected<SavedFolder> open(llvm::StringRef folder,
                                          llvm::StringRef method);

  /// One specification (Inputs.h) for each argument of the program, from those
  /// of the user: one for each input, or one .npz or `random` for all.
  llvm::Expected<std::vector<std::string>>
  bind(llvm::ArrayRef<std::string> specs) const;
};

} // namespace assay::formats
