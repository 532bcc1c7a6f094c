// `assay tune search`: the best kernels for one problem by a model and a
// budget, and with --measure by measured time.
#include "TuneChoices.h"
#include "assay/select/CkRanking.h"
#include "assay/select/Ranking.h"

using namespace assay;
using namespace assay::tools;

static constexpr const char *kHelp =
    R"(Looks for the best kernels of one problem among those that this machine offers.

examples:
  assay tune search --model_dir models/gemm_f32_rcr --m 128 --n 1536 --k 7168 --strategy random --budget 500
  assay tune search --model_dir models/gemm_f32_rcr --m 1 --n 4096 --k 4096 --strategy de --measure
  assay tune search --model_dir models/gemm_f32_rcr --m 96 --n 512 --k 512 --strategy active --budget 100)";

/// A model of CK Tile's kernels ranks all candidates at once, so no search can
/// find a better one.
static ExitCode searchCk(const CLI::App &app, const KernelFlags &flags,
                           const std::string &modelDir,
                           const std::string &candidates, size_t top,
                           bool measures, const CommonOptions &common) {
  if (measures)
    return reportError(makeError(
        ErrorCode::Unsupported,
        "the model '{0}' is of kernels that this machine cannot run; leave out "
        "--measure and --strategy active",
        modelDir));
  ExitCode code = predictCk(app, flags, modelDir, candidates, top, common);
  if (code == ExitCode::Ok && common.json != "-" && !common.quiet)
    printLine(
        "note: all candidates were ranked, no strategy finds a better one");
  return code;
}

static llvm::Expected<select::Strategy> strategyOf(llvm::StringRef text) {
  if (std::optional<select::Strategy> strategy = select::parseStrategy(text))
    return *strategy;
  return makeError(ErrorCode::InvalidArgument,
                   "--strategy is '{0}', expected random, de or active", text);
}

ExitCode tools::tuneSearch(llvm::ArrayRef<const char *> arguments) {
  CLI::App app(kHelp);
  std::string modelDir, candidates, strategyText = "random";
  KernelFlags flags;
  select::SearchOptions options;
  int pairs = 100;
  bool measure = false;
  CommonOptions common;
  app.add_option("--model_dir,--model-dir", modelDir, "the model folder")
      ->required();
  flags.addAnyProblem(app);
  app.add_option("--strategy", strategyText,
                 "random, de, or active (by the clock: the model's best, then "
                 "what differs from the fastest in one choice)")
      ->capture_default_str();
  app.add_option("--budget", options.budget, "kernels to look at")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  app.add_option("--top_k,--top-k", options.top, "kernels to show")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000));
  app.add_option("--candidates", candidates,
                 "kernels of CK Tile, for a model of these (see predict)");
  app.add_option("--direction", flags.ckDirection, kDirectionText);
  app.add_flag("--measure", measure,
               "run those kernels and order them by the clock");
  app.add_option("--pairs", pairs, "maximum number of pairs of one measurement")
      ->capture_default_str()
      ->check(CLI::Range(3, 10000));
  common.addTo(app, kThreads | kSeconds | kSeed);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  llvm::Expected<select::Strategy> strategy = strategyOf(strategyText);
  if (!strategy)
    return reportError(strategy.takeError());
  options.strategy = *strategy;
  options.seed = common.seed;
  llvm::Expected<bool> isCk = select::isCkModel(modelDir);
  if (!isCk)
    return reportError(isCk.takeError());
  bool measures = measure || *strategy == select::Strategy::Active;
  if (*isCk)
    return searchCk(app, flags, modelDir, candidates, options.top, measures,
                      common);
  if (!candidates.empty())
    return reportError(refuseCandidates(modelDir));
  auto space = spaceOfModel(modelDir);
  if (!space)
    return reportError(space.takeError());
  auto problem = flags.problem(**space, common.threads);
  if (!problem)
    return reportError(problem.takeError());
  KernelSets kernels;
  auto report =
      select::searchByModel(kernels.context(), modelDir, *problem, options,
                            measures ? pairs : 0, common.interrupt());
  return show(common, std::move(report), kernels.registry());
}
