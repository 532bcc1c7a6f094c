// `assay tune auto`: collect, train, validate and install a model for this
// machine, in one command.
#include "Tune.h"
#include "assay/kernels/CostModel.h"
#include "assay/select/CollectRun.h"
#include "assay/select/Features.h"
#include "assay/select/Metrics.h"
#include "assay/select/Parquet.h"
#include "assay/select/Search.h"
#include "assay/select/Trainer.h"
#include "assay/support/Random.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace assay;
using namespace assay::tools;
using namespace assay::select;

namespace {
struct AutoFlags {
  KernelFlags kernels;
  LimitFlags limits;
  std::string shapes, threads, outDir, choice = "sample:120";
  double budget = 900, cap = 1;
  bool quiet = false;
};
} // namespace

/// Problems of all kinds up to `cap` GFLOP: sizes spread evenly in their
/// logarithms, every other one a multiple of 16.
/// Far more than a budget measures, so that every further run finds new ones.
/// Training and checks draw from streams of their own.
enum class Draw : uint32_t { Train = 0x6175, Check = 0x6368 };
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

/// The rows that were measured on machines of this class.
static ColumnTable rowsOfClass(const ColumnTable &table,
                               const std::string &machineClass) {
  std::vector<size_t> rows;
  if (const Column *arch = table.find("arch"))
    for (size_t i = 0; i < arch->texts.size(); ++i)
      if (arch->texts[i] == machineClass)
        rows.push_back(i);
  return takeRows(table, rows);
}

static std::string inside(llvm::StringRef folder, const llvm::Twine &name) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

/// Replaces the installed folder by the staged one; the old one is put aside
/// until the new one stands.
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

/// The mean efficiencies of the model's and the analytic picks on problems that
/// are in no data set.
static llvm::Expected<std::pair<double, double>>
check(const AutoFlags &flags, kernels::Registry &registry, ThreadPool &pool,
      const std::string &folder, llvm::ArrayRef<int> threads) {
  llvm::Expected<Model> model = loadModel(folder);
  if (!model)
    return model.takeError();
  auto kernelModel = KernelModel::create(std::move(*model), registry);
  if (!kernelModel)
    return kernelModel.takeError();
  std::unique_ptr<kernels::Selector> analytic =
      kernels::makeAnalyticSelector(registry);
  RaceOptions race;
  race.kernels = {false, 120};
  race.mostPairs = 30;
  Interrupt interrupt = flags.limits.interrupt(), budget;
  budget.setTimeLimit(std::max(5.0, flags.budget * 0.2));
  double learned = 0, plain = 0;
  int count = 0;
  for (const Shape &shape :
       drawShapes(flags.cap, flags.limits.seed, Draw::Check)) {
    if (llvm::Error error = budget.check()) {
      llvm::consumeError(std::move(error));
      break;
    }
    kernels::GemmProblem problem = kernels::GemmProblem::make(
        flags.kernels.types, flags.kernels.parsedLayout, shape.m, shape.n,
        shape.k, 1, threads[count % threads.size()]);
    std::optional<RankedKernel> pick = (*kernelModel)->best(problem);
    if (!pick)
      continue;
    auto row = validateProblem(registry, pool, problem, flags.kernels.types,
                               flags.kernels.parsedLayout,
                               (*kernelModel)->configs()[pick->kernel],
                               analytic->choose(problem), race, interrupt);
    if (!row)
      return row.takeError();
    learned += row->learnedEfficiency;
    plain += row->analyticEfficiency;
    ++count;
  }
  if (count == 0)
    return makeError(ErrorCode::ResourceLimit,
                     "--budget {0} left no time to check the model",
                     flags.budget);
  llvm::outs() << llvm::formatv(
      "checked on {0} unseen problems: learned {1:P2}, analytic {2:P2}\n",
      count, learned / count, plain / count);
  return std::pair(learned / count, plain / count);
}

ExitCode tools::tuneAuto(llvm::ArrayRef<const char *> arguments) {
  CLI::App app("Makes a model for this machine: collects measurements, trains, "
               "checks the picks on unseen problems, and installs\n"
               "the model when it is better than the analytic choice. "
               "Measurements add up: every further run trains on those\n"
               "of all runs before.\n\n"
               "examples:\n"
               "  assay tune auto --budget 1200\n"
               "  assay tune auto --dtype bf16 --layout rrr --budget 600 "
               "--out_dir mymodels");
  AutoFlags flags;
  flags.kernels.add(app);
  app.add_option("--budget", flags.budget,
                 "seconds, about; most of them for measuring")
      ->capture_default_str()
      ->check(CLI::Range(5.0, 1e6));
  app.add_option("--shapes", flags.shapes,
                 "CSV of problems (default: drawn at random)");
  app.add_option("--kernels", flags.choice,
                 "kernels of each problem: all, active or sample:N")
      ->capture_default_str();
  app.add_option(
      "--threads", flags.threads,
      "numbers of threads, such as 1,2 (default: one, and all cores)");
  app.add_option("--cap", flags.cap,
                 "leave out problems of more GFLOP than this")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option(
      "--out_dir,--out-dir", flags.outDir,
      "where models are installed (default: the user's data folder)");
  app.add_flag("--quiet", flags.quiet, "no lines per problem");
  flags.limits.add(app);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  if (llvm::Error error = flags.kernels.check())
    return reportError(std::move(error));
  llvm::Expected<KernelChoice> choice = parseKernelChoice(flags.choice);
  if (!choice)
    return reportError(choice.takeError());
  llvm::Expected<std::vector<int>> threads = parseThreadList(flags.threads);
  if (!threads)
    return reportError(threads.takeError());
  CollectOptions options;
  if (flags.shapes.empty()) {
    options.shapes = drawShapes(flags.cap, flags.limits.seed, Draw::Train);
  } else {
    llvm::Expected<std::vector<Shape>> shapes = readShapes(flags.shapes);
    if (!shapes)
      return reportError(shapes.takeError());
    llvm::copy_if(
        *shapes, std::back_inserter(options.shapes),
        [&](const Shape &shape) { return shape.flops() <= flags.cap * 1e9; });
  }
  std::string root = flags.outDir.empty() ? userModelFolder() : flags.outDir;
  std::string name = "gemm_" + flags.kernels.dtype + "_" + flags.kernels.layout;
  std::string target = inside(root, name), staged = inside(root, name + ".new"),
              data = inside(root, name + ".data");
  for (const std::string &folder : {staged, data})
    if (std::error_code code = llvm::sys::fs::create_directories(folder))
      return reportError(makeError(ErrorCode::InvalidArgument,
                                   "cannot make the folder '{0}': {1}", folder,
                                   code.message()));

  options.types = flags.kernels.types;
  options.layout = flags.kernels.parsedLayout;
  options.threads = *threads;
  options.output = data;
  options.race.kernels = *choice;
  options.race.seed = flags.limits.seed;
  options.race.mostPairs = 30;
  options.kernelsText = flags.choice;
  options.budgetSeconds = flags.budget * 0.65;
  kernels::Registry registry;
  ThreadPool pool(*std::max_element(threads->begin(), threads->end()));
  llvm::Expected<CollectReport> collected =
      collect(registry, pool, options, flags.limits.interrupt(),
              [&](const CollectProgress &at) {
                if (!flags.quiet && !at.line.empty())
                  llvm::outs() << at.line << "\n";
                llvm::outs().flush();
              });
  if (!collected)
    return reportError(collected.takeError());
  if (Interrupt::requested())
    return ExitCode::Interrupted;
  llvm::outs() << llvm::formatv("collected: {0} rows over {1} problems; {2} "
                                "measurements are of earlier runs\n",
                                collected->rows, collected->problemsDone,
                                collected->reused);
  llvm::Expected<ColumnTable> table = readParquetFolder(data);
  if (!table)
    return reportError(table.takeError());
  llvm::Expected<Samples> samples =
      makeSamples(rowsOfClass(*table, machineClass(registry.machine())), "gemm",
                  flags.kernels.dtype);
  if (!samples)
    return reportError(samples.takeError());
  llvm::Expected<std::vector<TargetReport>> trained = train(
      *samples, registryHash(registry.enumerate(options.types, options.layout)),
      TrainOptions(), staged,
      [&](const std::string &line) { llvm::outs() << line << "\n"; });
  if (!trained)
    return reportError(trained.takeError());
  llvm::Expected<std::pair<double, double>> quality =
      check(flags, registry, pool, staged, *threads);
  if (!quality)
    return reportError(quality.takeError());
  printNotes(registry);
  if (quality->first < quality->second) {
    llvm::outs() << "not installed: the analytic choice is better on this "
                    "machine; a larger --budget gives a better model\n";
    return ExitCode::CheckFailed;
  }
  if (llvm::Error error = install(staged, target))
    return reportError(std::move(error));
  llvm::outs() << "installed: '" << target << "'\n";
  return ExitCode::Ok;
}
