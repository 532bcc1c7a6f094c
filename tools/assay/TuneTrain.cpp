// `assay tune train`: makes a model folder from a data set.
#include "Tune.h"
#include "assay/select/Export.h"

using namespace assay;
using namespace assay::tools;

static constexpr const char *kHelp =
    R"(Trains models of TFLOPS, latency and bandwidth from a data set, with cross-validation by problem.

examples:
  assay tune train --data_dir data --out_dir models/mine --op gemm --dtype f32
  assay tune train --data_dir data --out_dir models/fp8 --operation gemm_universal --dtype fp8 --arch gfx950 --tune
  assay tune train --operation grouped_conv --direction forward --dtype bf16
  assay tune train --data_dir more --out_dir models/v2 --warm_start models/mine --warm_start_n_estimators 200)";

/// Adds the options of the trees themselves.
static void addTrees(CLI::App &app, select::TrainOptions &o) {
  app.option_defaults()->group("Trees");
  app.add_option("--n_splits,--n-splits", o.folds, "folds, by problem")
      ->capture_default_str()
      ->check(CLI::Range(2, 100));
  app.add_option("--n_estimators", o.trees, "maximum number of trees")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.option_defaults()->group(kRare);
  app.add_option("--num_leaves", o.leaves, "leaves of a tree")
      ->capture_default_str()
      ->check(CLI::Range(2, 4096));
  app.add_option("--learning_rate", o.rate, "weight of a tree")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--min_child_samples", o.minLeaf, "rows of a leaf")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_flag("--offset", o.offset,
               "start from the roofline feature, learn the rest");
  app.option_defaults()->group("Trees");
  app.add_flag("--tune", o.choosesTrees,
               "choose leaves, rows of a leaf and learning rate by held-out "
               "picks first");
  app.add_option("--ihem", o.hardExamples,
                 "rounds of hard-example mining; kept only when they help");
  app.add_option("--warm_start", o.warmStart, "a model folder to add trees to");
  app.add_option("--warm_start_n_estimators", o.warmTrees, "how many at most")
      ->capture_default_str();
  app.add_option("--threads", o.threads, "of LightGBM (part of the manifest)")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  app.add_option("--seed", o.seed, "of LightGBM and the inner splits")
      ->capture_default_str();
}

ExitCode tools::tuneTrain(llvm::ArrayRef<const char *> arguments) {
  CLI::App app(kHelp);
  select::TrainRows rows;
  rows.folder = ".";
  std::string outDir, targets = "efficiency,tflops,latency,bandwidth";
  select::TrainOptions options;
  CommonOptions common;
  bool noLog = false;
  app.option_defaults()->group("Data and model");
  app.add_option("--data_dir,--data-dir", rows.folder,
                 "a folder of .parquet files, or one file")
      ->capture_default_str();
  app.add_option(
      "--out_dir,--out-dir", outDir,
      "the model folder (default: in models, by operation, direction, "
      "type and processor)");
  app.add_option("--op,--operation", rows.op,
                 "gemm, or gemm_universal for converted data of CK Tile "
                 "(default: what the data holds)");
  app.add_option("--dtype", rows.dtype,
                 "the rows to train on (default: what the data holds)");
  app.add_option("--direction", rows.direction,
                 "of grouped_conv: forward, bwd_data or bwd_weight (default: "
                 "what the data holds)");
  app.add_option("--arch", rows.arch,
                 "refuse data of another processor (gfx950, 'avx512 l1=...')");
  app.add_option("--targets", targets,
                 "some of efficiency (ranks kernels), tflops, latency, "
                 "bandwidth")
      ->capture_default_str();
  app.add_flag("--no_log_transform", noLog,
               "predict values instead of their logarithms");
  addTrees(app, options);
  common.addTo(app, kNothing);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  options.logTransform = !noLog;
  if (llvm::Error error =
          select::parseTargets(targets).moveInto(options.targets))
    return reportError(std::move(error));
  bool talk = !common.quiet && common.json != "-";
  return show(common, select::trainFolder(rows, options, outDir,
                                          [&](const std::string &line) {
                                            if (talk)
                                              printLine(line);
                                          }));
}
