// `assay kernels list|explain`: the kernels of this machine, and why one of
// them is chosen for a problem.
#include "TuneChoices.h"
#include "assay/select/KernelList.h"
#include "assay/select/Ranking.h"
#include "assay/select/spaces/Gemm.h"

using namespace assay;
using namespace assay::tools;

static constexpr const char *kListExamples = R"(examples:
  assay kernels list                                   families and counts for f32, layout rcr
  assay kernels list --dtype u8s8 --layout rrr --limit 0    every name
  assay kernels list --op conv_bwd_data                the kernels of convolutions of a direction
exit codes: 0 done, 2 bad input)";

static constexpr const char *kExplainExamples = R"(examples:
  assay kernels explain --m 1 --n 4096 --k 4096        the choice, its estimated parts, the runners-up
  assay kernels explain --m 512 --n 512 --k 512 --measure   the same, each timed
  assay kernels explain --op conv_fwd --problem mb1ic64ih56oc64kh3ph1 --threads 1 --measure
exit codes: 0 done, 2 bad input)";

static constexpr const char *kExamples = R"(examples:
  assay kernels list                                   families and counts for f32, layout rcr
  assay kernels explain --m 1 --n 4096 --k 4096        the choice, its estimated parts, the runners-up
exit codes: 0 done, 2 bad input)";

ExitCode tools::kernelsCommand(llvm::ArrayRef<const char *> arguments) {
  KernelFlags flags;
  CommonOptions common;
  size_t top = 10;
  std::optional<size_t> limit;
  bool measure = false;
  CLI::App app("Lists the kernels of this machine, or explains which one a "
               "problem gets.");
  app.require_subcommand(1);
  CLI::App *list =
      app.add_subcommand("list", "every kernel for a data type and layout");
  flags.add(*list);
  list->add_option("--limit", limit,
                   "names to print; 0: all (default: 20, in JSON all)");
  common.addTo(*list, kNothing);
  list->footer(kListExamples);
  CLI::App *explain = app.add_subcommand(
      "explain", "explains the choice for one problem, with estimated parts");
  flags.addAnyProblem(*explain);
  explain->add_option("--top", top, "kernels to show")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  explain->add_flag("--measure", measure, "time the kernels that are shown");
  common.addTo(*explain, kThreads | kSeconds);
  explain->footer(kExplainExamples);
  app.footer(kExamples);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  KernelSets kernels;
  auto set = flags.set(kernels.context());
  if (!set)
    return reportError(set.takeError());
  if (list->parsed())
    return show(common, llvm::Expected<select::KernelList>(
                            select::listKernels(**set, limit)));
  auto problem = flags.problem(common.threads);
  if (!problem)
    return reportError(problem.takeError());
  if (&(*set)->space() == &select::defaultSpace())
    return show(common,
                select::explainByCost(kernels.registry(),
                                      select::productOf(**problem), top,
                                      measure, common.interrupt()),
                kernels.registry());
  return show(common,
              select::explainChoice(**set, *problem, top, measure,
                                    common.interrupt()),
              kernels.registry());
}
