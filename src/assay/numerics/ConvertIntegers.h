/// The loops under convertArray between integers and f32.
#pragma once

#include "assay/numerics/ElementType.h"

#include <cstdint>

namespace assay::numerics {

/// Converts n elements; bits as convertElement gives them. Threads: re-entrant.
using ConvertLoop = void (*)(const void *source, void *target, int64_t n);

/// The loop of a pair of types of which one is f32 and one an integer of 8, 16
/// or 32 bits; null for all others, and from f32 to ui32.
ConvertLoop findIntegerLoop(ElementType source, ElementType target);

} // namespace assay::numerics
