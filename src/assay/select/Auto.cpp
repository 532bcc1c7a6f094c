// The loop of `assay tune auto`. The new model continues the trees of an
// existing model, if there is one; that model also decides which kernels are
// measured first. The new model is trained into a staged folder, timed on
// problems that are in no data set, and renamed to its place only when it is
// better than the installed model and than the choice without a model.
#include "assay/select/Auto.h"
#include "assay/select/Features.h"
#include "assay/select/LightGbmText.h"
#include "assay/select/Parquet.h"
#include "assay/select/Trainer.h"
#include "assay/support/Random.h"
#include "assay/support/UserFolder.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <chrono>
#include <cmath>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

/// The stream of random numbers that training uses.
static constexpr uint32_t kStream = 0x6175;
/// The share of the budget at which each phase ends. The rest is for the work
/// after it: writing data, loading a model.
static constexpr double kMeasuredAt = 0.6, kTrainedAt = 0.75, kCheckedAt = 0.96;
/// The least number of problems that are measured when they are drawn.
static constexpr int kFewestMeasured = 30;
/// With less time than this for training, there are fewer folds, which leaves
/// more trees for each, and only the target that ranks kernels is trained.
static constexpr double kShortTraining = 30, kShortestTraining = 8;
/// The number of kernels that a race begins with where a model proposes them:
/// its best, and some at random, to find kernels that the model overlooks.
static constexpr size_t kProposed = 28, kDrawn = 12;
/// With fewer rows than this, the trees that continue others stay small.
static constexpr size_t kFewRows = 20000;

namespace {
class Budget {
public:
  explicit Budget(double seconds) : seconds_(seconds) {}
  double passed() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }
  /// Seconds until this share of the budget is over; at least 0.01.
  double until(double share) const {
    return std::max(0.01, share * seconds_ - passed());
  }
  /// Interrupts at that time, and at Ctrl-C.
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

/// One run of `tune auto`: the state that its phases share.
class AutoRun {
public:
  AutoRun(KernelSet &set, const AutoOptions &options,
          const Interrupt &interrupt, const AutoLog &log)
      : set_(set), kind_(set), options_(options),
        interrupt_(interrupt), log_(log), budget_(options.budgetSeconds),
        pool_(*llvm::max_element(options.threads)) {
    report_.op = kind_.op;
  }

  llvm::Expected<AutoReport> run();

private:
  llvm::Error makeFolders();
  void findBase();
  std::vector<ProblemRef> problemsFor(double seconds);
  std::vector<int32_t> firstKernels(const ProblemRef &problem);
  llvm::Error collectMore();
  llvm::Expected<Samples> readData();
  llvm::Error trainOn(const Samples &samples);
  llvm::Error checkAndInstall(const Samples &samples);

  const Machine &machine() { return set_.machine(); }

  KernelSet &set_;
  ModelKind kind_;
  const AutoOptions &options_;
  const Interrupt &interrupt_;
  const AutoLog &log_;
  Budget budget_;
  ThreadPool pool_;
  std::string staged_, data_;
  std::unique_ptr<KernelModel> base_; ///< null: there is none
  AutoReport report_;
};
} // namespace

/// The GFLOP of the largest problem for which `problems` problems can be raced
/// in that time, at most the user's cap. A race runs each kernel about six
/// times and the finalists about a hundred times; 50 GFLOP/s is a modest
/// processor.
static double affordableCap(const AutoOptions &options, double seconds,
                            int problems, int64_t kernels) {
  return std::min(options.cap, seconds / problems * 50 /
                                   (6 * static_cast<double>(kernels) + 480));
}

/// Replaces the installed folder by the staged one; keeps the old one under
/// another name until the new one is in place.
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

std::string select::autoTarget(llvm::StringRef folder, const ModelKind &kind,
                               const Machine &machine) {
  std::string plain = inside(folder, kind.name()),
              here = classFor(machineClass(machine),
                              parseTypePair(kind.dtype).value_or(TypePair()));
  llvm::Expected<Model> there = loadDescription(plain);
  if (!there) {
    llvm::consumeError(there.takeError());
    return plain;
  }
  if (there->spec.subject.arch == here)
    return plain;
  for (char &letter : here)
    letter = letter == ' ' || letter == '=' ? '-' : letter;
  return plain + "-" + here;
}

llvm::Error AutoRun::makeFolders() {
  report_.target = autoTarget(options_.folder, kind_, machine());
  staged_ = report_.target + ".new";
  data_ = inside(options_.folder, kind_.name() + ".data");
  llvm::sys::fs::remove_directories(staged_); // left by a run that was killed
  for (const std::string &folder : {staged_, data_})
    if (std::error_code code = llvm::sys::fs::create_directories(folder))
      return makeError(ErrorCode::InvalidArgument,
                       "cannot make the folder '{0}': {1}", folder,
                       code.message());
  return llvm::Error::success();
}

/// Finds the first model, of any machine, other than the one that is made here.
void AutoRun::findBase() {
  for (const FoundModel &found :
       surveyModels(set_.registry(), modelFolders(), kind_,
                    /*anyMachine=*/true)) {
    if ((!found.serves && !found.isBehind) || found.folder == report_.target)
      continue;
    auto model = openIn(set_, found.folder);
    if (!model) {
      log_("note: " + takeError(model.takeError()).message);
      continue;
    }
    base_ = std::move(*model);
    report_.base = found.folder;
    const std::string &foreign = base_->foreign();
    log_("starts from '" + found.folder + "'" +
         (foreign.empty() ? "" : ", which " + foreign));
    return;
  }
}

std::vector<int32_t> AutoRun::firstKernels(const ProblemRef &problem) {
  std::vector<int32_t> first;
  auto add = [&](int32_t kernel) {
    if (kernel >= 0 && !llvm::is_contained(first, kernel))
      first.push_back(kernel);
  };
  add(set_.plain(*problem));
  for (const RankedKernel &ranked : base_->rank(*problem, kProposed))
    add(ranked.kernel);
  std::vector<int32_t> all = set_.supported(*problem);
  CounterRandom random(options_.seed, problem->hash());
  for (size_t i = 0; i < kDrawn && !all.empty(); ++i)
    add(all[random.integer(i, 0, static_cast<int64_t>(all.size()) - 1)]);
  return first;
}

/// The user's problems, or drawn ones of a size of which enough can be measured
/// in that time.
std::vector<ProblemRef> AutoRun::problemsFor(double seconds) {
  if (!options_.problems.empty())
    return options_.problems;
  int64_t kernels = options_.kernels.count;
  if (options_.kernels.all) {
    // As many as a problem of medium size has.
    auto some = set_.drawAsked(options_.cap, options_.seed, kStream);
    kernels = some.empty() ? 1
                           : static_cast<int64_t>(
                                 set_.supported(*some.front()).size());
  }
  return set_.drawAsked(
      affordableCap(options_, seconds, kFewestMeasured, kernels),
      options_.seed, kStream);
}

/// Errors: those of collect(), and of the interrupt
llvm::Error AutoRun::collectMore() {
  CollectOptions collection;
  double seconds = budget_.until(kMeasuredAt);
  collection.problems = onThreads(problemsFor(seconds), options_.threads);
  collection.output = data_;
  collection.race.kernels = options_.kernels;
  collection.race.seed = options_.seed;
  collection.race.mostPairs = 30;
  collection.kernelsText = options_.kernelsText;
  collection.budgetSeconds = seconds;
  if (base_ && options_.kernels.active)
    collection.first = [this](const ProblemRef &problem) {
      return firstKernels(problem);
    };
  auto report = collect(set_, pool_, collection,
                        budget_.endAt(kMeasuredAt),
                        [&](const CollectProgress &at) {
                          if (!at.line.empty())
                            log_(at.line);
                        });
  if (llvm::Error error = interrupt_.check()) {
    if (!report)
      llvm::consumeError(report.takeError());
    ErrorText text = takeError(std::move(error));
    return makeError(text.code,
                     "{0}; the measurements are kept for the next run",
                     text.message);
  }
  if (report) {
    report->stopped.reset(); // the budget stopped it
    report_.collected = std::move(*report);
    return llvm::Error::success();
  }
  ErrorText text = takeError(report.takeError());
  if (text.code == ErrorCode::ResourceLimit && budget_.until(kMeasuredAt) < 0.1)
    return budget_.tooShort("measure");
  return makeError(text.code, "{0}", text.message);
}

/// Reads the rows of all runs on machines of this class.
llvm::Expected<Samples> AutoRun::readData() {
  llvm::Expected<ColumnTable> table = readParquetFolder(data_);
  if (!table)
    return table.takeError();
  std::string here = machineClass(machine());
  std::vector<size_t> rows;
  if (const Column *arch = table->find("arch"))
    for (size_t i = 0; i < arch->texts.size(); ++i)
      if (arch->texts[i] == here)
        rows.push_back(i);
  return makeSamples(takeRows(*table, rows), kind_.op, kind_.dtype);
}

/// Trains a model into the staged folder.
llvm::Error AutoRun::trainOn(const Samples &samples) {
  TrainOptions training;
  training.mostSeconds = budget_.until(kTrainedAt);
  if (training.mostSeconds < kShortTraining)
    training.folds = 3;
  if (static_cast<int>(samples.groups.size()) < training.folds)
    return budget_.tooShort(
        llvm::formatv("measure the {0} problems that training needs",
                      training.folds)
            .str());
  if (base_) {
    training.warmStart = report_.base;
    training.keepsOthers = true;
    llvm::Expected<Model> whole = loadDescription(report_.base);
    if (!whole)
      return whole.takeError();
    std::erase_if(training.targets, [&](Target target) {
      return !whole->spec.targets.count(target);
    });
    if (samples.count() < kFewRows)
      training.leaves = 31;
  }
  if (training.mostSeconds < kShortestTraining && training.targets.size() > 1)
    training.targets.resize(1);
  auto trained = train(samples, set_.registryHash(), training,
                       staged_, log_);
  if (!trained)
    return trained.takeError();
  for (const TargetReport &target : *trained)
    report_.cutFits += target.cutFits;
  return llvm::Error::success();
}

llvm::Error AutoRun::checkAndInstall(const Samples &samples) {
  std::set<std::string> known;
  for (const Samples::Group &group : samples.groups)
    known.insert(group.key);
  llvm::Expected<PickCheck> check =
      checkPicks(set_, pool_, options_, staged_, known,
                 budget_.until(kCheckedAt), interrupt_);
  if (!check)
    return check.takeError();
  report_.check = std::move(*check);
  if (report_.check.overBefore.problems == 0)
    return budget_.tooShort("check the model");
  if (report_.check.isBetter()) {
    if (llvm::Error error = install(staged_, report_.target))
      return error;
    report_.installed = true;
  } else {
    llvm::sys::fs::remove_directories(staged_);
  }
  report_.seconds = budget_.passed();
  return llvm::Error::success();
}

llvm::Expected<AutoReport> AutoRun::run() {
  if (llvm::Error error = makeFolders())
    return error;
  findBase();
  if (llvm::Error error = collectMore())
    return error;
  llvm::Expected<Samples> samples = readData();
  if (!samples)
    return samples.takeError();
  if (llvm::Error error = trainOn(*samples))
    return error;
  if (llvm::Error error = checkAndInstall(*samples))
    return error;
  return std::move(report_);
}

llvm::Expected<AutoReport> select::makeModel(KernelSet &set,
                                             const AutoOptions &options,
                                             const Interrupt &interrupt,
                                             const AutoLog &log) {
  if (options.folder.empty())
    return makeError(ErrorCode::InvalidArgument,
                     "neither XDG_DATA_HOME nor HOME is set: name a folder for "
                     "the model by --out_dir");
  return AutoRun(set, options, interrupt, log).run();
}

llvm::json::Value AutoReport::toJson() const {
  return llvm::json::Object{
      {"model", target},
      {"op", op},
      {"base", base.empty() ? llvm::json::Value(nullptr) : base},
      {"collected", collected.toJson()},
      {"checked", check.overBefore.problems},
      {"checked_gflop", check.cap},
      {"before", check.before},
      {"over_before", check.overBefore.toJson()},
      {"over_analytic", check.overPlain.toJson()},
      {"cut_fits", cutFits},
      {"installed", installed},
      {"seconds", seconds}};
}

void AutoReport::print(llvm::raw_ostream &os, bool) const {
  os << llvm::formatv("collected: {0} rows over {1} problems; {2} measurements "
                      "are of earlier runs\n",
                      collected.rows, collected.problemsDone, collected.reused);
  if (cutFits > 0)
    os << "training was cut short " << cutFits
       << " times: a longer --budget makes a better model\n";
  auto figures = [](const Speedup &speedup) {
    return llvm::formatv("{0:f3}x ({1:f3} to {2:f3}, {3} picks differ)",
                         speedup.mean, speedup.low, speedup.high,
                         speedup.differing)
        .str();
  };
  os << llvm::formatv("checked on {0} unseen problems of up to {1:f3} GFLOP: "
                      "{2} {3}",
                      check.overBefore.problems, check.cap,
                      figures(check.overPlain), plainName(op));
  if (llvm::StringRef(check.before).starts_with("model"))
    os << ", " << figures(check.overBefore) << " what is installed ("
       << check.before << ")";
  os << llvm::formatv("; {0:f1} s in all\n", seconds);
  if (installed)
    os << "installed: '" << target << "'\n";
  else
    os << "not installed: what chooses now is as good or better, as far as "
          "these problems show; a further run adds measurements\n";
}

ExitCode AutoReport::exitCode() const {
  return installed ? ExitCode::Ok : ExitCode::CheckFailed;
}
