// `assay tune validate`: compares a model's picks and the analytic model's with
// a fresh race, by measured time.
#include "TuneChoices.h"

using namespace assay;
using namespace assay::tools;

static constexpr const char *kHelp =
    R"(For problems that need not be in any data set: measures all kernels in a fresh race, then the best of them, the pick
of dispatch with the model and the analytic pick again, alternately, and counts only these second measurements.

examples:
  assay tune validate --model_dir models/gemm_f32_rcr --shapes unseen.csv --sample 60 --threads 1,2
  assay tune validate --op conv_fwd --shapes layers.txt --sample 60 --threads 1
  assay tune validate --dtype bf16 --shapes unseen.csv --sample 20 --threads 1    what dispatch picks, whatever chooses)";

ExitCode tools::tuneValidate(llvm::ArrayRef<const char *> arguments) {
  CLI::App app(kHelp);
  std::string modelDir;
  size_t sample = 60;
  RaceFlags race("sample:400", 60);
  KernelFlags flags;
  app.add_option("--model_dir,--model-dir", modelDir,
                 "the model folder (default: the models that dispatch finds "
                 "for --dtype and --layout)");
  flags.add(app);
  app.add_option("--sample", sample, "problems to draw from the list")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  race.add(app);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  llvm::Expected<select::RaceList> list = race.list();
  if (!list)
    return reportError(list.takeError());
  KernelSets kernels;
  auto set = modelDir.empty() || flags.op != "gemm"
                 ? flags.set(kernels.context())
                 : kernels.ofModel(modelDir);
  if (!set)
    return reportError(set.takeError());
  auto problems = race.problems(**set);
  if (!problems)
    return reportError(problems.takeError());
  auto report = select::validate(
      **set, modelDir,
      select::onThreads(
          select::sampleOf(std::move(*problems), sample, race.common.seed),
          list->threads),
      *list, race.common.interrupt(), race.common.quiet);
  return show(race.common, std::move(report), kernels.registry());
}
