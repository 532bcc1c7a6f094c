/// The operation, types and layout that a list of kernels is for, from the
/// words of a command.
#pragma once

#include "assay/kernels/Problem.h"

namespace assay::kernels {

struct KernelKind {
  TypePair types;
  Layout layout = Layout::RCR;
};

/// Parses the texts of --op, --dtype and --layout, and checks them together.
/// Errors: InvalidArgument; Unsupported (an operation without generated
/// kernels)
llvm::Expected<KernelKind> parseKind(llvm::StringRef op, llvm::StringRef dtype,
                                     llvm::StringRef layout);

} // namespace assay::kernels
