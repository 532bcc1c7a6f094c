/// Arguments next to the edges at which a program decides.
#pragma once

#include "assay/judge/equivalence/EquivDraws.h"

namespace assay::judge {

/// Draws whose integer arguments are the integer constants and the sizes of
/// both programs, each also plus and minus one, and -1, 0 and 1. Each element
/// of a short argument takes all of these values, one per draw, so that
/// comparisons and indices are tested at their edges; in programs without loops
/// integers are also at the ends of their types. `like`: arguments of another
/// draw. Empty where no argument is an integer. Errors: those of drawInputs.
llvm::Expected<std::vector<Draw>>
edgeDraws(const EquivRequest &request, llvm::ArrayRef<tensor::Tensor> like,
          uint64_t seed);

/// A draw whose floats are the programs' own constants and quarters about zero,
/// so that halves are rounded and equal numbers are compared. Empty where no
/// operation decides by floats.
llvm::Expected<std::vector<Draw>> decisiveDraws(const EquivRequest &request,
                                                uint64_t seed);

/// Draws for programs that are NaN on ordinary data: positive numbers, numbers
/// above one, and positive definite matrices where arguments are square.
llvm::Expected<std::vector<Draw>> narrowDraws(const EquivRequest &request,
                                              uint64_t seed);

} // namespace assay::judge
