/// A problem in its full form: a StableHLO program and the bindings of its
/// arguments (--show-program).
#pragma once

#include "assay/verify/Driver.h"

namespace assay::verify {

/// MLIR text for `assay run`: one argument per input tensor (and the previous
/// destination where a sum post-op reads it), one result per output, logical
/// shapes. Comments before it give the role, memory tag, strides and fill of
/// each tensor.
std::string showProgram(const Problem &problem, const BoundProgram &bound);

} // namespace assay::verify
