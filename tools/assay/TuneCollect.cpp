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
                            {"problems_kept", r.problemsKept},
                            {"reused", r.reused},
                            {"seconds", r.seconds},
                            {"noise_floor", r.noiseFloor}};
}

/// A line per problem, out at once: whoever reads the output sees each.
static void print(const CollectProgress &at) {
  std::string left =
      at.secondsLeft < 0
          ? ""
          : llvm::formatv(", about {0:F0} s left", at.secondsLeft).str();
  if (at.line.empty())
    llvm::outs() << llvm::formatv("{0} problems to measure{1}\n", at.of, left);
  else
    llvm::outs() << llvm::formatv("{0} of {1}{2}  {3}\n", at.done, at.of, left,
                                  at.line);
  llvm::outs().flush();
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
  app.add_flag("--resume", flags.resume,
               "go on with what the output holds (it always does; kept for "
               "scripts)");
  app.add_flag(
      "--verify", flags.verify,
      "check every micro-kernel again instead of trusting cached verdicts");
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
  return options;
}

ExitCode tools::tuneCollect(llvm::ArrayRef<const char *> arguments) {
  CLI::App app(
      "Measures kernels over a list of problems, each as the median "
      "ratio to an anchor kernel run in turns, and\n"
      "adds them to a Parquet file. Failures are rows with a reason. A "
      "file only grows: however a run ended (budget,\n"
      "Ctrl-C, kill, full disk), the same command goes on where it "
      "stopped, and other shapes or threads are added.\n\n"
      "examples:\n"
      "  assay tune collect --dtype f32 --layout rcr --shapes "
      "shapes.csv -o data/run1.parquet --budget 600\n"
      "  assay tune collect --shapes shapes.csv --kernels sample:200 "
      "--threads 1,2 -o data/run1.parquet");
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
  std::unique_ptr<Progress> progress;
  llvm::Expected<CollectReport> report =
      collect(registry, pool, *options, flags.race.limits.interrupt(),
              [&](const CollectProgress &at) {
                if (!progress)
                  progress = std::make_unique<Progress>("collect", at.of,
                                                        flags.race.quiet);
                progress->update(at.done, at.line);
                if (!flags.race.quiet && flags.race.json != "-")
                  print(at);
              });
  progress.reset();
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
        "{6:f1} s; noise floor {7:P2}; written to '{8}'{9}\n",
        report->rows, report->valid, report->noisy, report->failures,
        report->problemsDone, report->problemsLeft, report->seconds,
        report->noiseFloor, report->path,
        report->reused == 0
            ? std::string()
            : llvm::formatv(", which held {0} measurements", report->reused)
                  .str());
  if (!report->stopped)
    return ExitCode::Ok;
  return reportError(makeError(report->stopped->code,
                               "{0}; {1} problems are left, the same command "
                               "goes on with them",
                               report->stopped->message, report->problemsLeft));
}
