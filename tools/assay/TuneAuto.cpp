// `assay tune auto`: collects, trains, checks and installs a model for this
// machine, in one command.
#include "TuneChoices.h"
#include "assay/select/Auto.h"
#include "assay/support/UserFolder.h"

using namespace assay;
using namespace assay::tools;

static constexpr const char *kHelp =
    R"(Makes a model for this machine: measures kernels (first those that an existing model proposes), continues
that model's trees, times the picks on unseen problems against those of the installed model and against those
without a model (the analytic choice; for convolutions the engine's rule), and installs the new model if it is
better than both. Measurements add up: every further run trains on those of all runs before. The budget is for
everything, up to a few seconds.

examples:
  assay tune auto --budget 1200
  assay tune auto --dtype bf16 --layout rrr --budget 600 --out_dir mymodels
  assay tune auto --op conv_fwd --threads 1 --budget 300
  assay tune auto --op conv_bwd_data --shapes layers.txt --threads 1 --budget 300)";

ExitCode tools::tuneAuto(llvm::ArrayRef<const char *> arguments) {
  CLI::App app(kHelp);
  KernelFlags flags;
  select::AutoOptions options;
  options.kernelsText = "active";
  std::string shapes, threads;
  CommonOptions common;
  flags.add(app);
  app.add_option("--budget", options.budgetSeconds,
                 "seconds for everything; 60 % of them measure")
      ->capture_default_str()
      ->check(CLI::Range(5.0, 1e6));
  app.add_option("--shapes", shapes,
                 "list of problems, as collect reads it (default: drawn at "
                 "random)");
  app.add_option("--kernels", options.kernelsText,
                 "kernels of each problem: all, active or sample:N")
      ->capture_default_str();
  app.add_option(
      "--threads", threads,
      "numbers of threads, such as 1,2 (default: one, and all cores)");
  app.add_option("--cap", options.cap,
                 "leave out problems of more GFLOP than this")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option(
      "--out_dir,--out-dir", options.folder,
      "where models are installed (default: the user's data folder)");
  common.addTo(app, kSeconds | kSeed);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  KernelSets kernels;
  auto set = flags.set(kernels.context());
  if (!set)
    return reportError(set.takeError());
  auto choice = select::parseKernelChoice(options.kernelsText);
  if (!choice)
    return reportError(choice.takeError());
  auto counts = select::parseThreadList(threads);
  if (!counts)
    return reportError(counts.takeError());
  if (!shapes.empty())
    if (llvm::Error error = (*set)
                                ->read(shapes, {options.cap, 0})
                                .moveInto(options.problems))
      return reportError(std::move(error));
  options.kernels = *choice;
  options.threads = std::move(*counts);
  options.seed = common.seed;
  if (common.maxSeconds > 0)
    options.budgetSeconds = std::min(options.budgetSeconds, common.maxSeconds);
  if (options.folder.empty())
    options.folder = userModelFolder();
  auto report = select::makeModel(**set, options, common.interrupt(),
                                  [&](const std::string &line) {
                                    if (!common.quiet && common.json != "-")
                                      printLine(line);
                                  });
  return show(common, std::move(report), kernels.registry());
}
