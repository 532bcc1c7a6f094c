/// A step that computes a problem of a program with a worker's engine.
#pragma once

#include "assay/engine/Engine.h"

namespace assay::engine {

/// The worker of one engine. It holds one problem at a time, that of the step
/// that ran last.
class OffloadState {
public:
  OffloadState(Arena memory, WorkerOptions options, std::string name,
               int threads)
      : arena(std::move(memory)), worker(arena, std::move(options)),
        name(std::move(name)), threads(threads) {}
  std::mutex mutex; ///< guards the members below
  Arena arena;
  Worker worker;
  std::string name;
  int threads;
  int64_t current = -1; ///< id of the step whose problem the worker has
  int64_t ids = 0;
  int alignment = 0; ///< the engine's request for this problem
  KeptCounts kept;
  /// The steps of groups (ProblemEngine.cpp) of plans that are being made.
  std::map<mlir::Operation *, std::unique_ptr<program::Step>> groups;
  WorkerResult::Kind lastWorkerResult = WorkerResult::Kind::Ok;
};

/// The step that computes `offer`. If the offer covers one operation, the
/// operands and results are those of the operation; otherwise, they are the
/// offer's inputs and outputs in their order. Returns the engine's refusal with
/// the reason. Errors: Mismatch when the engine crashes, hangs or fails in
/// preparing it.
llvm::Expected<Compiled> makeOffloadStep(std::shared_ptr<OffloadState> state,
                                         Offer offer);

/// Wraps `step`; its executions are reported as not offloaded, for `reason`.
std::unique_ptr<program::Step> makeKeptStep(std::shared_ptr<OffloadState> state,
                                            std::unique_ptr<program::Step> step,
                                            std::string reason);

} // namespace assay::engine
