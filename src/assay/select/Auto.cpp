// The loop of `assay tune auto`. The model is trained into a staged folder,
// checked by the clock on problems that are in no data set, and renamed to its
// place only when it is better than the analytic choice.
#include "assay/select/Auto.h"
#include "assay/select/LightGbmText.h"
#include "assay/kernels/CostModel.h"
#include "assay/select/Features.h"
#include "assay/select/Parquet.h"
#include "assay/select/Search.h"
#include "assay/select/Trainer.h"
#include "assay/support/Random.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cmath>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

namespace {
/// Training and checks draw from streams of their own.
enum class Draw : uint32_t { Train = 0x6175, Check = 0x6368 };
} // namespace

/// Problems of all kinds up to `cap` GFLOP: sizes spread evenly in their
/// logarithms, every other one a multiple of 16. Far more than a budget
/// measures, so that every further run finds new ones.
static std::vector<Shape> drawShapes(double cap, uint64_t seed, Draw draw) {
  CounterRandom random(seed, static_cast<uint32_t>(draw));
  std::vector<Shape> shapes;
  for (uint64_t i = 0; shapes.size() < 10000 && i < 1000000; ++i) {
    Shape shape;
    int64_t *sizes[] = {&shape.m, &shape.n, &shape.k};
    for (int d = 0; d < 3; ++d) {
      auto size =
          static_cast<int64_t>(std::exp2(13 * random.uniform(4 * i + d)));
      *sizes[d] = i % 2 && size > 16 ? size / 16 * 16 : size;
    }
    if (shape.flops() <= cap * 1e9)
      shapes.push_back(shape);
  }
  return shapes;
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

static llvm::Expected<CollectReport>
collectMore(Registry &registry, ThreadPool &pool, const AutoOptions &options,
            const std::string &dataFolder, const Interrupt &interrupt,
            const AutoLog &log) {
  CollectOptions collection;
  collection.types = options.kind.types;
  collection.layout = options.kind.layout;
  collection.shapes = options.shapes.empty()
                          ? drawShapes(options.cap, options.seed, Draw::Train)
                          : options.shapes;
  collection.threads = options.threads;
  collection.output = dataFolder;
  collection.race.kernels = options.kernels;
  collection.race.seed = options.seed;
  collection.race.mostPairs = 30;
  collection.kernelsText = options.kernelsText;
  collection.budgetSeconds = options.budgetSeconds * 0.65;
  return collect(registry, pool, collection, interrupt,
                 [&](const CollectProgress &at) {
                   if (!at.line.empty())
                     log(at.line);
                 });
}

/// Trains on the rows of all runs on machines of this class.
static llvm::Error trainOn(const std::string &dataFolder, Registry &registry,
                           const AutoOptions &options,
                           const std::string &staged, const AutoLog &log) {
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
  auto trained = train(*samples, kernels, TrainOptions(), staged, log);
  return trained ? llvm::Error::success() : trained.takeError();
}

/// The mean efficiencies of the model's and the analytic picks on problems that
/// are in no data set.
static llvm::Error check(Registry &registry, ThreadPool &pool,
                         const AutoOptions &options, const std::string &folder,
                         const Interrupt &interrupt, AutoReport &report) {
  auto model = openModel(folder, registry);
  if (!model)
    return model.takeError();
  std::unique_ptr<Selector> analytic = makeAnalyticSelector(registry);
  RaceOptions race;
  race.kernels = {false, 120};
  race.mostPairs = 30;
  Interrupt budget;
  budget.setTimeLimit(std::max(5.0, options.budgetSeconds * 0.2));
  for (const Shape &shape :
       drawShapes(options.cap, options.seed, Draw::Check)) {
    if (llvm::Error error = budget.check()) {
      llvm::consumeError(std::move(error));
      break;
    }
    GemmProblem problem = GemmProblem::make(
        options.kind.types, options.kind.layout, shape.m, shape.n, shape.k, 1,
        options.threads[report.checked % options.threads.size()]);
    std::optional<RankedKernel> pick = (*model)->best(problem);
    if (!pick)
      continue;
    auto row =
        validateProblem(registry, pool, problem, options.kind.types,
                        options.kind.layout, (*model)->configs()[pick->kernel],
                        analytic->choose(problem), race, interrupt);
    if (!row)
      return row.takeError();
    report.learned += row->learnedEfficiency;
    report.analytic += row->analyticEfficiency;
    ++report.checked;
  }
  if (report.checked == 0)
    return makeError(ErrorCode::ResourceLimit,
                     "--budget {0} left no time to check the model",
                     options.budgetSeconds);
  report.learned /= static_cast<double>(report.checked);
  report.analytic /= static_cast<double>(report.checked);
  return llvm::Error::success();
}

llvm::Expected<AutoReport> select::makeModel(Registry &registry,
                                             const AutoOptions &options,
                                             const Interrupt &interrupt,
                                             const AutoLog &log) {
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
  auto collected = collectMore(registry, pool, options, data, interrupt, log);
  if (!collected)
    return collected.takeError();
  report.collected = std::move(*collected);
  if (report.collected.stopped)
    return makeError(report.collected.stopped->code,
                     "{0}; the measurements are kept for the next run",
                     report.collected.stopped->message);
  if (llvm::Error error = trainOn(data, registry, options, staged, log))
    return error;
  if (llvm::Error error =
          check(registry, pool, options, staged, interrupt, report))
    return error;
  if (report.learned < report.analytic)
    return report;
  if (llvm::Error error = install(staged, report.target))
    return error;
  report.installed = true;
  return report;
}

llvm::json::Value AutoReport::toJson() const {
  return llvm::json::Object{
      {"model", target},      {"collected", collected.toJson()},
      {"checked", checked},   {"learned", learned},
      {"analytic", analytic}, {"installed", installed}};
}

void AutoReport::print(llvm::raw_ostream &os, bool) const {
  os << llvm::formatv("collected: {0} rows over {1} problems; {2} measurements "
                      "are of earlier runs\n",
                      collected.rows, collected.problemsDone, collected.reused);
  os << llvm::formatv(
      "checked on {0} unseen problems: learned {1:P2}, analytic {2:P2}\n",
      checked, learned, analytic);
  if (installed)
    os << "installed: '" << target << "'\n";
  else
    os << "not installed: the analytic choice is better on this machine; a "
          "further run adds measurements\n";
}

ExitCode AutoReport::exitCode() const {
  return installed ? ExitCode::Ok : ExitCode::CheckFailed;
}
