/// A problem in its full form: a StableHLO program and the bindings of its
/// arguments (--show-program).
#pragma once

#include "assay/verify/Driver.h"

namespace assay::verify {

/// MLIR text that `assay run` takes: one argument per input tensor (and the
/// previous destination where a sum post-op reads it), one result per output,
/// logical shapes. Comments in front say role, memory tag, strides and fill of
/// each tensor.
std::string showProgram(const Problem &problem, const BoundProgram &bound);

} // namespace assay::verify
