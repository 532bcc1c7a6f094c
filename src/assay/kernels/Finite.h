/// NaN and infinities. Such a factor turns each zero that it is multiplied with
/// into NaN. A kernel that skips zeros has to restore these.
#pragma once

#include "assay/kernels/Problem.h"

namespace assay::kernels {

/// False if one of `count` contiguous elements is an infinity or a NaN.
/// Threads: re-entrant.
bool areFinite(DataType type, const std::byte *elements, int64_t count);

} // namespace assay::kernels
