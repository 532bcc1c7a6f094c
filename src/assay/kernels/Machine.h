/// The machine for which kernels are made: instruction set, caches, and (once
/// measured) its limits.
#pragma once

#include "assay/kernels/Problem.h"

#include <string>

namespace assay::kernels {

/// The instruction set that kernels may use, found at run time. The environment
/// variable ASSAY_ISA restricts it to baseline | avx2 | avx512 | avx512_vnni |
/// avx512_bf16 | amx (it never extends it).
struct Isa {
  std::string name; ///< the last of the words above that the processor has
  std::string cpu;  ///< LLVM's processor name
  std::string features; ///< LLVM's feature string
  int vectorBytes = 16; ///< 16, 32 or 64
  int vectorRegisters = 16;
  bool fma = false;
  bool vnni = false; ///< 8-bit dot products into 32 bits
  bool amx = false;  ///< tile registers for bfloat16 and 8-bit products
  bool bf16 = false; ///< bfloat16 dot products into f32
  std::string note;  ///< for the user: why ASSAY_ISA could not be followed

  int lanes(DataType accumulator) const {
    return vectorBytes / static_cast<int>(sizeOf(accumulator));
  }
};

/// Sizes in bytes of the caches of one core (L3: shared), from the operating
/// system; conservative where unknown.
struct Caches {
  int64_t l1 = 32 << 10, l2 = 512 << 10, l3 = 8 << 20;
};

struct Machine {
  Isa isa;
  Caches caches;
  int cores = 1;
  std::string processor; ///< the operating system's name for it

  /// Detects the hardware once, but reads ASSAY_ISA at each call.
  static Machine detect();
};

} // namespace assay::kernels
