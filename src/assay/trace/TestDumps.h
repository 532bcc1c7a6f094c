/// For tests: dumps of a few tensors.
#pragma once

#include "assay/support/TestFolder.h"
#include "assay/trace/DumpWriter.h"

namespace assay::trace {

/// A test's folder for dumps.
struct DumpFolder : TestFolder {
  using Named = std::vector<std::pair<std::string, tensor::Tensor>>;

  /// Writes a dump and returns its path.
  std::string write(const char *name, const Named &tensors) const {
    auto writer = llvm::cantFail(DumpWriter::create(path(name)));
    for (const auto &[tensor, value] : tensors)
      llvm::cantFail(writer->add(tensor, value));
    llvm::cantFail(writer->close());
    return path(name);
  }
};

} // namespace assay::trace
