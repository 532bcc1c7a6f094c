/// Arguments next to the edges at which a program decides.
#pragma once

#include "assay/judge/equivalence/EquivDraws.h"

namespace assay::judge {

/// Draws whose integer arguments are numbers next to the integer constants and
/// the sizes of both programs (each, one less, one more; -1, 0 and 1), so that
/// each element of a short argument is each of them once: what a comparison or
/// an index does at its edge is tested; and, in programs without loops, at the
/// ends of their types. `like`: arguments of another draw. None where no argument is an integer. Errors: those of drawInputs.
llvm::Expected<std::vector<Draw>>
edgeDraws(const EquivRequest &request, llvm::ArrayRef<tensor::Tensor> like,
          uint64_t seed);

/// A draw whose floats are the programs' own constants and quarters about zero:
/// where roundings are of halves, and comparisons of equal numbers. None where no
/// operation decides by floats.
llvm::Expected<std::vector<Draw>> decisiveDraws(const EquivRequest &request,
                                                uint64_t seed);

/// Draws for programs that are NaN on ordinary data: positive numbers, numbers
/// above one, and positive definite matrices where arguments are square.
llvm::Expected<std::vector<Draw>> narrowDraws(const EquivRequest &request,
                                              uint64_t seed);

} // namespace assay::judge
