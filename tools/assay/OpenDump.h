/// How commands open a dump that may be what a killed recorder left.
#pragma once

#include "assay/formats/Hdf5Reader.h"

namespace assay::tools {

/// The dump at `path`; a note on standard error says when it had to be repaired.
/// Errors: those of Hdf5Reader::open.
llvm::Expected<std::unique_ptr<formats::Hdf5Reader>>
openDump(llvm::StringRef path);

} // namespace assay::tools
