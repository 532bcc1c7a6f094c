// `assay tune collect`: measures kernels on a list of problems and writes the
// data set.
#include "Ranks.h"
#include "TuneChoices.h"
#include "assay/ranks/Sharing.h"
#include "assay/select/CollectRun.h"
#include "assay/support/Progress.h"

using namespace assay;
using namespace assay::tools;
using namespace assay::select;

static constexpr const char *kHelp =
    R"(Measures kernels over a list of problems, each as the median ratio to an anchor kernel run alternately, and
adds them to a Parquet file. Failures are rows with a reason. A file only grows: however a run ended (budget,
Ctrl-C, kill, full disk), the same command continues where it stopped, and other shapes or threads are added.
Under mpirun the ranks share the problems, ideally one rank per machine of one class; those of one machine take turns.

examples:
  assay tune collect --dtype f32 --layout rcr --shapes shapes.csv -o data/run1.parquet --budget 600
  assay tune collect --op conv_fwd --shapes layers.txt --threads 1 -o layers.parquet
  assay tune collect --shapes shapes.csv --kernels sample:200 --threads 1,2 -o data/run1.parquet
  mpirun --host a,b,c assay tune collect --shapes shapes.csv -o shared/run1.parquet)";

/// Collects on the ranks of a launcher together; one of them reports.
static ExitCode collectShared(const RaceFlags &race,
                              const CollectOptions &options,
                              KernelSet &set, ThreadPool &pool,
                              const CollectSink &say, ranks::RankBoard &board) {
  llvm::Expected<std::optional<CollectReport>> report = collectOnRanks(
      set, pool, options, race.common.interrupt(), say, board);
  if (report && !*report)
    return ExitCode::Ok;
  ExitCode code =
      report
          ? show(race.common,
                 llvm::Expected<CollectReport>(std::move(**report)),
                 set.registry())
          : reportError(report.takeError());
  llvm::outs().flush();
  ranks::closeReport(board);
  return code;
}

ExitCode tools::tuneCollect(llvm::ArrayRef<const char *> arguments) {
  CLI::App app(kHelp);
  KernelFlags kernelFlags;
  RaceFlags race("all", 100);
  CollectOptions options;
  bool resume = false, verify = false;
  kernelFlags.add(app);
  app.add_option("-o,--output", options.output,
                 "Parquet file, or a folder for a file of these settings")
      ->check(fileOrFolder("FILE.parquet"))
      ->required();
  race.add(app);
  app.add_flag("--resume", resume,
               "continue with what the output holds (as without this flag)");
  app.add_flag("--verify", verify,
               "check every micro-kernel again instead of trusting cached "
               "verdicts");
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  kernels::Registry::Options registryOptions;
  registryOptions.diskCache = !verify;
  KernelSets kernels(registryOptions);
  auto set = kernelFlags.set(kernels.context());
  if (!set)
    return reportError(set.takeError());
  auto list = race.list();
  if (!list)
    return reportError(list.takeError());
  auto problems = race.problems(**set);
  if (!problems)
    return reportError(problems.takeError());
  options.problems = onThreads(*problems, list->threads);
  options.race = list->race;
  options.kernelsText = race.choice;
  options.budgetSeconds = list->budgetSeconds;
  llvm::Expected<JoinedRanks> joined = joinRanks("tune collect", arguments);
  if (!joined)
    return reportError(joined.takeError());
  if (joined->code)
    return *joined->code;
  ThreadPool pool(list->mostThreads());
  std::unique_ptr<Progress> progress;
  auto say = [&](const CollectProgress &at) {
    if (!progress)
      progress =
          std::make_unique<Progress>("collect", at.of, race.common.quiet);
    progress->update(at.done, at.line);
    if (!race.common.quiet && race.common.json != "-")
      printLine(at.text());
  };
  if (ranks::RankBoard *board = joined->board.get())
    return collectShared(race, options, **set, pool, say, *board);
  auto report =
      collect(**set, pool, options, race.common.interrupt(), say);
  progress.reset();
  return show(race.common, std::move(report), kernels.registry());
}
