// `assay tune features`: prints the table of features, or their values for a
// problem and kernels, or for a whole data set.
#include "Tune.h"
#include "assay/select/Export.h"

using namespace assay;
using namespace assay::tools;

static constexpr const char *kHelp = R"(Shows the features that models see.

examples:
  assay tune features                                     (the table, as in docs/features.md)
  assay tune features --op gemm_universal                 (those of CK Tile's GPU kernels)
  assay tune features --m 64 --n 64 --k 64 --kernel tile_14x32x4_98x3072x384_np_nkm_plain_sk1_t0x0_exact_fused
  assay tune features --data_dir data -o features.parquet)";

static llvm::Expected<std::string> values(const KernelFlags &flags, int threads,
                                          const std::string &kernel,
                                          const std::string &machine) {
  llvm::Expected<select::ProblemRef> problem = flags.problem(threads);
  if (!problem)
    return problem.takeError();
  auto object = select::featureValues(**problem, kernel, machine);
  if (!object)
    return object.takeError();
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(*object))).str();
}

ExitCode tools::tuneFeatures(llvm::ArrayRef<const char *> arguments) {
  CLI::App app(kHelp);
  std::string kernel, machine, data, output;
  KernelFlags flags;
  int threads = 1;
  flags.addProblem(app, /*required=*/false);
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
            select::exportFeatures(data, flags.op, flags.dtype, output))
      return reportError(std::move(error));
    printLine("exported to '" + output + "'");
    return ExitCode::Ok;
  }
  llvm::Expected<std::string> text =
      kernel.empty() ? select::featureTable(flags.op)
                     : values(flags, threads, kernel, machine);
  if (!text)
    return reportError(text.takeError());
  llvm::outs() << *text;
  return ExitCode::Ok;
}
