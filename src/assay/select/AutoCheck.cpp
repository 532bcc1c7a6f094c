// What a new model is worth before it is installed: its picks, those of what is
// installed now, and the analytic ones run in turns. Where two agree their ratio
// is 1 and nothing is timed, so that a short budget sees many problems.
#include "assay/kernels/CostModel.h"
#include "assay/select/Auto.h"
#include "assay/select/LearnedSelector.h"
#include "assay/support/UserFolder.h"

#include <algorithm>
#include <chrono>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

/// The stream of problems.
static constexpr uint32_t kStream = 0x6368;
/// Problems that a check should come to; runs of the largest kernel that one
/// takes; GFLOP/s of a modest processor.
static constexpr double kProblems = 16, kRuns = 120, kRate = 50;
/// What a check may take however late it begins: a model that was trained is
/// worth a second.
static constexpr double kLeastSeconds = 1;

namespace {
/// The ratios of one check: time of another choice over time of the model's.
struct Ratios {
  std::vector<double> before, analytic;
};

class PickTimer {
public:
  PickTimer(Registry &registry, ThreadPool &pool, const AutoOptions &options,
            KernelModel &model, const Interrupt &end)
      : registry_(registry), pool_(pool), options_(options), model_(model),
        end_(end), analytic_(makeAnalyticSelector(registry)),
        before_(registry, foldersOf(options)) {}

  /// Adds a problem; nothing where a pick does not run.
  llvm::Error add(const GemmProblem &problem, Ratios &ratios) {
    std::optional<RankedKernel> pick = model_.best(problem);
    if (!pick)
      return llvm::Error::success();
    GemmConfig learned = model_.configs()[static_cast<size_t>(pick->kernel)],
               analytic = analytic_->choose(problem);
    Explanation was = before_.explain(problem);
    if (was.by != "analytic")
      beforeName_ = was.by;
    std::vector<GemmConfig> configs{analytic};
    for (const GemmConfig &config : {was.config, learned})
      if (!llvm::is_contained(configs, config))
        configs.push_back(config);
    if (configs.size() == 1) {
      ratios.before.push_back(1);
      ratios.analytic.push_back(1);
      return llvm::Error::success();
    }
    auto timed = timeKernels(registry_, pool_, problem, configs,
                             /*mostPairs=*/15, options_.seed, end_);
    if (!timed)
      return timed.takeError();
    auto ratioOf = [&](const GemmConfig &config) {
      for (const TimedKernel &kernel : *timed)
        if (kernel.config == config)
          return kernel.ratio;
      return 0.0;
    };
    double mine = ratioOf(learned), theirs = ratioOf(was.config),
           plain = ratioOf(analytic);
    if (mine > 0 && theirs > 0 && plain > 0) {
      ratios.before.push_back(was.config == learned ? 1 : theirs / mine);
      ratios.analytic.push_back(analytic == learned ? 1 : plain / mine);
    }
    return llvm::Error::success();
  }

  const std::string &beforeName() const { return beforeName_; }

private:
  /// Where the model is to be installed comes first.
  static std::vector<std::string> foldersOf(const AutoOptions &options) {
    std::vector<std::string> folders{options.folder};
    llvm::append_range(folders, modelFolders());
    return folders;
  }

  Registry &registry_;
  ThreadPool &pool_;
  const AutoOptions &options_;
  KernelModel &model_;
  const Interrupt &end_;
  std::unique_ptr<Selector> analytic_;
  LearnedSelector before_;
  std::string beforeName_ = "analytic";
};
} // namespace

llvm::Expected<PickCheck>
select::checkPicks(Registry &registry, ThreadPool &pool,
                   const AutoOptions &options, const std::string &staged,
                   const std::set<std::string> &known, double seconds,
                   const Interrupt &interrupt) {
  auto start = std::chrono::steady_clock::now();
  auto model = openModel(staged, registry);
  if (!model)
    return model.takeError();
  Interrupt end;
  std::chrono::duration<double> loading =
      std::chrono::steady_clock::now() - start;
  end.setTimeLimit(std::max(kLeastSeconds, seconds - loading.count()));
  PickTimer timer(registry, pool, options, **model, end);
  PickCheck check;
  check.cap = std::min(options.cap, std::max(seconds, kLeastSeconds) /
                                        kProblems * kRate / kRuns);
  Ratios ratios;
  size_t drawn = 0;
  for (const Shape &shape : drawShapes(check.cap, options.seed, kStream)) {
    if (llvm::Error error = interrupt.check())
      return error;
    if (llvm::Error error = end.check()) {
      llvm::consumeError(std::move(error));
      break;
    }
    GemmProblem problem = GemmProblem::make(
        options.kind.types, options.kind.layout, shape.m, shape.n, shape.k, 1,
        options.threads[drawn % options.threads.size()]);
    if (shape.flops() < kLeastModelFlops || known.count(toString(problem)))
      continue;
    ++drawn;
    if (llvm::Error error = timer.add(problem, ratios)) {
      ErrorText text = takeError(std::move(error));
      if (llvm::Error stopped = interrupt.check())
        return stopped;
      if (text.code != ErrorCode::ResourceLimit)
        return makeError(text.code, "{0}", text.message);
      break; // the budget's end
    }
  }
  check.before = timer.beforeName();
  if (!ratios.before.empty()) {
    check.overBefore = summarizeRatios(ratios.before);
    check.overAnalytic = summarizeRatios(ratios.analytic);
  }
  return check;
}
