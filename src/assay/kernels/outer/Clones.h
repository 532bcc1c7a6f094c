/// ASSAY_CLONES (support/TargetClones.h), and how the templates that the clones
/// call must be declared to be inlined into each.
#pragma once

#include "assay/support/TargetClones.h"

#define ASSAY_INLINE inline __attribute__((always_inline))

#include <cstdint>

namespace assay::kernels {

/// Sixteen numbers; processors with shorter vectors process them in parts.
typedef float Lanes __attribute__((vector_size(64)));
inline constexpr int64_t kLanes = sizeof(Lanes) / sizeof(float);

} // namespace assay::kernels
