/// The passes that make groups: what will be one step becomes one operation.
#pragma once

#include "assay/engine/native/ProgramPasses.h"

namespace assay::engine {

/// A product (native.gemm) reads transposes, slices, reshapes and broadcasts through strides,
/// and bytes in place of the integers that they were widened to. It writes its result
/// transposed where only a transpose reads it; a bias for each column, and a maximum with
/// zero after it, become part of it where no elementwise loop follows. A convolution (native.conv) reads
/// its filter likewise, reversals too.
void groupProducts(mlir::ModuleOp module, const ProgramPassOptions &options);

/// Chains of elementwise operations, broadcasts and row reductions (native.fused).
void fuseLoops(mlir::ModuleOp module);

/// Two products with a fused loop between them (native.attention), if only the loop reads
/// the first and only the second reads the loop.
void fuseAttention(mlir::ModuleOp module, const ProgramPassOptions &options);

/// A convolution or product whose result is read by one fused loop only, with that loop.
void followProducts(mlir::ModuleOp module, const ProgramPassOptions &options);

/// Marks what stays the same from run to run (KeptStep.h).
void markKept(mlir::ModuleOp module, const ProgramPassOptions &options);

} // namespace assay::engine
