/// Observers of `assay run`: time per operation kind, and the progress line.
#pragma once

#include "assay/program/Observer.h"
#include "assay/support/Progress.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

namespace assay::program {

/// The machine's measured limits; 0: unknown.
struct MachineLimits {
  double gflops = 0;    ///< f32 multiply-adds, counted as two
  double gigabytes = 0; ///< GB read from memory per second
};

/// Flops of a dot_general, dot or convolution, two per multiply-add; 0 for
/// every other operation.
double flopsOf(mlir::Operation *op);

/// Adds up calls, time, arithmetic and bytes by operation name; for products
/// and convolutions also by operand types.
class Profile final : public Observer {
public:
  bool wants(mlir::Operation *) const override { return false; }
  void onStep(const StepNode &node, llvm::ArrayRef<Value *> operands,
              llvm::ArrayRef<Value> results, int64_t timeNs) override;
  /// Prints operation | calls | time | share | ns per result element | GFLOP/s
  /// | GB/s | share of the limit, longest time first. The limit is that of
  /// arithmetic for products and convolutions, and that of memory for the
  /// others (caches may exceed it). Columns without figures are left out.
  void print(llvm::raw_ostream &os, const MachineLimits &limits = {}) const;

private:
  struct Row {
    int64_t calls = 0, timeNs = 0, elements = 0, bytes = 0;
    double flops = 0;
  };
  llvm::StringMap<Row> rows_;
};

/// Shows how many steps have run.
class ProgressObserver final : public Observer {
public:
  ProgressObserver(int64_t steps, bool quiet)
      : progress_("steps", steps, quiet) {}
  bool wants(mlir::Operation *) const override { return false; }
  void onStep(const StepNode &node, llvm::ArrayRef<Value *> operands,
              llvm::ArrayRef<Value> results, int64_t timeNs) override;
  bool enabled() const { return progress_.enabled(); }
  void finish() { progress_.finish(); }

private:
  Progress progress_;
  int64_t done_ = 0;
};

} // namespace assay::program
