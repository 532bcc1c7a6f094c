/// Errors in the processes of one sdy.manual_computation: each has a tracker of
/// its own, on its parts of the operands; values that collectives pass
/// on keep their errors.
#pragma once

#include "assay/judge/program/ErrorTracker.h"
#include "assay/program/Processes.h"
#include "assay/program/Shardings.h"

#include <map>

namespace assay::judge {

class ProcessBounds {
public:
  /// Errors: those of ManualComputation::decode.
  static llvm::Expected<std::unique_ptr<ProcessBounds>>
  make(const ErrorTracker &parent, mlir::Operation *op, ThreadPool &pool);

  /// The tracker of a process; this object owns it.
  ErrorTracker *add(const ErrorTracker &parent, program::ProcessId id,
                    int64_t place);
  /// Records a process's operands of a collective.
  void post(const ErrorTracker &member, const program::StepNode &node,
            llvm::ArrayRef<program::Value> operands);
  /// Bounds of a collective's results in one process.
  ///   sums                the members' errors, and those of adding them in any
  ///                       order
  ///   choices and moves   the largest error of any member
  BoundResult boundOf(const ErrorTracker &member, const program::StepNode &node,
                      llvm::ArrayRef<program::Value> results);
  /// Puts the errors of the parts together as those of the step's results.
  void join(ErrorTracker &parent);

private:
  struct Member {
    program::ProcessId id;
    int64_t place = 0;
    std::unique_ptr<ErrorTracker> tracker;
    /// How many times it reached each collective.
    llvm::DenseMap<mlir::Operation *, int64_t> visits;
  };
  /// One member's operand of a collective.
  struct Brought {
    program::Value value;
    Errors errors;
  };
  using Visit = std::pair<mlir::Operation *, int64_t>;

  ProcessBounds(mlir::Operation *op, program::ManualComputation manual,
                int64_t partitions, ThreadPool &pool)
      : op_(op), manual_(std::move(manual)), grid_(1, partitions), pool_(pool) {
  }
  llvm::Expected<std::vector<program::ProcessId>>
  sourcesOf(program::ProcessId own, mlir::Operation *op) const;
  llvm::Expected<std::vector<const std::vector<Brought> *>>
  groupOf(const ErrorTracker &member, mlir::Operation *op);
  llvm::Expected<Tracked> joined(unsigned result);

  mlir::Operation *op_;
  program::ManualComputation manual_;
  program::Grid grid_;
  ThreadPool &pool_;
  std::vector<Member> members_;
  std::map<Visit, std::map<program::ProcessId, std::vector<Brought>>> posts_;
};

} // namespace assay::judge
