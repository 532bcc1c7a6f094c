/// Reports about the kernels of one problem: what a model ranks first, what a
/// search found, and why dispatch chooses as it does.
#pragma once

#include "assay/kernels/CostModel.h"
#include "assay/kernels/Kind.h"
#include "assay/select/Search.h"
#include "assay/support/ExitCode.h"

#include "llvm/Support/JSON.h"

#include <map>
#include <mutex>

namespace assay::select {

/// Kernels of one problem with what a model predicts for them, and their times
/// where they were measured.
struct RankingReport {
  std::string problem;
  double flops = 0, bytes = 0; ///< of the problem
  struct Row {
    std::string kernel;
    double score = 0;
    std::map<Target, double> predicted; ///< the targets that the model has
    /// What the score means where the model rates kernels by it: the share of
    /// the best rate; 0: the score is of TFLOPS.
    double share = 0;
    double ns = 0; ///< 0: not measured
  };
  std::vector<Row> rows; ///< best first: by the clock, or by score
  size_t kernels = 0;    ///< of the registry
  double rankUs = 0;     ///< what ranking took
  std::string note;      ///< of a model of another machine

  llvm::json::Value toJson() const;
  void print(llvm::raw_ostream &os, bool details) const;
  ExitCode exitCode() const { return ExitCode::Ok; }
};

/// What a model says of one kernel: all targets that it has, as one time.
RankingReport::Row predictedRow(const Model &model, llvm::StringRef kernel,
                                double score, llvm::ArrayRef<float> features,
                                double flops, double bytes);

/// The best `top` kernels by a model. An error of `model` is passed on.
/// Errors: InvalidArgument (the model is of other types or another layout),
/// Unsupported when no kernel supports the problem
llvm::Expected<RankingReport> rankBy(llvm::Expected<KernelModel *> model,
                                     const kernels::GemmProblem &problem,
                                     size_t top);
/// What a model predicts for the kernel of that name. Errors: those of rankBy;
/// NotFound, Unsupported (no such kernel, or it cannot compute the problem).
llvm::Expected<RankingReport::Row>
predictFor(llvm::Expected<KernelModel *> model,
           const kernels::GemmProblem &problem, llvm::StringRef kernel);
/// The model for these types and this layout, of those that dispatch looks at,
/// whatever machine it is of. Errors: NotFound.
llvm::Expected<std::unique_ptr<KernelModel>>
findModel(const kernels::GemmProblem &problem, kernels::Registry &registry);

/// The kernels of every layout that a problem is of, each once.
std::vector<kernels::GemmConfig>
kernelsFor(const kernels::Registry &registry,
           const kernels::GemmProblem &problem);

/// The best `top` kernels by the analytic estimate; score is minus the
/// nanoseconds. Errors: Unsupported when no kernel supports the problem.
llvm::Expected<std::vector<RankingReport::Row>>
rankByCost(kernels::Registry &registry, const kernels::GemmProblem &problem,
           size_t top);

/// Models by types and layout, each opened when it is first asked for. Threads:
/// any.
class ModelCache {
public:
  /// `folder`: the one model; empty: those that findModel() finds.
  ModelCache(kernels::Registry &registry, std::string folder)
      : registry_(registry), folder_(std::move(folder)) {}
  /// Errors: those of findModel() and openModel().
  llvm::Expected<KernelModel *> of(const kernels::GemmProblem &problem);

private:
  kernels::Registry &registry_;
  std::string folder_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<KernelModel>> models_;
};

/// rankBy() of the model in a folder.
llvm::Expected<RankingReport> rankByModel(kernels::Registry &registry,
                                          const std::string &modelDir,
                                          const kernels::GemmProblem &problem,
                                          size_t top);

/// search(), and with mostPairs > 0 timeKernels() of what it found; the strategy
/// Active is searchByClock(). Errors: theirs, those of openModel;
/// InvalidArgument (a model of other types or another layout)
llvm::Expected<RankingReport>
searchByModel(kernels::Registry &registry, const std::string &modelDir,
              const kernels::GemmProblem &problem, const SearchOptions &options,
              int mostPairs, const Interrupt &interrupt);

/// Why a problem gets its kernel: the choice that dispatch makes, then the
/// analytic model's order with the parts of its estimates.
struct ChoiceReport {
  kernels::GemmProblem problem;
  std::string processor, isa;
  Explanation choice;
  int64_t place = 0; ///< of the choice in the analytic order, from 1
  size_t supported = 0;
  struct Row {
    std::string kernel;
    kernels::Cost cost;
    double measuredUs = 0; ///< 0: not measured
  };
  std::vector<Row> rows;                   ///< the choice first
  std::map<std::string, int64_t> refusals; ///< reason -> kernels
  bool measured = false;
  std::vector<std::string> notes; ///< what the registry wants the user to know

  llvm::json::Value toJson() const;
  void print(llvm::raw_ostream &os, bool details) const;
  ExitCode exitCode() const { return ExitCode::Ok; }
};
/// `measure`: times the `top` kernels that are reported.
/// Errors: those of validate(problem), of timeKernels
llvm::Expected<ChoiceReport> explainChoice(kernels::Registry &registry,
                                           const kernels::GemmProblem &problem,
                                           size_t top, bool measure,
                                           const Interrupt &interrupt);

} // namespace assay::select
