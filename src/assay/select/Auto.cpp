// The loop of `assay tune auto`. The model is trained into a staged folder,
// checked by the clock on problems that are in no data set, and renamed to its
// place only when it is better than the analytic choice.
#include "assay/select/Auto.h"
#include "assay/kernels/CostModel.h"
#include "assay/select/Features.h"
#include "assay/select/LightGbmText.h"
#include "assay/select/Parquet.h"
#include "assay/select/Search.h"
#include "assay/select/Trainer.h"
#include "assay/support/Random.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <chrono>
#include <cmath>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

namespace {
/// Training and checks draw from streams of their own.
enum class Draw : uint32_t { Train = 0x6175, Check = 0x6368 };

/// Where in the budget each phase ends. The rest is for what comes after it:
/// writing data, loading a model.
constexpr double kMeasuredAt = 0.5, kTrainedAt = 0.75, kCheckedAt = 0.97;
/// Problems that are measured or checked at least, while they are drawn.
constexpr int kFewestMeasured = 10, kFewestChecked = 8;
/// Below this time for training, fewer folds leave more trees for each.
constexpr double kShortTraining = 30;

class Budget {
public:
  explicit Budget(double seconds) : seconds_(seconds) {}
  double passed() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }
  /// Seconds until this share of the budget is over; a little at least.
  double until(double share) const {
    return std::max(0.01, share * seconds_ - passed());
  }
  /// Stops at that time, and at Ctrl-C.
  Interrupt endAt(double share) const {
    Interrupt result;
    result.setTimeLimit(until(share));
    return result;
  }
  llvm::Error tooShort(llvm::StringRef what) const {
    return makeError(ErrorCode::ResourceLimit,
                     "--budget {0} left no time to {1}; the measurements are "
                     "kept for the next run",
                     seconds_, what);
  }

private:
  using Clock = std::chrono::steady_clock;
  double seconds_;
  Clock::time_point start_ = Clock::now();
};
} // namespace

/// GFLOP of the largest problem of which `problems` can be raced in that time,
/// at most the user's cap. A race runs each kernel six times or so and the
/// finalists some hundred times; 50 GFLOP/s is a modest processor.
static double affordableCap(const AutoOptions &options, double seconds,
                            int problems, int64_t kernels) {
  return std::min(options.cap, seconds / problems * 50 /
                                   (6 * static_cast<double>(kernels) + 480));
}

/// Replaces the installed folder by the staged one; the old one is put aside
/// until the new one is in place.
static llvm::Error install(const std::string &staged,
                           const std::string &target) {
  std::string old = target + ".old";
  llvm::sys::fs::remove_directories(old);
  if (llvm::sys::fs::exists(target))
    if (std::error_code code = llvm::sys::fs::rename(target, old))
      return makeError(ErrorCode::InvalidArgument, "cannot replace '{0}': {1}",
                       target, code.message());
  if (std::error_code code = llvm::sys::fs::rename(staged, target))
    return makeError(ErrorCode::InvalidArgument, "cannot install '{0}': {1}",
                     target, code.message());
  llvm::sys::fs::remove_directories(old);
  return llvm::Error::success();
}

/// Errors: those of collect(), and the interrupt's
static llvm::Expected<CollectReport>
collectMore(Registry &registry, ThreadPool &pool, const AutoOptions &options,
            const std::string &dataFolder, const Budget &budget,
            const Interrupt &interrupt, const AutoLog &log) {
  CollectOptions collection;
  collection.types = options.kind.types;
  collection.layout = options.kind.layout;
  double seconds = budget.until(kMeasuredAt);
  collection.shapes =
      options.shapes.empty()
          ? drawShapes(affordableCap(
                           options, seconds, kFewestMeasured,
                           options.kernels.all ? 1000 : options.kernels.count),
                       options.seed, static_cast<uint32_t>(Draw::Train))
          : options.shapes;
  collection.threads = options.threads;
  collection.output = dataFolder;
  collection.race.kernels = options.kernels;
  collection.race.seed = options.seed;
  collection.race.mostPairs = 30;
  collection.kernelsText = options.kernelsText;
  collection.budgetSeconds = seconds;
  auto report = collect(registry, pool, collection, budget.endAt(kMeasuredAt),
                        [&](const CollectProgress &at) {
                          if (!at.line.empty())
                            log(at.line);
                        });
  if (llvm::Error error = interrupt.check()) {
    if (!report)
      llvm::consumeError(report.takeError());
    ErrorText text = takeError(std::move(error));
    return makeError(text.code,
                     "{0}; the measurements are kept for the next run",
                     text.message);
  }
  if (report) {
    report->stopped.reset(); // by the budget
    return report;
  }
  ErrorText text = takeError(report.takeError());
  if (text.code == ErrorCode::ResourceLimit && budget.until(kMeasuredAt) < 0.1)
    return budget.tooShort("measure");
  return makeError(text.code, "{0}", text.message);
}

/// Trains on the rows of all runs on machines of this class; gives the number
/// of fits that the budget cut.
static llvm::Expected<int> trainOn(const std::string &dataFolder,
                                   Registry &registry,
                                   const AutoOptions &options,
                                   const std::string &staged,
                                   const Budget &budget, const AutoLog &log) {
  llvm::Expected<ColumnTable> table = readParquetFolder(dataFolder);
  if (!table)
    return table.takeError();
  std::string here = machineClass(registry.machine());
  std::vector<size_t> rows;
  if (const Column *arch = table->find("arch"))
    for (size_t i = 0; i < arch->texts.size(); ++i)
      if (arch->texts[i] == here)
        rows.push_back(i);
  llvm::Expected<Samples> samples =
      makeSamples(takeRows(*table, rows), "gemm", toString(options.kind.types));
  if (!samples)
    return samples.takeError();
  std::string kernels =
      registryHash(registry.enumerate(options.kind.types, options.kind.layout));
  TrainOptions training;
  training.mostSeconds = budget.until(kTrainedAt);
  if (training.mostSeconds < kShortTraining)
    training.folds = 3;
  auto trained = train(*samples, kernels, training, staged, log);
  if (!trained)
    return trained.takeError();
  int cut = 0;
  for (const TargetReport &target : *trained)
    cut += target.cutFits;
  return cut;
}

/// The mean efficiencies of the model's and the analytic picks on problems that
/// are in no data set.
static llvm::Error check(Registry &registry, ThreadPool &pool,
                         const AutoOptions &options, const std::string &folder,
                         const Budget &budget, const Interrupt &interrupt,
                         AutoReport &report) {
  auto model = openModel(folder, registry);
  if (!model)
    return model.takeError();
  std::unique_ptr<Selector> analytic = makeAnalyticSelector(registry);
  Interrupt end = budget.endAt(kCheckedAt);
  double seconds = budget.until(kCheckedAt);
  RaceOptions race;
  race.kernels = {false, std::clamp<int64_t>(int64_t(4 * seconds), 12, 120)};
  race.mostPairs = 30;
  report.checkedCap =
      affordableCap(options, seconds, kFewestChecked, race.kernels.count);
  for (const Shape &shape : drawShapes(report.checkedCap, options.seed,
                                       static_cast<uint32_t>(Draw::Check))) {
    GemmProblem problem = GemmProblem::make(
        options.kind.types, options.kind.layout, shape.m, shape.n, shape.k, 1,
        options.threads[report.checked % options.threads.size()]);
    std::optional<RankedKernel> pick = (*model)->best(problem);
    if (!pick)
      continue;
    auto row =
        validateProblem(registry, pool, problem, options.kind.types,
                        options.kind.layout, (*model)->configs()[pick->kernel],
                        analytic->choose(problem), race, end);
    if (llvm::Error error = interrupt.check()) {
      if (!row)
        llvm::consumeError(row.takeError());
      return error;
    }
    if (!row) {
      ErrorText text = takeError(row.takeError());
      if (text.code == ErrorCode::ResourceLimit)
        break; // the budget's end
      return makeError(text.code, "{0}", text.message);
    }
    report.learned += row->learnedEfficiency;
    report.analytic += row->analyticEfficiency;
    ++report.checked;
  }
  if (report.checked == 0)
    return budget.tooShort("check the model");
  report.learned /= static_cast<double>(report.checked);
  report.analytic /= static_cast<double>(report.checked);
  return llvm::Error::success();
}

llvm::Expected<AutoReport> select::makeModel(Registry &registry,
                                             const AutoOptions &options,
                                             const Interrupt &interrupt,
                                             const AutoLog &log) {
  Budget budget(options.budgetSeconds);
  AutoReport report;
  report.target =
      inside(options.folder, "gemm_" + toString(options.kind.types) + "_" +
                                 toString(options.kind.layout));
  std::string staged = report.target + ".new", data = report.target + ".data";
  for (const std::string &folder : {staged, data})
    if (std::error_code code = llvm::sys::fs::create_directories(folder))
      return makeError(ErrorCode::InvalidArgument,
                       "cannot make the folder '{0}': {1}", folder,
                       code.message());
  ThreadPool pool(
      *std::max_element(options.threads.begin(), options.threads.end()));
  auto collected =
      collectMore(registry, pool, options, data, budget, interrupt, log);
  if (!collected)
    return collected.takeError();
  report.collected = std::move(*collected);
  llvm::Expected<int> cut =
      trainOn(data, registry, options, staged, budget, log);
  if (!cut)
    return cut.takeError();
  report.cutFits = *cut;
  if (llvm::Error error =
          check(registry, pool, options, staged, budget, interrupt, report))
    return error;
  report.seconds = budget.passed();
  if (report.learned < report.analytic)
    return report;
  if (llvm::Error error = install(staged, report.target))
    return error;
  report.installed = true;
  return report;
}

llvm::json::Value AutoReport::toJson() const {
  return llvm::json::Object{
      {"model", target},     {"collected", collected.toJson()},
      {"checked", checked},  {"checked_gflop", checkedCap},
      {"learned", learned},  {"analytic", analytic},
      {"cut_fits", cutFits}, {"installed", installed},
      {"seconds", seconds}};
}

void AutoReport::print(llvm::raw_ostream &os, bool) const {
  os << llvm::formatv("collected: {0} rows over {1} problems; {2} measurements "
                      "are of earlier runs\n",
                      collected.rows, collected.problemsDone, collected.reused);
  if (cutFits > 0)
    os << "training was cut short " << cutFits
       << " times: a longer --budget makes a better model\n";
  os << llvm::formatv("checked on {0} unseen problems of up to {1:f3} GFLOP: "
                      "learned {2:P2}, analytic {3:P2}; {4:f1} s in all\n",
                      checked, checkedCap, learned, analytic, seconds);
  if (installed)
    os << "installed: '" << target << "'\n";
  else
    os << "not installed: the analytic choice is better on this machine; a "
          "further run adds measurements\n";
}

ExitCode AutoReport::exitCode() const {
  return installed ? ExitCode::Ok : ExitCode::CheckFailed;
}
