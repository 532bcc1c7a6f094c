/// NaN and infinities: such a factor makes NaN of each zero that it meets,
/// which kernels that leave zeros out have to restore.
#pragma once

#include "assay/kernels/Problem.h"

namespace assay::kernels {

/// False where one of `count` elements in a row is an infinity or a NaN. Threads:
/// re-entrant.
bool areFinite(DataType type, const std::byte *elements, int64_t count);

} // namespace assay::kernels
