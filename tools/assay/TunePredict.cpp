// `assay tune predict`: the kernels that a model ranks first for a problem,
// with what it predicts for them.
#include "Tune.h"
#include "assay/select/Ranking.h"

using namespace assay;
using namespace assay::tools;

static constexpr const char *kHelp =
    R"(Ranks this machine's kernels for a problem by a model.

examples:
  assay tune predict --model_dir models/gemm_f32_rcr --m 128 --n 1536 --k 7168 --layout rcr
  assay tune predict --model_dir models/gemm_f32_rcr --m 1 --n 4096 --k 4096 --threads 1 --top_k 3 --json -)";

ExitCode tools::tunePredict(llvm::ArrayRef<const char *> arguments) {
  CLI::App app(kHelp);
  std::string modelDir;
  KernelFlags flags;
  size_t top = 10;
  CommonOptions common;
  app.add_option("--model_dir,--model-dir", modelDir, "the model folder")
      ->required();
  flags.addProblem(app);
  app.add_option("--top_k,--top-k", top, "kernels to show")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  common.addTo(app, kThreads);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  llvm::Expected<kernels::GemmProblem> problem = flags.problem(common.threads);
  if (!problem)
    return reportError(problem.takeError());
  kernels::Registry registry;
  return show(common, select::rankByModel(registry, modelDir, *problem, top));
}
