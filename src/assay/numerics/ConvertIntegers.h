/// The loops under convertArray between integers and f32.
#pragma once

#include "assay/numerics/ElementType.h"

#include <cstdint>

namespace assay::numerics {

/// Converts n elements to the bits that convertElement returns. Threads:
/// re-entrant.
using ConvertLoop = void (*)(const void *source, void *target, int64_t n);

/// The loop for a pair of f32 and an integer of 8, 16 or 32 bits; null for all
/// other pairs, and from f32 to ui32.
ConvertLoop findIntegerLoop(ElementType source, ElementType target);

} // namespace assay::numerics
