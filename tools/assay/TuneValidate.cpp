// `assay tune validate`: a model's picks and the analytic model's against a
// fresh oracle, by the clock.
#include "Tune.h"
#include "assay/engine/native/ConvolutionContest.h"
#include "assay/select/ConvReports.h"

using namespace assay;
using namespace assay::tools;

static constexpr const char *kHelp =
    R"(Measures, for problems that need not be in any data set, the best kernels of a fresh race, what dispatch
picks with the model and the analytic pick again in turns, and counts only these second measurements.

examples:
  assay tune validate --model_dir models/gemm_f32_rcr --shapes unseen.csv --sample 60 --threads 1,2
  assay tune validate --op conv_fwd --shapes layers.txt --sample 60 --threads 1
  assay tune validate --dtype bf16 --shapes unseen.csv --sample 20 --threads 1    what dispatch picks, whatever chooses)";

static ExitCode validateConvolutions(const std::string &modelDir,
                                     kernels::ConvDirection direction,
                                     size_t sample, const RaceFlags &race) {
  llvm::Expected<select::RaceList> list = race.options();
  if (!list)
    return reportError(list.takeError());
  auto problems = race.convolutions(direction, *list);
  if (!problems)
    return reportError(problems.takeError());
  *problems =
      select::sampleOf(std::move(*problems), sample, race.common.seed);
  auto context = std::make_shared<engine::NativeContext>();
  engine::ConvolutionSource source(direction, kernels::DataType::F32, context);
  auto report = select::validateConv(source, context->registry, modelDir,
                                     *problems, *list, race.common.interrupt(),
                                     race.common.quiet);
  return show(race.common, std::move(report), context->registry);
}

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
  llvm::Expected<std::optional<kernels::ConvDirection>> direction =
      flags.direction();
  if (!direction)
    return reportError(direction.takeError());
  if (!*direction && !modelDir.empty())
    if (llvm::Error error =
            select::convDirectionOf(modelDir).moveInto(*direction))
      return reportError(std::move(error));
  if (*direction)
    return validateConvolutions(modelDir, **direction, sample, race);
  llvm::Expected<select::RaceList> list = race.list();
  if (!list)
    return reportError(list.takeError());
  llvm::Expected<kernels::KernelKind> kind = flags.kind();
  if (!kind)
    return reportError(kind.takeError());
  list->kind = *kind;
  list->shapes =
      select::sampleOf(std::move(list->shapes), sample, race.common.seed);
  kernels::Registry registry;
  auto report = select::validate(registry, modelDir, *list,
                                 race.common.interrupt(), race.common.quiet);
  return show(race.common, std::move(report), registry);
}
