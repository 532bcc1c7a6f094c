// `assay tune search`: the best kernels of one problem by a model and a budget,
// with --measure by the clock.
#include "Tune.h"
#include "assay/select/Search.h"
#include "assay/support/Table.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace assay;
using namespace assay::tools;
using namespace assay::select;

namespace {
struct SearchFlags {
  std::string modelDir, strategy = "random", json;
  KernelFlags kernels;
  ProblemFlags problem;
  LimitFlags limits;
  SearchOptions options;
  int threads = 0, pairs = 100;
  bool measure = false;
};
} // namespace

static void addFlags(CLI::App &app, SearchFlags &flags) {
  app.add_option("--model_dir,--model-dir", flags.modelDir, "the model folder")
      ->required();
  flags.kernels.add(app);
  flags.problem.add(app);
  app.add_option("--threads", flags.threads, "default: all cores");
  app.add_option("--strategy", flags.strategy, "random or de")
      ->capture_default_str();
  app.add_option("--budget", flags.options.budget, "kernels to look at")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  app.add_option("--top_k,--top-k", flags.options.top, "kernels to show")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000));
  app.add_flag("--measure", flags.measure,
               "run those kernels and order them by the clock");
  app.add_option("--pairs", flags.pairs, "most pairs of one measurement")
      ->capture_default_str()
      ->check(CLI::Range(3, 10000));
  app.add_option("--json", flags.json,
                 "the kernels as JSON; - for standard output");
  flags.limits.add(app);
}

static ExitCode report(const SearchFlags &flags,
                       const kernels::GemmProblem &problem, KernelModel &model,
                       llvm::ArrayRef<RankedKernel> found,
                       llvm::ArrayRef<TimedKernel> timed) {
  Table table({{"kernel"},
               {"predicted TFLOPS", Table::Align::Right},
               {"us", Table::Align::Right},
               {"GFLOP/s", Table::Align::Right}});
  llvm::json::Array json;
  auto add = [&](const kernels::GemmConfig &config, double tflops, double ns) {
    table.addRow(
        {config.name(), llvm::formatv("{0:f4}", tflops),
         ns > 0 ? llvm::formatv("{0:f2}", ns * 1e-3).str() : "-",
         ns > 0 ? llvm::formatv("{0:f1}", problem.flops() / ns).str() : "-"});
    llvm::json::Object object{{"kernel", config.name()},
                              {"predicted_tflops", tflops}};
    if (ns > 0)
      object["ns"] = ns;
    json.push_back(std::move(object));
  };
  auto tflopsOf = [&](int32_t kernel) {
    return model.model().trees.count(Target::Tflops)
               ? model.model().predict(Target::Tflops,
                                       model.row(problem, kernel))
               : 0;
  };
  if (timed.empty())
    for (const RankedKernel &kernel : found)
      add(model.configs()[kernel.kernel], tflopsOf(kernel.kernel), 0);
  for (const TimedKernel &kernel : timed)
    for (const RankedKernel &one : found)
      if (model.configs()[one.kernel] == kernel.config)
        add(kernel.config, tflopsOf(one.kernel), kernel.ns);
  if (!flags.json.empty())
    if (llvm::Error error = writeJson(
            flags.json,
            llvm::json::Object{{"problem", kernels::toString(problem)},
                               {"kernels", std::move(json)}}))
      return reportError(std::move(error));
  if (flags.json != "-")
    table.print(llvm::outs());
  return ExitCode::Ok;
}

ExitCode tools::tuneSearch(llvm::ArrayRef<const char *> arguments) {
  CLI::App app("Looks for the best kernels of one problem among those that "
               "this machine offers.\n\n"
               "examples:\n"
               "  assay tune search --model_dir models/gemm_f32_rcr --m 128 "
               "--n 1536 --k 7168 --strategy random --budget 500\n"
               "  assay tune search --model_dir models/gemm_f32_rcr --m 1 --n "
               "4096 --k 4096 --strategy de --measure");
  SearchFlags flags;
  addFlags(app, flags);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  if (llvm::Error error = flags.kernels.check())
    return reportError(std::move(error));
  std::optional<Strategy> strategy = parseStrategy(flags.strategy);
  if (!strategy)
    return reportError(makeError(ErrorCode::InvalidArgument,
                                 "--strategy is '{0}', expected random or de",
                                 flags.strategy));
  flags.options.strategy = *strategy;
  flags.options.seed = flags.limits.seed;
  llvm::Expected<kernels::GemmProblem> problem =
      flags.problem.make(flags.kernels, flags.threads);
  if (!problem)
    return reportError(problem.takeError());
  llvm::Expected<Model> model = loadModel(flags.modelDir);
  if (!model)
    return reportError(model.takeError());
  kernels::Registry registry;
  auto kernelModel = KernelModel::create(std::move(*model), registry);
  if (!kernelModel)
    return reportError(kernelModel.takeError());
  llvm::Expected<std::vector<RankedKernel>> found =
      search(**kernelModel, registry, *problem, flags.options);
  if (!found)
    return reportError(found.takeError());
  std::vector<TimedKernel> timed;
  if (flags.measure) {
    std::vector<kernels::GemmConfig> configs;
    for (const RankedKernel &kernel : *found)
      configs.push_back((*kernelModel)->configs()[kernel.kernel]);
    ThreadPool pool(problem->threads);
    auto result = timeKernels(registry, pool, *problem, configs, flags.pairs,
                              flags.limits.seed, flags.limits.interrupt());
    if (!result)
      return reportError(result.takeError());
    timed = std::move(*result);
    std::stable_sort(timed.begin(), timed.end(),
                     [](const TimedKernel &a, const TimedKernel &b) {
                       return a.ratio < b.ratio;
                     });
  }
  printNotes(registry);
  return report(flags, *problem, **kernelModel, *found, timed);
}
