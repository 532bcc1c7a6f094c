/// Reports about the kernels of convolutions: what a model ranks first, what the
/// clock finds, picks against a fresh oracle, and why dispatch chooses as it does.
#pragma once

#include "assay/select/ConvModel.h"
#include "assay/select/Ranking.h"
#include "assay/select/Validate.h"

namespace assay::select {

/// Whether the folder's model is of this machine's convolutions, and of which
/// direction. Errors: those of loadDescription
llvm::Expected<std::optional<kernels::ConvDirection>>
convDirectionOf(const std::string &modelDir);

/// The best `top` kernels by a model. Errors: those of ConvModel::open;
/// InvalidArgument (a model of another direction)
llvm::Expected<RankingReport> rankConvByModel(const kernels::Registry &registry,
                                              const std::string &modelDir,
                                              const kernels::ConvProblem &problem,
                                              size_t top);

/// The best kernels of a problem: by the model (random, de: all of them are ranked,
/// there are few), or with mostPairs > 0 by the clock, those timed that the model
/// likes best within the budget. Errors: those of rankConvByModel; those of timing
llvm::Expected<RankingReport>
searchConv(KernelSource &source, const kernels::Registry &registry,
           const std::string &modelDir, const kernels::ConvProblem &problem,
           const SearchOptions &options, int mostPairs,
           const Interrupt &interrupt);

/// Validates what dispatch picks (with the model alone in `modelDir`, where it is
/// not empty), beside the engine's own rule. Errors: those of validatePicks; of
/// the model
llvm::Expected<ValidateReport>
validateConv(KernelSource &source, const kernels::Registry &registry,
             const std::string &modelDir,
             llvm::ArrayRef<kernels::ConvProblem> problems,
             const RaceList &list, const Interrupt &interrupt, bool quiet);

/// All kernels of a direction.
struct ConvKernelList {
  kernels::ConvDirection direction;
  std::string isa;
  std::vector<kernels::ConvConfig> configs;
  std::optional<size_t> limit; ///< as KernelList's
  llvm::json::Value toJson() const;
  void print(llvm::raw_ostream &os, bool details) const;
  ExitCode exitCode() const { return ExitCode::Ok; }

private:
  size_t shown(size_t otherwise) const;
};
ConvKernelList listConvKernels(const kernels::Registry &registry,
                               kernels::ConvDirection direction,
                               std::optional<size_t> limit);

/// Why a convolution gets its kernel, and with `measure` the times of all that
/// support it, the `top` fastest of them.
struct ConvChoiceReport {
  kernels::ConvProblem problem;
  std::string processor, isa;
  ConvChoice choice;
  size_t supported = 0;
  struct Row {
    std::string kernel;
    double us = 0, gflops = 0;
  };
  std::vector<Row> rows;                   ///< fastest first; none: not measured
  double choiceUs = 0;                     ///< of the choice; 0: not measured
  std::map<std::string, int64_t> refusals; ///< reason -> kernels

  llvm::json::Value toJson() const;
  void print(llvm::raw_ostream &os, bool details) const;
  ExitCode exitCode() const { return ExitCode::Ok; }
};
/// `source`: null leaves the clock out. Errors: those of validate(problem) and of
/// timing
llvm::Expected<ConvChoiceReport>
explainConv(const kernels::Registry &registry, KernelSource *source,
            const kernels::ConvProblem &problem, size_t top,
            const Interrupt &interrupt);

} // namespace assay::select
