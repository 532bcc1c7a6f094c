// `assay tune validate`: a model's picks and the analytic model's against a
// fresh oracle, by the clock.
#include "Tune.h"
#include "assay/kernels/CostModel.h"
#include "assay/select/Metrics.h"
#include "assay/select/Search.h"
#include "assay/support/Progress.h"
#include "assay/support/Table.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace assay;
using namespace assay::tools;
using namespace assay::select;

namespace {
struct ValidateFlags {
  std::string modelDir;
  size_t sample = 60;
  RaceFlags race{"sample:400", 60};
};
} // namespace

static void addFlags(CLI::App &app, ValidateFlags &flags) {
  app.add_option("--model_dir,--model-dir", flags.modelDir, "the model folder")
      ->required();
  app.add_option("--sample", flags.sample, "problems to draw from the list")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  flags.race.add(app);
}

static double meanOf(const std::vector<double> &values) {
  double sum = 0;
  for (double value : values)
    sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

static llvm::json::Object summaryOf(llvm::ArrayRef<Validation> rows,
                                    llvm::raw_ostream *os) {
  llvm::json::Object json;
  for (bool learned : {true, false}) {
    std::vector<double> all, large;
    double worstRegretUs = 0;
    for (const Validation &row : rows) {
      double efficiency =
          learned ? row.learnedEfficiency : row.analyticEfficiency;
      all.push_back(efficiency);
      if (row.bestNs >= 20e3)
        large.push_back(efficiency);
      else
        worstRegretUs =
            std::max(worstRegretUs,
                     efficiency > 0 ? row.bestNs * (1 / efficiency - 1) * 1e-3
                                    : INFINITY);
    }
    const char *name = learned ? "learned" : "analytic";
    double least = large.empty() ? 1 : quantile(large, 0);
    json[name] = llvm::json::Object{
        {"mean", meanOf(all)},
        {"p50", quantile(all, 0.5)},
        {"p10", quantile(all, 0.1)},
        {"min", quantile(all, 0)},
        {"min_20us", least},
        {"regret_us_below_20us", std::isfinite(worstRegretUs)
                                     ? llvm::json::Value(worstRegretUs)
                                     : llvm::json::Value(nullptr)}};
    if (os)
      *os << llvm::formatv(
          "validated: {0}: mean {1:P2}, P50 {2:P2}, P10 {3:P2}, minimum {4:P2} "
          "({5:P2} where the best takes 20 us "
          "or more), greatest regret below 20 us {6:f2} us, over {7} "
          "problems\n",
          name, meanOf(all), quantile(all, 0.5), quantile(all, 0.1),
          quantile(all, 0), least, worstRegretUs, rows.size());
  }
  return json;
}

ExitCode tools::tuneValidate(llvm::ArrayRef<const char *> arguments) {
  CLI::App app(
      "Measures, for problems that need not be in any data set, the "
      "best kernels of a fresh race, what dispatch picks with the model and\n"
      "the analytic pick again in turns, and counts only these second "
      "measurements.\n\n"
      "examples:\n"
      "  assay tune validate --model_dir models/gemm_f32_rcr --shapes "
      "unseen.csv --sample 60 --threads 1,2");
  ValidateFlags flags;
  addFlags(app, flags);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  llvm::Expected<RaceFlags::Parsed> parsed = flags.race.parse();
  if (!parsed)
    return reportError(parsed.takeError());
  const std::vector<int> &threads = parsed->threads;
  llvm::Expected<Model> model = loadModel(flags.modelDir);
  if (!model)
    return reportError(model.takeError());
  kernels::Registry registry;
  auto kernelModel = KernelModel::create(std::move(*model), registry);
  if (!kernelModel)
    return reportError(kernelModel.takeError());
  std::vector<Shape> sample = sampleShapes(
      std::move(parsed->shapes), flags.sample, flags.race.limits.seed);
  std::unique_ptr<kernels::Selector> analytic =
      kernels::makeAnalyticSelector(registry);
  // What is judged is what runs: dispatch leaves some problems to the analytic
  // choice (tiny ones, huge ones, layouts that the model is not for).
  LearnedSelector dispatch(registry, {flags.modelDir});
  ThreadPool pool(*std::max_element(threads.begin(), threads.end()));
  const RaceOptions &race = parsed->race;
  Interrupt interrupt = flags.race.limits.interrupt(), budget;
  if (flags.race.budget > 0)
    budget.setTimeLimit(flags.race.budget);
  Progress progress("validate",
                    static_cast<int64_t>(sample.size() * threads.size()),
                    flags.race.quiet);
  std::vector<Validation> rows;
  llvm::json::Array json;
  Table table({{"problem"},
               {"best us", Table::Align::Right},
               {"learned", Table::Align::Right},
               {"analytic", Table::Align::Right},
               {"noise", Table::Align::Right},
               {"learned pick"}});
  bool stopped = false;
  for (const Shape &shape : sample)
    for (int count : threads) {
      if (llvm::Error error = budget.check()) {
        llvm::consumeError(std::move(
            error)); // the budget is no failure: what was measured counts
        stopped = true;
      }
      if (stopped)
        break;
      kernels::GemmProblem problem = kernels::GemmProblem::make(
          (*kernelModel)->types(), (*kernelModel)->layout(), shape.m, shape.n,
          shape.k, shape.batch, count);
      llvm::Expected<Validation> row =
          validateProblem(registry, pool, problem, (*kernelModel)->types(),
                          (*kernelModel)->layout(), dispatch.choose(problem),
                          analytic->choose(problem), race, interrupt);
      if (!row) {
        ErrorText text = takeError(row.takeError());
        if (text.code != ErrorCode::Cancelled &&
            text.code != ErrorCode::ResourceLimit)
          return reportError(makeError(text.code, "{0}", text.message));
        stopped = true;
        break;
      }
      progress.update(static_cast<int64_t>(rows.size()),
                      kernels::toString(problem));
      table.addRow({kernels::toString(problem),
                    llvm::formatv("{0:f2}", row->bestNs * 1e-3),
                    llvm::formatv("{0:P2}", row->learnedEfficiency),
                    llvm::formatv("{0:P2}", row->analyticEfficiency),
                    llvm::formatv("{0:P1}", row->noise), row->learned});
      json.push_back(
          llvm::json::Object{{"problem", kernels::toString(problem)},
                             {"best_ns", row->bestNs},
                             {"oracle", row->oracle},
                             {"learned", row->learned},
                             {"analytic", row->analytic},
                             {"learned_efficiency", row->learnedEfficiency},
                             {"analytic_efficiency", row->analyticEfficiency},
                             {"noise", row->noise}});
      rows.push_back(std::move(*row));
    }
  progress.finish();
  printNotes(registry);
  if (rows.empty()) {
    llvm::errs() << "assay: error: nothing was validated\n";
    return Interrupt::requested() ? ExitCode::Interrupted
                                  : ExitCode::NothingChecked;
  }
  bool talk = flags.race.json != "-";
  if (talk && !flags.race.quiet)
    table.print(llvm::outs());
  llvm::json::Object summary = summaryOf(rows, talk ? &llvm::outs() : nullptr);
  if (!flags.race.json.empty())
    if (llvm::Error error = writeJson(
            flags.race.json, llvm::json::Object{{"summary", std::move(summary)},
                                                {"rows", std::move(json)}}))
      return reportError(std::move(error));
  return Interrupt::requested() ? ExitCode::Interrupted : ExitCode::Ok;
}
