/// The accuracy that a program requests for an operation by result_accuracy:
/// the engine has to provide it, and the judge checks it. Source: StableHLO RFC
/// "Result accuracy" (2024-10-15).
#pragma once

#include "mlir/IR/Operation.h"

#include <optional>

namespace assay {

/// |got - exact| <= max(|exact| * max(relative, ulps * epsilon), absolute),
/// where epsilon is the distance from 1 to the next number of the result's
/// type.
struct AskedAccuracy {
  double absolute = 0, relative = 0;
  int64_t ulps = 0;

  double allowed(double exact, double epsilon) const;
};

/// The tolerance in mode TOLERANCE; nullopt for other modes and operations.
std::optional<AskedAccuracy> askedAccuracy(mlir::Operation *op);

/// Whether results that are up to `ulps` units off are acceptable: always in
/// mode DEFAULT, never in mode HIGHEST. In mode TOLERANCE the relative part
/// decides, for f32.
bool allowsUlps(mlir::Operation *op, double ulps);

} // namespace assay
