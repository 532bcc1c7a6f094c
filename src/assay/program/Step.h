/// A step is the unit that a plan is made of: one operation of the reference
/// engine, one or more of the native engine. Its attributes are decoded when
/// the plan is made. At run time the executor checks the types, charges the
/// memory budget and allocates the results before it calls run().
#pragma once

#include "assay/program/RegionTask.h"
#include "assay/program/RunContext.h"
#include "assay/program/Value.h"
#include "llvm/ADT/ArrayRef.h"

#include <memory>

namespace mlir {
class Operation;
}

namespace assay::program {

/// A step's view of one execution. Tensors whose type the plan knows are
/// allocated and uniquely owned: write them through out(i). A step whose
/// ownsResults() is true makes its results itself: forwarded operands, tokens,
/// tuples, reused memory.
class StepContext {
public:
  RunContext &run;
  mlir::Operation *op = nullptr;

  StepContext(RunContext &run, mlir::Operation *op) : run(run), op(op) {}

  size_t operandCount() const { return operands.size(); }
  const Value &operandValue(size_t i) const { return *operands[i]; }

  /// The operand tensor as it is (it may be a splat). In a shadow run, the
  /// operand's shadow if it has one.
  const Tensor &operand(size_t i) const {
    return shadowRun ? operands[i]->shadowOrTensor() : operands[i]->tensor();
  }
  /// The operand with every element stored.
  llvm::Expected<Tensor> dense(size_t i) const { return operand(i).dense(); }

  /// Moves the operand tensor out of its slot when this step is its last user
  /// and nothing else shares its memory, so that the step may write into it.
  /// Returns an invalid tensor otherwise.
  Tensor takeUnique(size_t i);

  Tensor &out(size_t i) { return shadowRun ? shadows[i] : results[i].tensor(); }
  void setOut(size_t i, Tensor tensor) {
    if (shadowRun)
      shadows[i] = std::move(tensor);
    else
      results[i] = Value(std::move(tensor));
  }
  void setResult(size_t i, Value value) { results[i] = std::move(value); }
  /// A new tensor under the run's memory budget.
  llvm::Expected<Tensor> allocate(const TensorType &type) const {
    return Tensor::allocate(type, run.budget);
  }

  /// For joint steps (Step::jointShadow): the shadow of an operand (invalid if
  /// none) and of a result; allocated when the program runs with a shadow.
  bool withShadow() const { return joint; }
  const Tensor &shadowOperand(size_t i) const { return operands[i]->shadow(); }
  Tensor &shadowOut(size_t i) { return shadows[i]; }

  // Filled by the executor.
  llvm::SmallVector<Value *, 4> operands;
  llvm::SmallVector<bool, 4> dying; ///< operand i is released after this step
  llvm::MutableArrayRef<Value> results;
  llvm::SmallVector<Tensor, 2> shadows;
  bool shadowRun = false; ///< this run computes only the shadow
  bool joint = false;     ///< this run computes value and shadow together
};

class Step {
public:
  virtual ~Step() = default;
  /// Computes the results. A region step is run through start() instead.
  virtual llvm::Error run(StepContext &context) const;
  /// True for a step that evaluates regions, which is run through start();
  /// `regions[i]` evaluates region i of the operation.
  virtual bool isRegionStep() const { return false; }
  virtual RegionTask
  start(StepContext &context,
        llvm::MutableArrayRef<RegionEvaluator> regions) const;
  /// True: the step makes its results itself and the executor allocates none.
  virtual bool ownsResults() const { return false; }
  /// True: the step computes value and shadow together, because values decide
  /// its control flow (sort, top_k, region bodies). The executor then runs no
  /// separate step for the shadow.
  virtual bool jointShadow() const { return false; }
};

/// Wraps a callable `llvm::Error(StepContext &)` as a step.
template <typename F, bool OwnsResults> class CallableStep final : public Step {
public:
  explicit CallableStep(F f) : f_(std::move(f)) {}
  llvm::Error run(StepContext &context) const override { return f_(context); }
  bool ownsResults() const override { return OwnsResults; }

private:
  F f_;
};
/// For callables whose results the executor allocates.
template <typename F> std::unique_ptr<Step> makeStep(F f) {
  return std::make_unique<CallableStep<F, false>>(std::move(f));
}
/// For callables that make their results themselves (setOut, setResult).
template <typename F> std::unique_ptr<Step> makeOwningStep(F f) {
  return std::make_unique<CallableStep<F, true>>(std::move(f));
}

} // namespace assay::program
