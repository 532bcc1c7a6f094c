/// Lane programs: the body of a region whose operations are all elementwise on
/// rank-0 tensors (with calls inlined and constants folded in), evaluated for
/// many lanes at once by the same typed loops that whole tensors use. So a
/// reducer over a million elements costs a few vectorised loops, not a million
/// interpretations.
#pragma once

#include "assay/program/RegionTask.h"
#include "mlir/IR/Region.h"

#include <memory>

namespace assay::reference {

/// The lane program of a region, or null where its body is not scalar
/// elementwise code (it has control flow, regions, captured values, side
/// effects, or types without a loop). With a shadow every float register has a
/// wider companion: predicates and integers come from the values; a comparison
/// that the shadow would turn the other way is not followed.
std::unique_ptr<program::LaneFunction> compileLaneProgram(mlir::Region &region,
                                                          bool withShadow);

/// The same for a value of the body that need not be returned: the only result.
std::unique_ptr<program::LaneFunction> compileLaneValue(mlir::Region &region,
                                                        mlir::Value value);

/// The one binary operation that a two-argument body consists of (`return
/// op(arg0, arg1)` or `op(arg1, arg0)`, the operation being commutative): add,
/// multiply, maximum, minimum, and, or, xor; null for any other body.
mlir::Operation *singleBinaryOperation(mlir::Region &region);

} // namespace assay::reference
