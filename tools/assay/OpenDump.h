/// Opens a dump for a command, even if its recorder was killed.
#pragma once

#include "assay/formats/Hdf5Reader.h"

namespace assay::tools {

/// The dump at `path`; prints a note to standard error if it had to be
/// repaired. Errors: those of Hdf5Reader::open.
llvm::Expected<std::unique_ptr<formats::Hdf5Reader>>
openDump(llvm::StringRef path);

} // namespace assay::tools
