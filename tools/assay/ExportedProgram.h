/// Converts a .pt2 file of torch.export to a folder that `assay run` reads.
#pragma once

#include "assay/support/Error.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"

#include <string>

namespace assay::tools {

/// Whether a path names a .pt2 file.
bool isExportedProgram(llvm::StringRef path);

/// A folder (formats/SavedFolder.h) that lives as long as this object.
class ConvertedProgram {
public:
  ConvertedProgram() = default;
  ConvertedProgram(const ConvertedProgram &) = delete;
  ~ConvertedProgram();

  /// PyTorch reads the file, in the interpreter of engine/PythonWorker.h.
  /// `inputs` (.npz, .npy) determine the sizes that the model leaves open.
  /// Errors: NotFound for the file or an interpreter; Unsupported with the
  /// message of PyTorch or of the table of aten operators
  llvm::Error convert(llvm::StringRef path,
                      llvm::ArrayRef<std::string> inputs);
  std::string folder() const;

private:
  llvm::SmallString<128> temporary_;
};

} // namespace assay::tools
