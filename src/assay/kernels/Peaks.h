/// The limits of the machine, measured by this process: the figures to which
/// every "% of peak" refers.
#pragma once

#include "assay/kernels/Registry.h"

namespace assay::kernels {

/// Multiply-adds per second of the register tile on operands that never leave
/// the L1 cache, on `threads` cores at once, in GFLOP/s (a multiply-add counts
/// as two). The best of several repetitions; about 20 ms.
llvm::Expected<double> measureGflops(Registry &registry, TypePair types,
                                     int threads, ThreadPool &pool);

/// The size in megabytes of a buffer that no cache of the machine holds.
int64_t megabytesBeyondCaches(const Machine &machine);
/// Bytes per second that `threads` cores read from `megabytes` of memory, the
/// best of several passes, in GB/s.
double measureBandwidth(int threads, int64_t megabytes, ThreadPool &pool);

} // namespace assay::kernels
