/// The check between the compiler and the registry: a micro-kernel is run on
/// exact data and compared with a naive loop.
#pragma once

#include "assay/kernels/jit/MicroKernel.h"

namespace assay::kernels {

/// Runs the kernel for every depth in {1, u-1, u, u+1, 2u-1, 2u+1} (u: its
/// unrolled steps), several numbers of valid columns, overwriting C and added
/// to C, on integers whose sums are exact in the accumulator. Requires
/// equality, also of the memory around C. Errors: Mismatch with the first wrong
/// element.
llvm::Error checkMicroKernel(const MicroKey &key, MicroFunction function,
                             const Isa &isa);

/// The same for depthwise kernels (checkMicroKernel calls it): 1, 2 and 9 taps,
/// all channels and, where the kernel is masked, fewer.
llvm::Error checkDepthwiseKernel(const MicroKey &key, MicroFunction function,
                                 const Isa &isa);

} // namespace assay::kernels
