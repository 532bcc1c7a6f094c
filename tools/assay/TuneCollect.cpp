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
  RaceFlags race{"all", 100};
  std::string output;
  bool resume = false, verify = false;
};
} // namespace

static void addFlags(CLI::App &app, CollectFlags &flags) {
  flags.kernels.add(app);
  app.add_option("-o,--output", flags.output,
                 "Parquet file, or a folder for one more file")
      ->required();
  flags.race.add(app);
  app.add_flag("--resume", flags.resume, "go on with a run that was killed");
  app.add_flag(
      "--verify", flags.verify,
      "check every micro-kernel anew instead of trusting cached verdicts");
}

static llvm::Expected<CollectOptions> makeOptions(CollectFlags &flags) {
  if (llvm::Error error = flags.kernels.check())
    return error;
  llvm::Expected<RaceFlags::Parsed> parsed = flags.race.parse();
  if (!parsed)
    return parsed.takeError();
  CollectOptions options;
  options.types = flags.kernels.types;
  options.layout = flags.kernels.parsedLayout;
  options.shapes = std::move(parsed->shapes);
  options.threads = std::move(parsed->threads);
  options.output = flags.output;
  options.race = parsed->race;
  options.kernelsText = flags.race.choice;
  options.budgetSeconds = flags.race.budget;
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
      flags.race.quiet);
  llvm::Expected<CollectReport> report =
      collect(registry, pool, *options, flags.race.limits.interrupt(),
              [&](int64_t done, int64_t, llvm::StringRef line) {
                progress.update(done, line);
                if (!flags.race.quiet && flags.race.json != "-")
                  llvm::outs() << line << "\n";
              });
  progress.finish();
  printNotes(registry);
  if (!report)
    return reportError(report.takeError());
  if (!flags.race.json.empty())
    if (llvm::Error error = writeJson(flags.race.json, toJson(*report)))
      return reportError(std::move(error));
  if (flags.race.json != "-")
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
