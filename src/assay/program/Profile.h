/// Observers of `assay run`: time per operation kind, and the progress line.
#pragma once

#include "assay/program/Observer.h"
#include "assay/support/Progress.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

namespace assay::program {

/// Sums calls, time and bytes by operation name.
class Profile final : public Observer {
public:
  bool wants(mlir::Operation *) const override { return false; }
  void onStep(const StepNode &node, llvm::ArrayRef<Value *> operands, llvm::ArrayRef<Value> results,
              int64_t timeNs) override;
  /// operation | calls | time | share | ns per result element, longest first.
  void print(llvm::raw_ostream &os) const;

private:
  struct Row {
    int64_t calls = 0, timeNs = 0, elements = 0;
  };
  llvm::StringMap<Row> rows_;
};

/// Shows how many steps have run.
class ProgressObserver final : public Observer {
public:
  ProgressObserver(int64_t steps, bool quiet) : progress_("steps", steps, quiet) {}
  bool wants(mlir::Operation *) const override { return false; }
  void onStep(const StepNode &node, llvm::ArrayRef<Value *> operands, llvm::ArrayRef<Value> results,
              int64_t timeNs) override;
  bool enabled() const { return progress_.enabled(); }
  void finish() { progress_.finish(); }

private:
  Progress progress_;
  int64_t done_ = 0;
};

} // namespace assay::program
