/// Programs with one fault, made from a right one, like kernels that take a
/// short cut. Their results are wrong but look right.
#pragma once

#include "assay/judge/FactorRounding.h"
#include "assay/program/Program.h"

#include <string>
#include <vector>

namespace assay::judge {

struct WrongProgram {
  std::string name;
  std::shared_ptr<const program::Program> program;
  /// The fault shows on large data only: float arguments times 64.
  bool needsLargeData = false;
};

/// products_in_tf32, products_in_f16, products_in_bf16 (operands of products
/// rounded), steps_in_bf16 (every result rounded), k_dropped (the last term of
/// every product's sum), sum_dropped (of every reduction by addition),
/// mask_off_by_one (LT and LE, GT and GE exchanged), maximum_left (a maximum
/// that is subtracted, as in softmax, is not), epsilon_left_out (a small
/// constant that is added is 0). Those that find nothing to change are left
/// out. Errors: as Program::copyOf.
llvm::Expected<std::vector<WrongProgram>>
wrongPrograms(const program::Program &program);

/// The program with `rounding` applied to the f32 and f64 factors of its
/// products; null where it has no such factors. Errors: as Program::copyOf.
llvm::Expected<std::shared_ptr<const program::Program>>
withRoundedFactors(const program::Program &program,
                   const FactorRounding &rounding);

} // namespace assay::judge
