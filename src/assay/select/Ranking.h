/// Reports about the kernels of one problem: those that a model ranks first,
/// those that a search found, and why dispatch chooses as it does.
#pragma once

#include "assay/kernels/CostModel.h"
#include "assay/select/Search.h"
#include "assay/support/ExitCode.h"

#include "llvm/Support/JSON.h"

#include <map>
#include <mutex>

namespace assay::select {

/// The kernels of one problem with a model's predictions, and their times where
/// they were measured.
struct RankingReport {
  std::string problem;
  double flops = 0, bytes = 0; ///< of the problem
  struct Row {
    std::string kernel;
    double score = 0;
    std::map<Target, double> predicted; ///< for the targets that the model has
    /// The score as a share of the best rate, where the model rates kernels by
    /// that; 0: the score is a number of TFLOPS.
    double share = 0;
    double ns = 0; ///< 0: not measured

    /// Kernel, score, and the targets by name.
    llvm::json::Object toJson() const;
  };
  std::vector<Row> rows; ///< best first: by measured time, or by score
  size_t kernels = 0;    ///< in the registry
  double rankUs = 0;     ///< the time that ranking took
  std::string note;      ///< says that the model is of another machine, if it
                         ///< is

  llvm::json::Value toJson() const;
  void print(llvm::raw_ostream &os, bool details) const;
  ExitCode exitCode() const { return ExitCode::Ok; }
};

/// The best `top` kernels by a model. An error of `model` is passed on.
/// Errors: InvalidArgument (the model is of another operation, type or layout),
/// Unsupported when no kernel supports the problem
llvm::Expected<RankingReport> rankBy(llvm::Expected<KernelModel *> model,
                                     const Problem &problem, size_t top);
/// A model's prediction for the kernel of that name. Errors: those of rankBy;
/// NotFound, Unsupported (there is no such kernel, or it cannot compute the
/// problem).
llvm::Expected<RankingReport::Row>
predictFor(llvm::Expected<KernelModel *> model, const Problem &problem,
           llvm::StringRef kernel);

/// Models by operation, types and layout; each is opened at its first use.
/// Threads: any.
class ModelCache {
public:
  /// `folder`: the only model. Empty: the first for the problem's kernels among
  /// the models that dispatch considers, whatever its machine.
  ModelCache(kernels::Registry &registry, std::string folder)
      : registry_(registry), folder_(std::move(folder)) {}
  /// Errors: NotFound, those of openModel().
  llvm::Expected<KernelModel *> of(const Problem &problem);

private:
  llvm::Expected<std::unique_ptr<KernelModel>> find(const Problem &problem);

  kernels::Registry &registry_;
  std::string folder_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<KernelModel>> models_;
};

/// rankBy() with the model in a folder.
llvm::Expected<RankingReport> rankByModel(kernels::Registry &registry,
                                          const std::string &modelDir,
                                          const Problem &problem, size_t top);

/// The best kernels by a model and a strategy: search(), or, for a short list,
/// all kernels ranked. With mostPairs > 0 they are timed; the strategy Active
/// uses searchByClock() on long lists. `context`: what runs the kernels.
/// Errors: those of rankBy, of openModel and of timing
llvm::Expected<RankingReport>
searchByModel(const SpaceContext &context, const std::string &modelDir,
              const ProblemRef &problem, const SearchOptions &options,
              int mostPairs, const Interrupt &interrupt);

//===--- Products by their estimates --------------------------------------===//

/// The kernels of every layout that a product has, each once.
std::vector<kernels::GemmConfig>
kernelsFor(const kernels::Registry &registry,
           const kernels::GemmProblem &problem);

/// The best `top` kernels by the analytic estimate; the score is minus the
/// nanoseconds. Errors: Unsupported when no kernel supports the problem.
llvm::Expected<std::vector<RankingReport::Row>>
rankByCost(kernels::Registry &registry, const kernels::GemmProblem &problem,
           size_t top);

/// Why a product gets its kernel: the choice of dispatch, then the analytic
/// model's order with the parts of its estimates.
struct CostReport {
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
  std::vector<std::string> notes; ///< notes of the registry for the user

  llvm::json::Value toJson() const;
  void print(llvm::raw_ostream &os, bool details) const;
  ExitCode exitCode() const { return ExitCode::Ok; }
};
/// `measure`: times the `top` kernels that are reported.
/// Errors: those of validate(problem) and of timing
llvm::Expected<CostReport> explainByCost(kernels::Registry &registry,
                                         const kernels::GemmProblem &problem,
                                         size_t top, bool measure,
                                         const Interrupt &interrupt);

//===--- Any choice ---------------------------------------------------------===//

/// Why a problem gets its kernel. With `measure`, also the times of the kernels
/// that support it, the `top` fastest of them.
struct ChoiceReport {
  std::string problem, processor, isa, kernel;
  ModelAnswer answer;
  size_t supported = 0;
  struct Row {
    std::string kernel;
    double us = 0, gflops = 0;
  };
  std::vector<Row> rows;                   ///< fastest first; empty: not
                                           ///< measured
  double choiceUs = 0;                     ///< the time of the choice; 0: not
                                           ///< measured
  std::map<std::string, int64_t> refusals; ///< reason -> kernels

  llvm::json::Value toJson() const;
  void print(llvm::raw_ostream &os, bool details) const;
  ExitCode exitCode() const { return ExitCode::Ok; }
};
/// Errors: those of timing
llvm::Expected<ChoiceReport> explainChoice(KernelSet &set,
                                           const ProblemRef &problem,
                                           size_t top, bool measure,
                                           const Interrupt &interrupt);

} // namespace assay::select
