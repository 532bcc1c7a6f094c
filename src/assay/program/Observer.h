/// Observers watch a running program: recorders, profilers, hashers, progress
/// lines. They name the values that they want when the plan is made, so that an
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
  /// Before every data step, with what it will read.
  virtual void beforeStep(const StepNode &node,
                          llvm::ArrayRef<Value *> operands) {}
  /// After every data step, before any other code sees what it made: a chance to
  /// replace it.
  virtual void amend(const StepNode &node,
                     llvm::MutableArrayRef<Value> results) {}
  /// A control step (call, while, if, case) continues with this block of its
  /// regions or of its callee; null: it is done.
  virtual void onControl(const StepNode &node, mlir::Block *block) {}
  /// A step that starts processes begins one, on parts of its operands; `place`
  /// is that of the mesh (-1: the step has none). Returns the observer of its run
  /// (null: none); else this observer sees the steps of all of them, interleaved.
  virtual Observer *beginProcess(const StepNode &node, const ProcessId &id,
                                 int64_t place) {
    return this;
  }
  /// All processes of a step are done.
  virtual void endProcesses(const StepNode &node) {}
  /// After every step, with what it read and made and the time it took.
  virtual void onStep(const StepNode &node, llvm::ArrayRef<Value *> operands,
                      llvm::ArrayRef<Value> results, int64_t timeNs) = 0;
};

} // namespace assay::program
