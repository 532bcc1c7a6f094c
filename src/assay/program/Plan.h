/// A plan: the steps that run a program's functions, over numbered slots. An
/// engine makes it once (decodes attributes, makes constants, finds last uses),
/// and the executor runs it many times.
#pragma once

#include "assay/program/CustomFunctions.h"
#include "assay/program/Program.h"
#include "assay/program/Step.h"

#include <string>
#include <vector>

namespace assay::program {

using SlotId = uint32_t;

/// One step of a block: a Step with its slots, or one of the control operations
/// that the executor runs itself.
struct StepNode {
  enum class Control : uint8_t {
    Data,     ///< run `step`
    Constant, ///< set `constant`
    Call,     ///< func.call, composite: push a frame of function `callee`
    While,    ///< blocks: condition, body
    If,       ///< blocks: true branch, false branch
    Case,     ///< blocks: the branches; the last one is the default
    Async,    ///< blocks: the body; the result is a tuple of its results
  };

  StepNode() = default;
  StepNode(StepNode &&) = default;
  StepNode &operator=(StepNode &&) = default;

  Control control = Control::Data;
  mlir::Operation *op = nullptr;
  llvm::StringRef name; ///< "stablehlo.add"
  llvm::SmallVector<SlotId, 3> operands;
  llvm::SmallVector<SlotId, 1> results;
  llvm::SmallVector<SlotId, 2> release; ///< slots with no use after this step
  llvm::SmallVector<bool, 3>
      dying; ///< operand i is in `release` and occurs only once
  llvm::SmallVector<TensorType, 1>
      resultTypes; ///< results to allocate; empty if the step makes them itself
  llvm::SmallVector<TensorType, 1>
      shadowResultTypes; ///< an invalid element (Bool, rank 0) where there is
                         ///< no shadow
  std::unique_ptr<Step> step;
  std::unique_ptr<Step> shadowStep; ///< null: the shadow is the value converted
                                    ///< to its type
  Value constant;
  llvm::SmallVector<uint32_t, 2> blocks;
  llvm::SmallVector<std::unique_ptr<LaneFunction>, 1>
      lanes; ///< per block of a region step; null: run the block
  uint32_t callee = 0;
};

struct BlockPlan {
  BlockPlan() = default;
  BlockPlan(BlockPlan &&) = default;
  BlockPlan &operator=(BlockPlan &&) = default;

  llvm::SmallVector<SlotId, 4> arguments;
  std::vector<StepNode> steps;
  llvm::SmallVector<SlotId, 2> returns;
  llvm::SmallVector<bool, 2>
      returnMoves; ///< return i may be moved out of its slot
};

struct FunctionPlan {
  std::string name;
  mlir::Operation *op = nullptr;
  uint32_t slots = 0;
  std::vector<BlockPlan> blocks; ///< [0] is the body
};

struct Plan {
  std::shared_ptr<const Program> program;
  std::vector<std::unique_ptr<FunctionPlan>> functions;
  uint32_t entry = 0;
  bool shadow = false;
  std::string noShadow; ///< the first operation whose results have none, and why
  bool dynamic = false; ///< a type has dimensions that are known only at run
                        ///< time
  std::shared_ptr<const CustomFunctions> customFunctions;
  int64_t stepCount() const;
};

} // namespace assay::program
