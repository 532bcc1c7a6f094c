// `assay tune evaluate`: how good a model's picks are on measured problems, and
// whether it may replace another model.
#include "Tune.h"
#include "assay/select/Evaluate.h"

using namespace assay;
using namespace assay::tools;

static constexpr const char *kHelp =
    R"(Judges a model's picks on measured problems: the rate of the picked kernel over the best measured one.
With --baseline, compares the two models' picks (agreement, improved, same, degraded: by more than 0.5 % of the best)
and applies the acceptance criteria; a model that misses one gives exit code 1.

examples:
  assay tune evaluate --model_dir models/mine --data_dir data/unseen
  assay tune evaluate --model_dir models/v2 --data_dir data --baseline models/mine -o picks.csv)";

ExitCode tools::tuneEvaluate(llvm::ArrayRef<const char *> arguments) {
  CLI::App app(kHelp);
  select::EvaluateOptions options;
  CommonOptions common;
  app.add_option("--model_dir,--model-dir", options.modelDir,
                 "the model folder")
      ->required();
  app.add_option("--data_dir,--data-dir", options.dataDir,
                 "a folder of .parquet files, or one file")
      ->required();
  app.add_option("--baseline", options.baseline, "a model to compare with");
  app.add_option("--op", options.op, "the rows to use (default: the model's)");
  app.add_option("--dtype", options.dtype,
                 "the rows to use (default: the model's)");
  app.add_option(
      "-o,--output", options.output,
      "write the picks: a .csv with one line per problem, or all as JSON");
  app.add_flag("--unseen", options.unseenOnly,
               "only problems that the model was not trained on");
  common.addTo(app, kNothing);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  return show(common, select::evaluate(options));
}
