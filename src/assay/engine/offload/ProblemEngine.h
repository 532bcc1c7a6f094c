/// Engines that know whole problems (`onednn`, `plugin:PATH`), behind the
/// plugin interface in a worker process. Each problem that the recogniser finds
/// in a program, and that the engine does not refuse, becomes one step; the
/// reference computes everything else.
#pragma once

#include "assay/engine/Engine.h"

namespace assay::engine {

class OffloadState; // the worker and its arena; all steps share it

class ProblemEngine final : public Engine {
public:
  /// Errors: those of resolveEngine, ResourceLimit.
  static llvm::Expected<std::unique_ptr<Engine>>
  create(llvm::StringRef name,
         std::shared_ptr<const program::StepCompiler> rest,
         const EngineOptions &options);

  /// The step of an offer that covers the operation alone. Errors: Mismatch
  /// when the engine crashes, hangs, fails or touches memory that is not its
  /// own, with a command that repeats it.
  llvm::Expected<Compiled>
  compile(const OperationRequest &request) const override;
  KeptCounts kept() const override;
  WorkerResult::Kind lastWorkerResult() const override;

  /// Offers that cover several operations become one each, in a clone.
  llvm::Expected<std::unique_ptr<program::Plan>>
  makePlan(std::shared_ptr<const program::Program> program,
           const PlanRequest &request) const override;

protected:
  /// Counts the executions of what the engine refused.
  std::unique_ptr<program::Step> keep(std::unique_ptr<program::Step> step,
                                      const Refusal &refusal) const override;

private:
  ProblemEngine(std::string name,
                std::shared_ptr<const program::StepCompiler> rest,
                std::shared_ptr<OffloadState> state, Recogniser recogniser)
      : Engine(std::move(name), std::move(rest)), state_(std::move(state)),
        recogniser_(std::move(recogniser)) {}

  std::shared_ptr<OffloadState> state_;
  Recogniser recogniser_;
};

} // namespace assay::engine
