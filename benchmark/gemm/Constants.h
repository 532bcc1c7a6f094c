/// `./dev bench gemm --constants`: the analytic model's assumptions about a
/// core beside measurements of this one.
#pragma once

#include "assay/kernels/Registry.h"

namespace assay::bench {

/// Prints a row per constant of kernels/CostConstants.h: name, unit, assumed
/// value, value measured on one core now (median of pairs), their ratio. Takes
/// about 20 seconds.
void printConstants(kernels::Registry &registry, ThreadPool &pool);

} // namespace assay::bench
