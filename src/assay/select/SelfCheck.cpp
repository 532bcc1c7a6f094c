// A pair of picks is timed like any two kernels: alternately, by the median of
// the ratios of adjacent runs. Results are in the user's data folder, with one
// file for each model, machine class and list of kernels, so that machines that
// share a home have separate ones.
#include "assay/select/SelfCheck.h"
#include "assay/select/ModelSurvey.h"
#include "assay/select/Search.h"
#include "assay/support/Progress.h"
#include "assay/support/Table.h"
#include "assay/support/UserFolder.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

#include <chrono>
#include <cmath>
#include <ctime>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

/// The GFLOP of the largest problem that is drawn.
static constexpr double kMostGflop = 0.5;
static constexpr uint32_t kStream = 0x7363;

std::string Speedup::text(llvm::StringRef over) const {
  return llvm::formatv("{0:f2}x {1} over {2} problems ({3:f2} to {4:f2}), {5}",
                       mean, over, problems, low, high, date)
      .str();
}

/// The file with the result for a model on this machine; empty if there is no
/// model, or no home.
static std::string recordOf(llvm::StringRef folder, const Registry &registry) {
  auto manifest = llvm::MemoryBuffer::getFile(folder + "/feature_spec.json");
  llvm::Expected<Model> model = loadDescription(folder);
  if (!manifest || !model) {
    if (!model)
      llvm::consumeError(model.takeError());
    return "";
  }
  std::optional<std::string> list = listHashFor(*model, registry);
  if (!list)
    return "";
  std::string all = (*manifest)->getBuffer().str() + "\n" +
                    machineClass(registry.machine()) + "\n" + *list;
  for (const auto &[target, hash] : model->spec.targets)
    if (auto trees = llvm::MemoryBuffer::getFile(folder + "/model_" +
                                                 toString(target) + ".lgbm.gz"))
      all += llvm::utohexstr(llvm::xxh3_64bits((*trees)->getBuffer()));
  llvm::SmallString<256> path(userDataFolder());
  if (path.empty())
    return "";
  llvm::sys::path::append(path, "checks",
                          llvm::utohexstr(llvm::xxh3_64bits(all), true, 16) +
                              ".json");
  return path.str().str();
}

std::optional<Speedup> select::knownSpeedup(llvm::StringRef folder,
                                            const Registry &registry) {
  std::string path = recordOf(folder, registry);
  if (path.empty() || !llvm::sys::fs::exists(path))
    return std::nullopt;
  llvm::Expected<llvm::json::Object> json = readJsonFile(path);
  if (!json) { // a damaged record is ignored
    llvm::consumeError(json.takeError());
    return std::nullopt;
  }
  Speedup speedup;
  std::optional<double> mean = json->getNumber("speedup"),
                        low = json->getNumber("low"),
                        high = json->getNumber("high");
  if (!mean || !low || !high)
    return std::nullopt;
  speedup.mean = *mean, speedup.low = *low, speedup.high = *high;
  speedup.problems = json->getInteger("problems").value_or(0);
  speedup.differing = json->getInteger("differing").value_or(0);
  speedup.date = json->getString("date").value_or("").str();
  return speedup;
}

llvm::json::Object Speedup::toJson() const {
  return llvm::json::Object{{"speedup", mean},
                            {"low", low},
                            {"high", high},
                            {"problems", problems},
                            {"differing", differing},
                            {"date", date},
                            {"ratios", llvm::json::Array(ratios)},
                            {"serves", serves()}};
}

llvm::Error select::keepSpeedup(llvm::StringRef folder,
                                const Registry &registry,
                                const Speedup &speedup) {
  std::string path = recordOf(folder, registry);
  if (path.empty())
    return userDataFolder().empty()
               ? makeError(ErrorCode::InvalidArgument,
                           "neither XDG_DATA_HOME nor HOME is set: nowhere to "
                           "keep what was measured")
               : makeError(ErrorCode::NotFound, "'{0}' holds no model", folder);
  llvm::StringRef parent = llvm::sys::path::parent_path(path);
  if (std::error_code code = llvm::sys::fs::create_directories(parent))
    return makeError(ErrorCode::InvalidArgument,
                     "cannot make the folder '{0}': {1}", parent,
                     code.message());
  llvm::json::Object json = speedup.toJson();
  json["model"] = folder.str();
  json["machine"] = machineClass(registry.machine());
  return writeJsonFile(path, std::move(json));
}

/// The greatest distance, in standard errors, of a mean of `count` values from
/// the true mean in 95 of 100 samples: Student's quantile.
static double reachOf(double count) {
  static constexpr double kFew[] = {12.706, 4.303, 3.182, 2.776, 2.571,
                                    2.447,  2.365, 2.306, 2.262, 2.228};
  double degrees = count - 1;
  if (degrees <= static_cast<double>(std::size(kFew)))
    return kFew[static_cast<size_t>(degrees) - 1];
  return 1.95996 + 2.372 / degrees + 2.823 / (degrees * degrees);
}

Speedup select::summarizeRatios(llvm::ArrayRef<double> ratios) {
  Speedup speedup;
  auto count = static_cast<double>(ratios.size());
  double sum = 0, squares = 0;
  for (double ratio : ratios)
    sum += std::log(ratio);
  double mean = sum / count;
  for (double ratio : ratios)
    squares += (std::log(ratio) - mean) * (std::log(ratio) - mean);
  double spread =
      count > 1 ? reachOf(count) * std::sqrt(squares / (count - 1) / count) : 0;
  speedup.ratios = ratios.vec();
  speedup.mean = std::exp(mean);
  speedup.low = std::exp(mean - spread);
  speedup.high = std::exp(mean + spread);
  speedup.problems = static_cast<int64_t>(ratios.size());
  speedup.differing =
      llvm::count_if(ratios, [](double ratio) { return ratio != 1.0; });
  std::time_t now = std::time(nullptr);
  char date[16] = "";
  std::strftime(date, sizeof(date), "%Y-%m-%d", std::gmtime(&now));
  speedup.date = date;
  return speedup;
}

namespace {
/// Checks the problems of one model, one after the other.
class Check {
public:
  Check(KernelSet &set, KernelModel &model, const SelfCheckOptions &options,
        const Interrupt &interrupt)
      : set_(set), model_(model), options_(options),
        interrupt_(interrupt), pool_(*llvm::max_element(options.threads)) {}

  llvm::Expected<Speedup> run(double seconds, Progress &progress);

private:
  /// The time of the plain pick over that of the model's pick; nullopt if one
  /// of them is missing.
  llvm::Expected<std::optional<double>> ratioOf(const ProblemRef &problem);

  KernelSet &set_;
  KernelModel &model_;
  const SelfCheckOptions &options_;
  const Interrupt &interrupt_;
  ThreadPool pool_;
};
} // namespace

llvm::Expected<std::optional<double>>
Check::ratioOf(const ProblemRef &problem) {
  std::optional<RankedKernel> best = model_.best(*problem);
  int32_t plain = set_.plain(*problem);
  if (!best || plain < 0)
    return std::nullopt;
  if (best->kernel == plain)
    return 1.0;
  auto timed = timePicks(set_, pool_, problem, {plain, best->kernel},
                         {/*mostPairs=*/15, options_.seed}, interrupt_);
  if (!timed)
    return timed.takeError();
  if (timed->size() != 2)
    return std::nullopt; // one of the two does not run here
  return (*timed)[0].ratio / (*timed)[1].ratio;
}

llvm::Expected<Speedup> Check::run(double seconds, Progress &progress) {
  auto start = std::chrono::steady_clock::now();
  std::vector<double> ratios;
  size_t at = 0;
  for (const ProblemRef &drawn :
       set_.drawAsked(kMostGflop, options_.seed, kStream)) {
    double passed =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    auto done = static_cast<int64_t>(ratios.size());
    if (done == options_.mostProblems || (done > 0 && passed > seconds))
      break;
    if (llvm::Error error = interrupt_.check())
      return error;
    ProblemRef problem =
        drawn->onThreads(options_.threads[at++ % options_.threads.size()]);
    llvm::Expected<std::optional<double>> ratio = ratioOf(problem);
    if (!ratio)
      return ratio.takeError();
    if (!*ratio)
      continue;
    ratios.push_back(**ratio);
    progress.update(done + 1, problem->title());
  }
  if (ratios.empty())
    return makeError(ErrorCode::ResourceLimit,
                     "no problem could be checked: the model has no kernel "
                     "that runs here");
  return summarizeRatios(ratios);
}

/// Checks one model, with its own kernels and the choice among them without a
/// model.
static llvm::Expected<SelfCheckReport::Row>
checkModel(SetOf setOf, const std::string &folder, double seconds,
           const SelfCheckOptions &options, const Interrupt &interrupt,
           Progress &progress) {
  auto set = setOf(folder);
  if (!set)
    return set.takeError();
  auto model = openIn(**set, folder);
  if (!model)
    return model.takeError();
  Check check(**set, **model, options, interrupt);
  llvm::Expected<Speedup> speedup = check.run(seconds, progress);
  if (!speedup)
    return speedup.takeError();
  if (llvm::Error error = keepSpeedup(folder, (*set)->registry(), *speedup))
    return error;
  return SelfCheckReport::Row{folder, (*model)->foreign(),
                              (*set)->space().plainName().str(),
                              std::move(*speedup)};
}

llvm::Expected<SelfCheckReport>
select::checkModels(SetOf setOf, llvm::ArrayRef<std::string> folders,
                    const SelfCheckOptions &options, const Interrupt &interrupt,
                    bool quiet) {
  SelfCheckReport report;
  Progress progress(
      "check",
      options.mostProblems *
          static_cast<int64_t>(std::max<size_t>(1, folders.size())),
      quiet);
  for (const std::string &folder : folders) {
    auto row =
        checkModel(setOf, folder,
                   options.budgetSeconds / static_cast<double>(folders.size()),
                   options, interrupt, progress);
    if (!row)
      return row.takeError();
    report.rows.push_back(std::move(*row));
  }
  progress.finish();
  return report;
}

std::vector<std::string> select::foreignModels(const Registry &registry) {
  std::vector<std::string> folders;
  for (const FoundModel &found : surveyModels(registry, modelFolders())) {
    llvm::Expected<Model> model = loadDescription(found.folder);
    if (!model)
      llvm::consumeError(model.takeError());
    else if (!foreignness(*model, registry).empty())
      folders.push_back(found.folder);
  }
  llvm::sort(folders);
  return folders;
}

llvm::json::Value SelfCheckReport::toJson() const {
  llvm::json::Array models;
  for (const Row &row : rows) {
    llvm::json::Object json = row.speedup.toJson();
    json["model"] = row.folder;
    json["foreign"] = row.foreign;
    json["over"] = row.over;
    models.push_back(std::move(json));
  }
  return llvm::json::Object{{"models", std::move(models)}};
}

void SelfCheckReport::print(llvm::raw_ostream &os, bool) const {
  for (const Row &row : rows)
    os << "checked: '" << row.folder << "': " << row.speedup.text(row.over)
       << ", " << row.speedup.differing << " picks differ: "
       << (row.speedup.serves() ? "it serves on this machine from now on"
                                : row.over + " stays")
       << "\n";
}
