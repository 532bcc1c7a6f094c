/// `./dev bench gemm --constants`: what the analytic model assumes of a core
/// beside what this one does.
#pragma once

#include "assay/kernels/Registry.h"

namespace assay::bench {

/// Prints a row per constant of kernels/CostConstants.h: name, unit, assumed,
/// measured on one core now (median of pairs), their ratio. About 20 seconds.
void printConstants(kernels::Registry &registry, ThreadPool &pool);

} // namespace assay::bench
