// `assay tune check`: whether models of other machines help on this one.
#include "TuneChoices.h"
#include "assay/select/SelfCheck.h"

using namespace assay;
using namespace assay::tools;

static constexpr const char *kHelp =
    R"(Finds out whether a model that was made on another machine, or for another list of kernels, is good here:
its picks and those without it (the analytic choice; for convolutions the engine's rule) run alternately on
problems drawn by seed. The result is kept for this user (in ~/.local/share/assay/checks), and dispatch uses the
model if it is the faster choice. `assay doctor` shows it.

examples:
  assay tune check                                     the models that dispatch looks at
  assay tune check --model_dir models/gemm_f32_rcr --budget 60 --threads 1,2
  assay tune check --model_dir models/conv_fwd_f32_nhwc --budget 60)";

ExitCode tools::tuneCheck(llvm::ArrayRef<const char *> arguments) {
  CLI::App app(kHelp);
  std::string modelDir;
  select::SelfCheckOptions options;
  CommonOptions common;
  app.add_option("--model_dir,--model-dir", modelDir,
                 "the model folder (default: all of another machine)");
  app.add_option("--budget", options.budgetSeconds, "seconds")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--threads", options.threads,
                 "numbers of threads, such as 1,2")
      ->delimiter(',')
      ->check(CLI::Range(1, 4096));
  common.addTo(app, kSeconds | kSeed);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  options.seed = common.seed;
  KernelSets kernels;
  std::vector<std::string> folders{modelDir};
  if (modelDir.empty())
    folders = select::foreignModels(kernels.registry());
  return show(common,
              select::checkModels(
                  [&](llvm::StringRef folder) { return kernels.ofModel(folder); },
                  folders, options, common.interrupt(), common.quiet),
              kernels.registry());
}
