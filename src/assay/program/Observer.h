/// Observers watch a running program: recorders, profilers, hashers, progress
/// lines. They say which values they need when the plan is made, so that an
/// engine that fuses operations keeps those values.
#pragma once

#include "assay/program/Value.h"
#include "llvm/ADT/ArrayRef.h"

namespace mlir {
class Block;
class Operation;
} // namespace mlir

namespace assay::program {

struct StepNode;
struct ProcessId;

class Observer {
public:
  virtual ~Observer() = default;
  /// True if the results of this operation must be materialised for the
  /// observer.
  virtual bool wants(mlir::Operation *op) const { return true; }
  /// Called before every data step, with the operands that it will read.
  virtual void beforeStep(const StepNode &node,
                          llvm::ArrayRef<Value *> operands) {}
  /// Called after every data step, before any other code sees its results. May
  /// replace them.
  virtual void amend(const StepNode &node,
                     llvm::MutableArrayRef<Value> results) {}
  /// A control step (call, while, if, case) continues with this block of its
  /// regions or of its callee; null when the step is finished.
  virtual void onControl(const StepNode &node, mlir::Block *block) {}
  /// A step that starts processes begins one of them on its parts of the
  /// operands. `place` is the process's place in the mesh (-1: the step has no
  /// mesh). Returns an observer for that process's run; if null, this observer
  /// sees the steps of all such processes, interleaved.
  virtual Observer *beginProcess(const StepNode &node, const ProcessId &id,
                                 int64_t place) {
    return this;
  }
  /// All processes of a step are done.
  virtual void endProcesses(const StepNode &node) {}
  /// Called after every step with its operands, its results and its time.
  virtual void onStep(const StepNode &node, llvm::ArrayRef<Value *> operands,
                      llvm::ArrayRef<Value> results, int64_t timeNs) = 0;
};

} // namespace assay::program
