/// Elements that are not numbers one can add: a factor like that makes NaN of each zero
/// it meets, which kernels that leave zeros out have to put right.
#pragma once

#include "assay/kernels/Problem.h"

namespace assay::kernels {

/// False where one of `count` elements in a row is an infinity or a NaN. Threads:
/// re-entrant.
bool areFinite(DataType type, const std::byte *elements, int64_t count);

} // namespace assay::kernels
