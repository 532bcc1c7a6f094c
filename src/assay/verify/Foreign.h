/// Messages about a word "--NAME[=VALUE]" that is neither a driver nor a knob here:
/// many are benchdnn's, of this release or an older one, or another driver's.
#pragma once

#include "assay/verify/Driver.h"

namespace assay::verify {

/// The error for such a word after `driver` (null: before any). It explains the
/// word where it is known, else it names the nearest of `known`.
/// Errors: Unsupported for benchdnn's drivers and knobs, InvalidArgument else.
llvm::Error unknownWord(llvm::StringRef name, llvm::StringRef value,
                        const Driver *driver,
                        llvm::ArrayRef<llvm::StringRef> known);

} // namespace assay::verify
