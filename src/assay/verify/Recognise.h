/// Which problem a program is. Each driver guesses one from the operations; the
/// guess is built again and is the answer only if its operations are the same.
#pragma once

#include "assay/verify/Driver.h"

namespace assay::verify {

/// The first driver's problem whose program is this one; nullopt when the
/// grammar cannot express it. `origin`, the driver whose words made the
/// program, is tried first: a copy is a reorder, a resampling to the same sizes
/// and more. In a program that was read from a file only contractions are
/// searched for.
std::optional<Problem> recognise(const BoundProgram &bound,
                                 const Driver *origin = nullptr);

/// The entry functions have the same operations: names, attributes, types and
/// operands in the same order; locations and names of functions do not count.
bool sameOperations(const BoundProgram &a, const BoundProgram &b);

} // namespace assay::verify
