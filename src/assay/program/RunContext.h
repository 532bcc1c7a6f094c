/// The state that one run of a program shares: threads, limits, and where checks, prints
/// and probes go.
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
  std::string message;  ///< of a failure: both values, index, distance
};

class RunContext {
public:
  explicit RunContext(ThreadPool &threads) : threads(threads) {}

  ThreadPool &threads;
  std::shared_ptr<MemoryBudget> budget = std::make_shared<MemoryBudget>();
  Interrupt interrupt;
  int64_t maxFrames = 20000; ///< depth of calls and regions
  bool shadow = false;       ///< carry a wider companion beside every float

  std::vector<CheckResult> checks;
  llvm::raw_ostream *printStream =
      nullptr;                ///< interpreter.print; null: standard output
  std::string probeDirectory; ///< interpreter.probe; empty: probes are an error
                              ///< that names the flag
  int64_t probeCount = 0;
  uint64_t randomCalls = 0; ///< executions of stablehlo.rng so far: each draws
                            ///< from a stream of its own
  /// Comparisons whose outcome the shadow would have turned the other way.
  int64_t divergedDecisions = 0;
  /// Notes for the user on what was left out.
  std::vector<std::string> notes;
  /// The process of a grid that runs this; null: a program run by itself.
  Process *process = nullptr;
  /// This process is one of several that a launcher started; null: it runs
  /// every process of a program.
  Ranks *ranks = nullptr;
  int64_t engineSteps =
      0; ///< executions of steps that are an engine's own: they count
  std::vector<Observer *> observers;
};

} // namespace assay::program
