/// The host in a worker process: one engine that prepares and runs problems.
/// The codes are those of assay_plugin.h, for every kind of engine.
#pragma once

#include "assay/engine/assay_plugin.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>

namespace assay::engine {

/// A problem in the worker: the plugin's description of it, and its program
/// (ProblemDescription).
struct HostProblem {
  assay_problem_t problem;
  llvm::StringRef program, entry;
  llvm::ArrayRef<int64_t> arguments;
};

class Host {
public:
  virtual ~Host() = default;
  /// Prepares a problem, which replaces the previous one. `text`: why it
  /// cannot, or what the engine says about the kernel that it made
  /// (assay_plugin_describe).
  virtual int create(const HostProblem &problem, std::string &text) = 0;
  /// Runs the problem. `text`: why it failed; after a good run, what the parent
  /// needs besides the results (Isolate.h).
  virtual int run(const assay_tensor_t *inputs, const assay_tensor_t *outputs,
                  std::string &text) = 0;
  /// Releases the problem.
  virtual void destroy() = 0;
  virtual int alignmentBytes() const { return 0; }
  /// Frees memory that is unreachable but that a garbage collector has not
  /// freed yet.
  virtual void collectGarbage() {}
  /// The least growth of the heap per call that counts as the engine's and not
  /// the host's.
  virtual int64_t leastGrowthBytes() const { return 64; }
  /// The same where a runtime (Python, a device's) records its calls.
  static constexpr int64_t kRuntimeGrowthBytes = 4096;
  /// The time of the last run if the engine measures it better than the clock
  /// around the call; 0: it does not.
  virtual double lastRunSeconds() const { return 0; }
};

/// Makes the host of an engine that is part of the program; null when none has
/// that name.
using BuiltinHosts =
    llvm::function_ref<std::unique_ptr<Host>(llvm::StringRef name)>;

} // namespace assay::engine
