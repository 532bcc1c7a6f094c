/// A whole program on an engine that knows single problems only (`assay run
/// --engine onednn|plugin:PATH`): every dot_general and convolution that the
/// grammar of `verify` can say becomes a problem of the engine's worker
/// process; whatever else there is, and whatever the engine does not do, stays
/// with the reference.
#pragma once

#include "assay/program/PlanBuilder.h"
#include "assay/support/Error.h"

#include <map>
#include <memory>

namespace assay::verify {

/// What ran where. `kept` says for each reason how many executions stayed with
/// the reference.
struct OffloadCounts {
  int64_t offloaded = 0;
  std::map<std::string, int64_t> kept;
};

class OffloadState; // the worker and its arena, shared by all steps of a plan

class OffloadCompiler final : public program::StepCompiler {
public:
  /// `engineName` as `verify --engine` takes it; `threads` is what the engine
  /// is told; no answer within `timeoutSeconds` (0: a minute) counts as a hang.
  /// Errors: those of resolveEngine; at run time Mismatch when the engine
  /// crashes, hangs, fails or touches memory that is not its own.
  static llvm::Expected<std::unique_ptr<OffloadCompiler>>
  create(llvm::StringRef engineName, int threads, double timeoutSeconds = 0);

  llvm::Expected<std::unique_ptr<program::Step>>
  compile(const program::StepSpec &spec) const override;
  std::unique_ptr<program::LaneFunction>
  compileLanes(mlir::Region &region, bool withShadow) const override;

  /// Counts of all runs so far.
  const OffloadCounts &counts() const;

private:
  explicit OffloadCompiler(std::shared_ptr<OffloadState> state)
      : state_(std::move(state)) {}
  std::shared_ptr<OffloadState> state_;
};

} // namespace assay::verify
