/// Forming fused loops and folding views, on one block of a plan.
#pragma once

#include "assay/engine/PlanEdit.h"
#include "assay/engine/native/Steps.h"
#include "assay/engine/native/Views.h"

namespace assay::engine {

/// Replaces chains of elementwise operations, broadcasts and row reductions by
/// fused steps. `wanted` (may be empty) names operations whose results must be
/// there: they are not fused. Unread steps remain for removeUnused().
void fuseLoops(const program::FunctionPlan &function, program::BlockPlan &block,
               const std::function<bool(mlir::Operation *)> &wanted,
               std::shared_ptr<kernels::Jit> jit);

/// Takes a bias for each column, and a maximum with zero after it, into the
/// product before them where no elementwise loop follows. Returns the
/// epilogues of the products that make these slots; their operand 2 is the
/// bias.
llvm::DenseMap<program::SlotId, DotEpilogue>
foldEpilogues(const program::FunctionPlan &function, program::BlockPlan &block,
              const std::function<bool(mlir::Operation *)> &wanted);

/// Products read transposes, slices, reshapes and broadcasts through strides
/// (convolutions: their filter, reversals too), bytes in place of the integers
/// that they were widened to, and write their result transposed where only a transpose reads it; the
/// epilogues of foldEpilogues() become part of them.
void foldViews(const program::FunctionPlan &function, program::BlockPlan &block,
               const NativeEngine &engine, const PlanRequest &request);

/// Two products with a fused loop between them become one step in the second's place, if
/// only the loop reads the first and only the second reads the loop.
void fuseAttention(const program::FunctionPlan &function,
                   program::BlockPlan &block,
                   std::shared_ptr<NativeContext> context,
                   const std::function<bool(mlir::Operation *)> &wanted);

/// A convolution whose result is read by one fused loop only becomes one step with
/// it, in the loop's place.
void followConvolutions(const program::FunctionPlan &function,
                        program::BlockPlan &block,
                        const std::function<bool(mlir::Operation *)> &wanted);

/// The step that makes operand `operand` of the reader and nothing else, if nothing
/// else reads that operand; or null.
program::StepNode *soleMaker(program::BlockPlan &block, const BlockUses &uses,
                             const program::StepNode &reader, size_t operand);

/// The view for every slot of the block that is a view (and not
/// watched).
llvm::DenseMap<program::SlotId, View>
viewsOf(const program::BlockPlan &block,
        const std::function<bool(mlir::Operation *)> &wanted);

} // namespace assay::engine
