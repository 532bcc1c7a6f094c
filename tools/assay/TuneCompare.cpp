// `assay tune compare`: where two models pick different kernels, and how much
// time the difference costs.
#include "TuneChoices.h"
#include "assay/select/Validate.h"

using namespace assay;
using namespace assay::tools;

static constexpr const char *kHelp =
    R"(Shows the problems for which two models pick different kernels, and times both picks alternately: how often they
agree, and which picks of the new model are faster (improved), as fast within the noise (same) or slower
(degraded). Models of CK Tile's kernels are compared on measured data: `assay tune evaluate --baseline`.

examples:
  assay tune compare --model_dir models/v2 --old models/v1 --shapes shapes.csv
  assay tune compare --model_dir models/v2 --old models/v1 --shapes shapes.csv --threads 1 -o changes.csv
  assay tune compare --model_dir mine/conv_fwd_f32_nhwc --old models/conv_fwd_f32_nhwc --shapes layers.txt --threads 1)";

ExitCode tools::tuneCompare(llvm::ArrayRef<const char *> arguments) {
  CLI::App app(kHelp);
  select::CompareModelsOptions options;
  std::string shapes, threads;
  size_t sample = 60;
  bool noMeasure = false;
  CommonOptions common;
  app.add_option("--model_dir,--model-dir", options.modelDir, "the new model")
      ->required();
  app.add_option("--old", options.oldDir, "the old model")->required();
  app.add_option("--shapes", shapes, "list of problems, as collect reads it")
      ->required();
  app.add_option("--sample", sample, "problems to draw from it")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_option(
      "--threads", threads,
      "numbers of threads, such as 1,2 (default: one, and all cores)");
  app.add_option("--pairs", options.mostPairs, "maximum number of pairs of one measurement")
      ->capture_default_str()
      ->check(CLI::Range(7, 10000));
  app.add_option("-o,--output", options.output,
                 "write the problems: a .csv with a line each, or JSON");
  app.add_flag("--no-measure", noMeasure, "only list the differences");
  common.addTo(app, kMemory | kSeconds | kSeed);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  auto memory = common.memoryBytes();
  if (!memory)
    return reportError(memory.takeError());
  KernelSets kernels;
  auto set = kernels.ofModel(options.modelDir);
  if (!set)
    return reportError(set.takeError());
  auto list = (*set)->read(shapes, {0, static_cast<double>(*memory)});
  if (!list)
    return reportError(list.takeError());
  auto counts = select::parseThreadList(threads);
  if (!counts)
    return reportError(counts.takeError());
  options.problems = select::onThreads(
      select::sampleOf(std::move(*list), sample, common.seed), *counts);
  options.seed = common.seed;
  options.measure = !noMeasure;
  auto report = select::compareModels(**set, options, common.interrupt());
  return show(common, std::move(report), kernels.registry());
}
