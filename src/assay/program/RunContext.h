/// The state that one run of a program shares: threads, limits, and where
/// checks, prints and probes are written.
#pragma once

#include "assay/program/Value.h"
#include "assay/support/Interrupt.h"
#include "assay/support/MemoryBudget.h"
#include "assay/support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>
#include <vector>

namespace mlir {
class Operation;
}

namespace assay::program {

class Observer;
class Process;
class Ranks;

/// The outcome of one check.* operation.
struct CheckResult {
  bool passed = false;
  std::string location; ///< file:line:col
  std::string message;  ///< if it failed: both values, index, distance
};

class RunContext {
public:
  explicit RunContext(ThreadPool &threads) : threads(threads) {}

  ThreadPool &threads;
  std::shared_ptr<MemoryBudget> budget = std::make_shared<MemoryBudget>();
  Interrupt interrupt;
  int64_t maxFrames = 20000; ///< limit on the depth of calls and regions
  bool shadow = false;       ///< carry a wider value beside every float

  std::vector<CheckResult> checks;
  llvm::raw_ostream *printStream =
      nullptr;                ///< interpreter.print; null: standard output
  std::string probeDirectory; ///< interpreter.probe; empty: probes are an error
                              ///< that names the flag
  int64_t probeCount = 0;
  uint64_t randomCalls = 0; ///< executions of stablehlo.rng so far: each draws
                            ///< from a stream of its own
  /// How many comparisons would have had the other outcome on the shadows.
  int64_t divergedDecisions = 0;
  /// Notes for the user about things that were left out.
  std::vector<std::string> notes;
  /// The process of a grid that this run belongs to; null: a program run alone.
  Process *process = nullptr;
  /// Set when this operating-system process is one of several that a launcher
  /// started; null: it runs every process of the program.
  Ranks *ranks = nullptr;
  int64_t engineSteps =
      0; ///< how many of the engine's own steps ran; each counts itself
  std::vector<Observer *> observers;
};

} // namespace assay::program
