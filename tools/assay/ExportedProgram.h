/// A .pt2 file of torch.export as a folder that `assay run` reads.
#pragma once

#include "assay/support/Error.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"

#include <string>

namespace assay::tools {

/// Whether a path is one of a .pt2 file.
bool isExportedProgram(llvm::StringRef path);

/// A folder (formats/SavedFolder.h) that lives as long as this object.
class ConvertedProgram {
public:
  ConvertedProgram() = default;
  ConvertedProgram(const ConvertedProgram &) = delete;
  ~ConvertedProgram();

  /// PyTorch reads the file, in the interpreter of engine/PythonWorker.h;
  /// `inputs` (.npz, .npy) say the sizes that the model leaves open.
  /// Errors: NotFound for the file or an interpreter; Unsupported with what
  /// PyTorch or the table of aten operators says
  llvm::Error convert(llvm::StringRef path,
                      llvm::ArrayRef<std::string> inputs);
  std::string folder() const;

private:
  llvm::SmallString<128> temporary_;
};

} // namespace assay::tools
