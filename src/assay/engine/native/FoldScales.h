/// Scales and shifts of channels behind a convolution, made part of its filter.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace assay::engine {

struct ProgramPassOptions;

/// Marks an operation whose result is computed from what stays the same from run to
/// run, and kept (KeptStep.h).
inline constexpr const char *kStays = "assay.stays";

/// (conv(x, w) - m) s + b becomes conv(x, w s) + (b - m s), in f32, where w, m, s and
/// b stay the same from run to run (reference/ChannelScale.h): a batch normalisation
/// costs nothing at each run but the addition. Each product of two factors is one
/// rounding more.
void foldScales(mlir::ModuleOp module, const ProgramPassOptions &options);

} // namespace assay::engine
