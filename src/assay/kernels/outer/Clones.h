/// ASSAY_CLONES (support/TargetClones.h) and what it needs of the templates that
/// the clones call: they must become part of each.
#pragma once

#include "assay/support/TargetClones.h"

#define ASSAY_INLINE inline __attribute__((always_inline))
