// Tests a new model before it is installed: its picks, those of the installed
// model, and those without a model run alternately. Where two picks agree,
// their ratio is 1 and nothing is timed, so that a short budget covers many
// problems.
#include "assay/select/Auto.h"
#include "assay/select/Search.h"
#include "assay/support/UserFolder.h"

#include <algorithm>
#include <chrono>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

/// The stream of random numbers for the problems.
static constexpr uint32_t kStream = 0x6368;
/// The number of problems that a check should reach, the runs of the largest
/// kernel that one problem needs, and the GFLOP/s of a modest processor.
static constexpr double kProblems = 16, kRuns = 120, kRate = 50;
/// The least time that a check gets, however late it begins, so that a trained
/// model is always checked.
static constexpr double kLeastSeconds = 1;

namespace {
/// The ratios of one check: time of another choice over time of the model's.
struct Ratios {
  std::vector<double> before, plain;
};

class PickTimer {
public:
  PickTimer(KernelSet &set, ThreadPool &pool, const AutoOptions &options,
            KernelModel &model, const Interrupt &end)
      : set_(set), pool_(pool), options_(options), model_(model), end_(end),
        before_(set.registry(), foldersOf(options)),
        beforeName_(set.space().plainBy().str()) {}

  /// Adds the ratios of a problem; adds nothing where a pick does not run.
  llvm::Error add(const ProblemRef &problem, Ratios &ratios) {
    std::optional<RankedKernel> best = model_.best(*problem);
    if (!best)
      return llvm::Error::success();
    int32_t learned = best->kernel, plain = set_.plain(*problem);
    ModelDispatch::Pick was = before_.pick(set_, *problem);
    if (was.by != set_.space().plainBy())
      beforeName_ = was.by;
    std::vector<int32_t> kernels{plain};
    for (int32_t kernel : {was.kernel, learned})
      if (!llvm::is_contained(kernels, kernel))
        kernels.push_back(kernel);
    if (*llvm::min_element(kernels) < 0)
      return llvm::Error::success();
    if (kernels.size() == 1) {
      ratios.before.push_back(1);
      ratios.plain.push_back(1);
      return llvm::Error::success();
    }
    auto timed = timePicks(set_, pool_, problem, kernels,
                           {/*mostPairs=*/15, options_.seed}, end_);
    if (!timed)
      return timed.takeError();
    auto ratioOf = [&](int32_t kernel) {
      for (const TimedContender &one : *timed)
        if (one.kernel == kernel)
          return one.ratio;
      return 0.0;
    };
    double mine = ratioOf(learned), theirs = ratioOf(was.kernel),
           bare = ratioOf(plain);
    if (mine > 0 && theirs > 0 && bare > 0) {
      ratios.before.push_back(was.kernel == learned ? 1 : theirs / mine);
      ratios.plain.push_back(plain == learned ? 1 : bare / mine);
    }
    return llvm::Error::success();
  }

  const std::string &beforeName() const { return beforeName_; }

private:
  /// The folder where the model is to be installed is the first.
  static std::vector<std::string> foldersOf(const AutoOptions &options) {
    std::vector<std::string> folders{options.folder};
    llvm::append_range(folders, modelFolders());
    return folders;
  }

  KernelSet &set_;
  ThreadPool &pool_;
  const AutoOptions &options_;
  KernelModel &model_;
  const Interrupt &end_;
  ModelDispatch before_;
  std::string beforeName_;
};
} // namespace

llvm::Expected<PickCheck>
select::checkPicks(KernelSet &set, ThreadPool &pool,
                   const AutoOptions &options, const std::string &staged,
                   const std::set<std::string> &known, double seconds,
                   const Interrupt &interrupt) {
  auto start = std::chrono::steady_clock::now();
  auto model = openIn(set, staged);
  if (!model)
    return model.takeError();
  Interrupt end;
  std::chrono::duration<double> loading =
      std::chrono::steady_clock::now() - start;
  end.setTimeLimit(std::max(kLeastSeconds, seconds - loading.count()));
  PickTimer timer(set, pool, options, **model, end);
  PickCheck check;
  check.cap = std::min(options.cap, std::max(seconds, kLeastSeconds) /
                                        kProblems * kRate / kRuns);
  Ratios ratios;
  size_t drawn = 0;
  for (const ProblemRef &one :
       set.drawAsked(check.cap, options.seed, kStream)) {
    if (llvm::Error error = interrupt.check())
      return error;
    if (llvm::Error error = end.check()) {
      llvm::consumeError(std::move(error));
      break;
    }
    ProblemRef problem =
        one->onThreads(options.threads[drawn % options.threads.size()]);
    if (known.count(problem->groupKey()))
      continue;
    ++drawn;
    if (llvm::Error error = timer.add(problem, ratios)) {
      ErrorText text = takeError(std::move(error));
      if (llvm::Error stopped = interrupt.check())
        return stopped;
      if (text.code != ErrorCode::ResourceLimit)
        return makeError(text.code, "{0}", text.message);
      break; // the end of the budget
    }
  }
  check.before = timer.beforeName();
  if (!ratios.before.empty()) {
    check.overBefore = summarizeRatios(ratios.before);
    check.overPlain = summarizeRatios(ratios.plain);
  }
  return check;
}
