/// Which problem a program is. Each driver reads a guess off the operations;
/// the guess is built again, and only the same operations make it the answer.
#pragma once

#include "assay/verify/Driver.h"

namespace assay::verify {

/// The first driver's problem whose program is this one; nullopt when the grammar
/// cannot express it. `origin`, the driver whose words made the
/// program, comes first: a copy is a reorder, a resampling to the same sizes and
/// more. In a program that was read from a file only contractions are looked
/// for.
std::optional<Problem> recognise(const BoundProgram &bound,
                                 const Driver *origin = nullptr);

/// The entry functions have the same operations: names, attributes, types and
/// operands in the same order; locations and names of functions do not count.
bool sameOperations(const BoundProgram &a, const BoundProgram &b);

} // namespace assay::verify
