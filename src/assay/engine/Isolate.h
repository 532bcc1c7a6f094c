/// Isolation of one of Assay's own engines: the plan has a single step, which
/// runs the whole program in a new worker process. A crash or a hang there
/// becomes an error here. (Engines of other libraries always run in such a
/// process: offload/ProblemEngine.h.)
#pragma once

#include "assay/engine/Engine.h"

namespace assay::engine {

/// The engine `name` in a worker process. Its plans compute no shadow
/// (Unsupported). Observers receive the values inside of the program that they
/// want (Capture.h); checks, prints and probes work as in this process. Errors:
/// ResourceLimit.
llvm::Expected<std::unique_ptr<Engine>>
isolate(llvm::StringRef name, std::shared_ptr<const program::StepCompiler> rest,
        const EngineOptions &options);

/// A plan of one step whose operands are the function's arguments.
std::unique_ptr<program::Plan>
wholeProgramPlan(std::shared_ptr<const program::Program> program,
                 mlir::func::FuncOp function,
                 llvm::ArrayRef<program::TensorType> results,
                 std::unique_ptr<program::Step> step);

/// The driver of a problem that is a whole program for an isolated engine: its
/// worker answers every run with a RunReport.
inline constexpr const char *kProgramDriver = "program";

/// The settings of such a program for the worker, as the problem's JSON.
struct ProgramSettings {
  std::string file, probeDirectory;
  bool accumulatePerStep = false, fastReference = false;
  std::string algorithm = "direct"; ///< of convolutions
  bool foldsScales = true;
  int64_t maxFrames = 0, maxMemoryBytes = 0;
  uint64_t randomStream = 0; ///< the first stream that stablehlo.rng draws from

  std::string toJson() const;
  /// Absent keys keep their defaults. Errors: InvalidArgument.
  static llvm::Expected<ProgramSettings> fromJson(llvm::StringRef text);
};

/// What a run returns besides its results, as text between two processes of the
/// same program.
struct RunReport {
  std::vector<program::CheckResult> checks;
  std::string printed;
  int64_t engineSteps = 0, peakBytes = 0;
  std::optional<ErrorText> error; ///< why there are no results

  std::string toJson() const;
  static llvm::Expected<RunReport> fromJson(llvm::StringRef text);
};

} // namespace assay::engine
