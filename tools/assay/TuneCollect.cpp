// `assay tune collect`: measures kernels over a list of problems and writes the
// data set.
#include "Ranks.h"
#include "Tune.h"
#include "assay/engine/native/ConvolutionContest.h"
#include "assay/ranks/Sharing.h"
#include "assay/select/Choices.h"
#include "assay/select/CollectRun.h"
#include "assay/support/Progress.h"

using namespace assay;
using namespace assay::tools;
using namespace assay::select;

static constexpr const char *kHelp =
    R"(Measures kernels over a list of problems, each as the median ratio to an anchor kernel run in turns, and
adds them to a Parquet file. Failures are rows with a reason. A file only grows: however a run ended (budget,
Ctrl-C, kill, full disk), the same command goes on where it stopped, and other shapes or threads are added.
Under mpirun the ranks share the problems, best one rank a machine of one class; those of one machine take turns.

examples:
  assay tune collect --dtype f32 --layout rcr --shapes shapes.csv -o data/run1.parquet --budget 600
  assay tune collect --op conv_fwd --shapes layers.txt --threads 1 -o layers.parquet
  assay tune collect --shapes shapes.csv --kernels sample:200 --threads 1,2 -o data/run1.parquet
  mpirun --host a,b,c assay tune collect --shapes shapes.csv -o shared/run1.parquet)";

namespace {
/// The kernels that are measured, on which problems, how.
struct Collected {
  std::shared_ptr<engine::NativeContext> context; ///< owns the registry
  std::unique_ptr<KernelSource> source;
  RaceList list;
  std::vector<ProblemRef> problems;
};
} // namespace

static llvm::Expected<Collected>
whatToCollect(const KernelFlags &flags, const RaceFlags &race,
              const kernels::Registry::Options &registry) {
  Collected made;
  llvm::Expected<std::optional<kernels::ConvDirection>> direction =
      flags.direction();
  if (!direction)
    return direction.takeError();
  if (*direction) {
    if (llvm::Error error = race.options().moveInto(made.list))
      return error;
    auto problems = race.convolutions(**direction, made.list);
    if (!problems)
      return problems.takeError();
    made.problems = problemsOf(*problems);
    made.context = std::make_shared<engine::NativeContext>(registry);
    made.source = std::make_unique<engine::ConvolutionSource>(
        **direction, kernels::DataType::F32, made.context);
    return made;
  }
  llvm::Expected<kernels::KernelKind> kind = flags.kind();
  if (!kind)
    return kind.takeError();
  if (llvm::Error error = race.list().moveInto(made.list))
    return error;
  made.problems = gemmProblems(kind->types, kind->layout, made.list.shapes,
                               made.list.threads);
  made.context = std::make_shared<engine::NativeContext>(registry);
  made.source = std::make_unique<GemmSource>(made.context->registry,
                                             kind->types, kind->layout);
  return made;
}

/// The ranks of a launcher together; one of them reports.
static ExitCode collectShared(const RaceFlags &race,
                              const CollectOptions &options,
                              KernelSource &source,
                              kernels::Registry &registry, ThreadPool &pool,
                              const CollectSink &say, ranks::RankBoard &board) {
  llvm::Expected<std::optional<CollectReport>> report = collectOnRanks(
      source, pool, options, race.common.interrupt(), say, board);
  if (report && !*report)
    return ExitCode::Ok;
  ExitCode code =
      report
          ? show(race.common,
                 llvm::Expected<CollectReport>(std::move(**report)), registry)
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
      ->required();
  race.add(app);
  app.add_flag("--resume", resume,
               "go on with what the output holds (as without this flag)");
  app.add_flag("--verify", verify,
               "check every micro-kernel again instead of trusting cached "
               "verdicts");
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  kernels::Registry::Options registryOptions;
  registryOptions.diskCache = !verify;
  llvm::Expected<Collected> what = whatToCollect(kernelFlags, race, registryOptions);
  if (!what)
    return reportError(what.takeError());
  options.problems = std::move(what->problems);
  options.race = what->list.race;
  options.kernelsText = race.choice;
  options.budgetSeconds = what->list.budgetSeconds;
  llvm::Expected<JoinedRanks> joined = joinRanks("tune collect", arguments);
  if (!joined)
    return reportError(joined.takeError());
  if (joined->code)
    return *joined->code;
  kernels::Registry &registry = what->context->registry;
  ThreadPool pool(what->list.mostThreads());
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
    return collectShared(race, options, *what->source, registry, pool, say,
                         *board);
  auto report =
      collect(*what->source, pool, options, race.common.interrupt(), say);
  progress.reset();
  return show(race.common, std::move(report), registry);
}
