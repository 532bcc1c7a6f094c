// `assay tune train`: a model folder from a data set.
#include "Tune.h"
#include "assay/select/Collector.h"
#include "assay/select/Parquet.h"
#include "assay/select/Trainer.h"
#include "llvm/Support/raw_ostream.h"

using namespace assay;
using namespace assay::tools;
using namespace assay::select;

namespace {
struct TrainFlags {
  std::string dataDir, outDir, op = "gemm", dtype = "f32", arch,
                               targets = "efficiency,tflops,latency,bandwidth",
                               warmStart, json;
  bool noLog = false, quiet = false;
  TrainOptions options;
  LimitFlags limits;
};
} // namespace

static void addFlags(CLI::App &app, TrainFlags &flags) {
  TrainOptions &o = flags.options;
  app.add_option("--data_dir,--data-dir", flags.dataDir,
                 "a folder of .parquet files, or one file")
      ->required();
  app.add_option("--out_dir,--out-dir", flags.outDir, "the model folder")
      ->required();
  app.add_option("--op", flags.op,
                 "gemm, or gemm_universal for converted data of the seed")
      ->capture_default_str();
  app.add_option("--dtype", flags.dtype, "the rows to train on")
      ->capture_default_str();
  app.add_option("--targets", flags.targets,
                 "some of efficiency (ranks kernels), tflops, latency, "
                 "bandwidth")
      ->capture_default_str();
  app.add_option("--n_splits,--n-splits", o.folds, "folds, by problem")
      ->capture_default_str()
      ->check(CLI::Range(2, 100));
  app.add_option("--n_estimators", o.trees, "most trees")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_option("--num_leaves", o.leaves, "leaves of a tree")
      ->capture_default_str()
      ->check(CLI::Range(2, 4096));
  app.add_option("--learning_rate", o.rate, "weight of a tree")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--min_child_samples", o.minLeaf, "rows of a leaf")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_flag("--no_log_transform", flags.noLog,
               "predict values instead of their logarithms");
  app.add_flag("--offset", o.offset,
               "start from the roofline feature, learn the rest");
  app.add_option("--ihem", o.hardExamples,
                 "rounds of hard-example mining; kept only when they help");
  app.add_option("--warm_start", o.warmStart, "a model folder to add trees to");
  app.add_option("--warm_start_n_estimators", o.warmTrees, "how many at most")
      ->capture_default_str();
  app.add_option("--threads", o.threads, "of LightGBM (part of the manifest)")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  app.add_option("--json", flags.json,
                 "the report as JSON; - for standard output");
  app.add_flag("--quiet", flags.quiet, "no lines per fold");
  app.add_option("--seed", o.seed, "of LightGBM and the inner splits")
      ->capture_default_str();
}

static llvm::Error parseTargets(TrainFlags &flags) {
  flags.options.targets.clear();
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(flags.targets).split(names, ',');
  for (llvm::StringRef name : names) {
    std::optional<Target> target = parseTarget(name);
    if (!target)
      return makeError(ErrorCode::InvalidArgument,
                       "--targets has '{0}', expected efficiency, tflops, "
                       "latency or bandwidth",
                       name);
    if (!llvm::is_contained(flags.options.targets, *target))
      flags.options.targets.push_back(*target);
  }
  return llvm::Error::success();
}

/// The list of kernels that the model is about: this machine's, when the data
/// is of this machine's class.
static std::string registryOf(const Samples &samples) {
  std::optional<kernels::TypePair> types =
      kernels::parseTypePair(samples.subject.dtype);
  std::optional<kernels::Layout> layout =
      kernels::parseLayout(samples.groups[0].layout);
  if (samples.subject.op != "gemm" || !types || !layout)
    return "";
  kernels::Registry registry;
  return registryHash(registry.enumerate(*types, *layout));
}

ExitCode tools::tuneTrain(llvm::ArrayRef<const char *> arguments) {
  CLI::App app("Trains models of TFLOPS, latency and bandwidth from a data "
               "set, with cross-validation by problem.\n\n"
               "examples:\n"
               "  assay tune train --data_dir data --out_dir models/mine --op "
               "gemm --dtype f32\n"
               "  assay tune train --data_dir more --out_dir models/v2 "
               "--warm_start models/mine --warm_start_n_estimators 200");
  TrainFlags flags;
  addFlags(app, flags);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  flags.options.logTransform = !flags.noLog;
  if (llvm::Error error = parseTargets(flags))
    return reportError(std::move(error));
  llvm::Expected<ColumnTable> table = readParquetFolder(flags.dataDir);
  if (!table)
    return reportError(table.takeError());
  llvm::Expected<Samples> samples = makeSamples(*table, flags.op, flags.dtype);
  if (!samples)
    return reportError(samples.takeError());
  bool talk = !flags.quiet && flags.json != "-";
  llvm::Expected<std::vector<TargetReport>> reports =
      train(*samples, registryOf(*samples), flags.options, flags.outDir,
            [&](const std::string &line) {
              if (talk)
                llvm::outs() << line << "\n";
            });
  if (!reports)
    return reportError(reports.takeError());
  llvm::json::Array json;
  for (const TargetReport &report : *reports)
    json.push_back(llvm::json::Object{{"target", toString(report.target)},
                                      {"trees", report.finalTrees}});
  if (!flags.json.empty())
    if (llvm::Error error = writeJson(flags.json, std::move(json)))
      return reportError(std::move(error));
  if (flags.json != "-")
    llvm::outs() << "trained: " << samples->count() - samples->failures
                 << " rows over " << samples->groups.size()
                 << " problems; the model is in '" << flags.outDir << "'\n";
  return ExitCode::Ok;
}
