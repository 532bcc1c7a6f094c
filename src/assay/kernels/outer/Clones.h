/// ASSAY_CLONES (support/TargetClones.h) and what it needs of the templates that
/// the clones call: they must become part of each.
#pragma once

#include "assay/support/TargetClones.h"

#define ASSAY_INLINE inline __attribute__((always_inline))

#include <cstdint>

namespace assay::kernels {

/// Sixteen numbers; processors of shorter vectors take them in parts.
typedef float Lanes __attribute__((vector_size(64)));
inline constexpr int64_t kLanes = sizeof(Lanes) / sizeof(float);

} // namespace assay::kernels
