/// Lane programs: the body of a region whose operations are all elementwise on
/// rank-0 tensors (with calls inlined and constants folded in), evaluated for
/// many lanes at once by the typed loops that also serve whole tensors. So a
/// reducer over a million elements costs a few vectorised loops instead of a
/// million interpretations.
#pragma once

#include "assay/program/RegionTask.h"
#include "mlir/IR/Region.h"

#include <memory>

namespace assay::reference {

/// The lane program of a region, or null where its body is not scalar
/// elementwise code (it has control flow, regions, captured values, side
/// effects, or types without a loop). With a shadow every float register has a
/// wider shadow; predicates and integers are computed from the values only, so
/// a comparison that would differ on the shadows is not followed.
std::unique_ptr<program::LaneFunction> compileLaneProgram(mlir::Region &region,
                                                          bool withShadow);

/// A lane program whose only result is a value of the body, which need not be
/// returned.
std::unique_ptr<program::LaneFunction> compileLaneValue(mlir::Region &region,
                                                        mlir::Value value);

/// The only binary operation of a two-argument body (`return op(arg0, arg1)` or
/// `op(arg1, arg0)`; the operation is commutative): add, multiply, maximum,
/// minimum, and, or, xor; null for any other body.
mlir::Operation *singleBinaryOperation(mlir::Region &region);

} // namespace assay::reference
