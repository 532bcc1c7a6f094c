// `assay tune collect`: measures kernels over a list of problems and writes the
// data set.
#include "Tune.h"
#include "assay/select/CollectRun.h"
#include "assay/support/Progress.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace assay;
using namespace assay::tools;
using namespace assay::select;

static llvm::json::Value toJson(const CollectReport &r) {
  return llvm::json::Object{{"output", r.path},
                            {"rows", r.rows},
                            {"valid", r.valid},
                            {"noisy", r.noisy},
                            {"failures", r.failures},
                            {"problems_done", r.problemsDone},
                            {"problems_left", r.problemsLeft},
                            {"reused", r.reused},
                            {"seconds", r.seconds},
                            {"noise_floor", r.noiseFloor}};
}

namespace {
struct CollectFlags {
  KernelFlags kernels;
  LimitFlags limits;
  std::string shapes, output, choice = "all", threads, json;
  double budget = 0, cap = 0;
  bool resume = false, verify = false, quiet = false;
  int pairs = 100;
};
} // namespace

static void addFlags(CLI::App &app, CollectFlags &flags) {
  flags.kernels.add(app);
  app.add_option("--shapes", flags.shapes,
                 "CSV with the header m,n,k or m,n,k,batch")
      ->required();
  app.add_option("-o,--output", flags.output,
                 "Parquet file, or a folder for one more file")
      ->required();
  app.add_option(
         "--kernels", flags.choice,
         "all, sample:N (half the analytic model's best, half at random), or "
         "active (64 so, then neighbours of the best)")
      ->capture_default_str();
  app.add_option(
      "--threads", flags.threads,
      "numbers of threads, such as 1,2 (default: one, and all cores)");
  app.add_option("--budget", flags.budget,
                 "seconds; the problem that is begun is finished")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--cap", flags.cap,
                 "leave out problems of more GFLOP than this")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--pairs", flags.pairs, "most pairs of one measurement")
      ->capture_default_str()
      ->check(CLI::Range(3, 10000));
  app.add_flag("--resume", flags.resume, "go on with a run that was killed");
  app.add_flag(
      "--verify", flags.verify,
      "check every micro-kernel anew instead of trusting cached verdicts");
  app.add_option("--json", flags.json,
                 "the report as JSON; - for standard output");
  app.add_flag("--quiet", flags.quiet, "no lines per problem");
  flags.limits.add(app);
}

static llvm::Expected<CollectOptions> makeOptions(CollectFlags &flags) {
  if (llvm::Error error = flags.kernels.check())
    return error;
  CollectOptions options;
  llvm::Expected<KernelChoice> choice = parseKernelChoice(flags.choice);
  if (!choice)
    return choice.takeError();
  llvm::Expected<std::vector<Shape>> shapes = readShapes(flags.shapes);
  if (!shapes)
    return shapes.takeError();
  llvm::Expected<std::vector<int>> threads = parseThreadList(flags.threads);
  if (!threads)
    return threads.takeError();
  if (flags.cap > 0)
    llvm::erase_if(*shapes, [&](const Shape &shape) {
      return shape.flops() > flags.cap * 1e9;
    });
  if (shapes->empty())
    return makeError(ErrorCode::InvalidArgument,
                     "--cap {0} leaves out every shape of '{1}'", flags.cap,
                     flags.shapes);
  options.types = flags.kernels.types;
  options.layout = flags.kernels.parsedLayout;
  options.shapes = std::move(*shapes);
  options.threads = std::move(*threads);
  options.output = flags.output;
  options.race.kernels = *choice;
  options.race.seed = flags.limits.seed;
  options.race.mostPairs = flags.pairs;
  options.kernelsText = flags.choice;
  options.budgetSeconds = flags.budget;
  options.resume = flags.resume;
  return options;
}

ExitCode tools::tuneCollect(llvm::ArrayRef<const char *> arguments) {
  CLI::App app("Measures kernels over a list of problems, each as the median "
               "ratio to an anchor kernel run in turns, and\n"
               "writes them as Parquet. Failures are rows with a reason. A "
               "killed run goes on with --resume.\n\n"
               "examples:\n"
               "  assay tune collect --dtype f32 --layout rcr --shapes "
               "shapes.csv -o data/run1.parquet --budget 600\n"
               "  assay tune collect --shapes shapes.csv --kernels sample:200 "
               "--threads 1,2 -o data/run1.parquet --resume");
  CollectFlags flags;
  addFlags(app, flags);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  llvm::Expected<CollectOptions> options = makeOptions(flags);
  if (!options)
    return reportError(options.takeError());
  kernels::Registry::Options registryOptions;
  registryOptions.diskCache = !flags.verify;
  kernels::Registry registry(registryOptions);
  ThreadPool pool(
      *std::max_element(options->threads.begin(), options->threads.end()));
  Progress progress(
      "collect",
      static_cast<int64_t>(options->shapes.size() * options->threads.size()),
      flags.quiet);
  llvm::Expected<CollectReport> report =
      collect(registry, pool, *options, flags.limits.interrupt(),
              [&](int64_t done, int64_t, llvm::StringRef line) {
                progress.update(done, line);
                if (!flags.quiet && flags.json != "-")
                  llvm::outs() << line << "\n";
              });
  progress.finish();
  printNotes(registry);
  if (!report)
    return reportError(report.takeError());
  if (!flags.json.empty())
    if (llvm::Error error = writeJson(flags.json, toJson(*report)))
      return reportError(std::move(error));
  if (flags.json != "-")
    llvm::outs() << llvm::formatv(
        "collected: {0} rows ({1} valid, {2} noisy, {3} failed) over {4} "
        "problems, {5} left, in "
        "{6:f1} s; noise floor {7:P2}; written to '{8}'\n",
        report->rows, report->valid, report->noisy, report->failures,
        report->problemsDone, report->problemsLeft, report->seconds,
        report->noiseFloor, report->path);
  return report->interrupted && Interrupt::requested() ? ExitCode::Interrupted
                                                       : ExitCode::Ok;
}
