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

/// Models of convolutions by direction, each opened when it is first asked for.
/// Threads: any.
class ConvModelCache {
public:
  /// `folder`: the one model; empty: of those that dispatch looks at the first of
  /// the direction, whatever machine it is of.
  ConvModelCache(const kernels::Registry &registry, std::string folder)
      : registry_(registry), folder_(std::move(folder)) {}
  /// Errors: NotFound, those of ConvModel::open
  llvm::Expected<ConvModel *> of(const kernels::ConvProblem &problem);

private:
  const kernels::Registry &registry_;
  std::string folder_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<ConvModel>> models_;
};

/// The best `top` kernels by a model. An error of `model` is passed on. Errors:
/// those of validate(); InvalidArgument (a model of another direction);
/// Unsupported when no kernel supports the problem
llvm::Expected<RankingReport> rankConvBy(llvm::Expected<ConvModel *> model,
                                         const kernels::ConvProblem &problem,
                                         size_t top);
/// What a model predicts for the kernel of that name. Errors: those of rankConvBy;
/// NotFound, Unsupported (no such kernel, or it cannot compute the problem)
llvm::Expected<RankingReport::Row>
predictConvFor(llvm::Expected<ConvModel *> model,
               const kernels::ConvProblem &problem, llvm::StringRef kernel);
/// rankConvBy() of the model in a folder.
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
