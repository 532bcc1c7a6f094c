/// The GPU of this node, as ROCm's rocminfo describes it.
#pragma once

#include "assay/select/CkGemm.h"

namespace assay::select {

/// The first GPU in the output of rocminfo; missing values come from the
/// profile of `arch`.
/// Errors: NotFound (no GPU in it), InvalidArgument (the GPU is of another
/// arch)
llvm::Expected<CkHardware> parseRocmInfo(llvm::StringRef text,
                                           llvm::StringRef arch);

/// parseRocmInfo() of rocminfo's output on this machine. Errors: those of
/// parseRocmInfo(); Unsupported (no rocminfo, or it fails)
llvm::Expected<CkHardware> captureHardware(llvm::StringRef arch);

} // namespace assay::select
