/// Makes a plan from a program: numbers the values, asks the engine's compiler
/// once for the step of each operation, makes constants, and finds the last use
/// of every value.
#pragma once

#include "assay/program/ConvolutionAlgorithm.h"
#include "assay/program/CustomFunctions.h"
#include "assay/program/Observer.h"
#include "assay/program/Plan.h"

namespace assay::program {

/// Choices of how an engine computes, where the specification leaves room.
struct NumericOptions {
  bool accumulatePerStep =
      false; ///< --accumulate=step: round every partial sum to the result type
  ConvolutionAlgorithm convolution = ConvolutionAlgorithm::Direct; ///< --alg
  bool foldsScales = true; ///< --fold: multiply channels' scales into filters
};

/// One operation to be compiled, with its types as the step will see them
/// (widened when the step is for the shadow).
struct StepSpec {
  mlir::Operation *op;
  llvm::SmallVector<TensorType, 3>
      operands; ///< default-constructed for tokens and tuples
  llvm::SmallVector<TensorType, 1> results;
  const NumericOptions &numeric;
  bool shadow = false;
  const CustomFunctions *functions = nullptr; ///< the caller's own, or null
};

/// Compiles operations to an engine's steps.
class StepCompiler {
public:
  virtual ~StepCompiler() = default;
  /// The step of one operation. Errors: Unsupported with the reason. For a
  /// shadow, Unsupported means that the value is exact by definition (random
  /// numbers, values of other processes), and NotFound that the true value is
  /// unknown.
  virtual llvm::Expected<std::unique_ptr<Step>>
  compile(const StepSpec &spec) const = 0;
  /// The lane program of a region with a scalar body; null for other bodies.
  virtual std::unique_ptr<LaneFunction> compileLanes(mlir::Region &region,
                                                     bool withShadow) const = 0;
  /// The compiler for operations whose shapes are known only at run time; it
  /// outlives this object. Null: such operations are refused.
  virtual std::shared_ptr<const StepCompiler> atRunTime() const {
    return nullptr;
  }
};

struct PlanOptions {
  std::string entry;
  bool shadow = false;
  NumericOptions numeric;
  std::shared_ptr<const CustomFunctions> functions; ///< kept by the plan
};

/// The kind of control flow of an operation with regions; else nullopt.
std::optional<StepNode::Control> regionControl(mlir::Operation *op);
/// The elements of a constant; null for other operations.
mlir::ElementsAttr constantOf(mlir::Operation *op);
/// Makes the node of a constant set its value.
llvm::Error setConstant(StepNode &node, mlir::ElementsAttr value,
                        const std::shared_ptr<const Program> &program);

llvm::Expected<std::unique_ptr<Plan>>
buildPlan(std::shared_ptr<const Program> program, const StepCompiler &compiler,
          const PlanOptions &options);

} // namespace assay::program
