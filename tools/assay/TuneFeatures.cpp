// `assay tune features`: the table of features, or their values for a problem
// and kernels, or for a whole data set.
#include "Tune.h"
#include "assay/select/DataFile.h"
#include "assay/select/Parquet.h"
#include "assay/select/Samples.h"
#include "assay/select/SeedGemm.h"
#include "llvm/Support/raw_ostream.h"

using namespace assay;
using namespace assay::tools;
using namespace assay::select;

static void printMarkdown(llvm::ArrayRef<FeatureInfo> features) {
  llvm::outs() << "| # | feature | depends on | kind | formula "
                  "|\n|---|---|---|---|---|\n";
  for (size_t i = 0; i < features.size(); ++i)
    llvm::outs() << "| " << i << " | `" << features[i].name << "` | "
                 << toString(features[i].axis) << " | "
                 << (features[i].categorical ? "category" : "number") << " | "
                 << features[i].formula << " |\n";
  llvm::outs() << "\nSchema " << schemaHash(features) << ", " << features.size()
               << " features.\n";
}

/// A data set's features and labels as Parquet, for experiments outside of
/// Assay.
static llvm::Error exportFeatures(llvm::StringRef data, llvm::StringRef op,
                                  llvm::StringRef dtype,
                                  llvm::StringRef output) {
  llvm::Expected<ColumnTable> table = readParquetFolder(data);
  if (!table)
    return table.takeError();
  llvm::Expected<Samples> samples = makeSamples(*table, op, dtype);
  if (!samples)
    return samples.takeError();
  ColumnTable out;
  out.rows = static_cast<int64_t>(samples->count());
  for (size_t f = 0; f < samples->features.size(); ++f) {
    Column &column = out.add(samples->features[f].name, ColumnType::Float);
    for (size_t i = 0; i < samples->count(); ++i)
      column.numbers.push_back(samples->row(i)[f]);
  }
  out.add("label_tflops", ColumnType::Float).numbers = samples->tflops;
  out.add("label_latency", ColumnType::Float).numbers = samples->latencyMs;
  out.add("label_bandwidth", ColumnType::Float).numbers = samples->bandwidth;
  out.add("noise", ColumnType::Float).numbers = samples->noise;
  Column &key = out.add("problem", ColumnType::Text);
  for (size_t i = 0; i < samples->count(); ++i)
    key.texts.push_back(samples->groups[samples->group[i]].key);
  out.add("kernel_name", ColumnType::Text).texts = samples->kernel;
  if (llvm::Error error = checkOverwrite(output))
    return error;
  return writeParquet(out, output);
}

static llvm::Expected<llvm::json::Object>
valuesOf(const KernelFlags &kernelFlags, const kernels::GemmProblem &problem,
         const std::string &kernel, const std::string &machineText) {
  llvm::Expected<kernels::GemmConfig> config = kernels::parseConfig(kernel);
  if (!config)
    return config.takeError();
  kernels::Machine machine = kernels::Machine::detect();
  if (!machineText.empty()) {
    std::optional<kernels::Machine> parsed = machineOfClass(machineText);
    if (!parsed)
      return makeError(ErrorCode::InvalidArgument,
                       "--machine is '{0}', expected text like 'avx2 l1=32K "
                       "l2=512K l3=8192K'",
                       machineText);
    machine = *parsed;
  }
  std::vector<float> row =
      GemmFeatures(kernelFlags.types, kernelFlags.parsedLayout, machine)
          .row(problem, *config);
  llvm::json::Object object;
  for (size_t f = 0; f < row.size(); ++f)
    object[gemmFeatures()[f].name] = row[f];
  return object;
}

ExitCode tools::tuneFeatures(llvm::ArrayRef<const char *> arguments) {
  CLI::App app("Shows the features that models see.\n\n"
               "examples:\n"
               "  assay tune features                                     (the "
               "table, as in docs/features.md)\n"
               "  assay tune features --op gemm_universal                 "
               "(those of the seed's GPU kernels)\n"
               "  assay tune features --m 64 --n 64 --k 64 --kernel "
               "tile_14x32x4_98x3072x384_np_nkm_plain_sk1_t0x0_exact_fused\n"
               "  assay tune features --data_dir data -o features.parquet");
  std::string kernel, machine, data, output;
  KernelFlags kernelFlags;
  ProblemFlags p;
  int threads = 1;
  kernelFlags.add(app);
  app.add_option("--m", p.m, "rows of C");
  app.add_option("--n", p.n, "columns of C");
  app.add_option("--k", p.k, "depth of the sum");
  app.add_option("--batch", p.batch, "matrices");
  app.add_option("--threads", threads, "threads")->capture_default_str();
  app.add_option("--kernel", kernel,
                 "configuration name: print the values as JSON");
  app.add_option("--machine", machine,
                 "machine class (default: this machine's)");
  app.add_option("--data_dir,--data-dir", data, "a data set to export with -o");
  app.add_option("-o,--output", output, "Parquet file");
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  if (!data.empty()) {
    if (llvm::Error error =
            exportFeatures(data, kernelFlags.op, kernelFlags.dtype, output))
      return reportError(std::move(error));
    llvm::outs() << "exported to '" << output << "'\n";
    return ExitCode::Ok;
  }
  if (kernel.empty()) {
    llvm::ArrayRef<FeatureInfo> features = featuresOf(kernelFlags.op);
    if (features.empty())
      return reportError(
          makeError(ErrorCode::Unsupported,
                    "--op is '{0}'; gemm and gemm_universal have features",
                    kernelFlags.op));
    printMarkdown(features);
    return ExitCode::Ok;
  }
  if (llvm::Error error = kernelFlags.check())
    return reportError(std::move(error));
  llvm::Expected<kernels::GemmProblem> problem = p.make(kernelFlags, threads);
  if (!problem)
    return reportError(problem.takeError());
  llvm::Expected<llvm::json::Object> values =
      valuesOf(kernelFlags, *problem, kernel, machine);
  if (!values)
    return reportError(values.takeError());
  llvm::outs() << llvm::formatv("{0:2}\n",
                                llvm::json::Value(std::move(*values)));
  return ExitCode::Ok;
}
