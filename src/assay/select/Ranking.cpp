// The reports about one problem's kernels. Ranking and searching end in the
// same table; explaining adds what the analytic model thinks.
#include "assay/select/Ranking.h"
#include "assay/select/Manifest.h"
#include "assay/select/ModelSurvey.h"
#include "assay/support/Table.h"
#include "assay/support/UserFolder.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

/// The targets of one kernel as one time, so that they agree: the geometric mean
/// of what each says. Each is a model of its own, and outside of their training
/// they drift apart.
static void reconcile(double flops, double bytes,
                      std::map<Target, double> &predicted) {
  double logs = 0;
  int count = 0;
  auto add = [&](Target target, auto milliseconds) {
    auto found = predicted.find(target);
    if (found == predicted.end() || found->second <= 0)
      return;
    logs += std::log(milliseconds(found->second));
    ++count;
  };
  add(Target::Tflops, [&](double x) { return flops / x * 1e-9; });
  add(Target::Latency, [&](double x) { return x; });
  add(Target::Bandwidth, [&](double x) { return bytes / x * 1e-6; });
  if (count == 0)
    return;
  double ms = std::exp(logs / count);
  for (auto &[target, value] : predicted)
    value = target == Target::Tflops      ? flops / ms * 1e-9
            : target == Target::Latency   ? ms
            : target == Target::Bandwidth ? bytes / ms * 1e-6
                                          : value;
}

/// What a reader of a ranking should know.
static std::string noteOf(const KernelModel &model,
                          const GemmProblem &problem) {
  std::string note = model.note(),
              outside = outsideOfTraining(model.model(), problem);
  if (outside.empty())
    return note;
  return outside + ": a guess" + (note.empty() ? "" : "; " + note);
}

RankingReport::Row select::predictedRow(const Model &model,
                                        llvm::StringRef kernel, double score,
                                        llvm::ArrayRef<float> features,
                                        double flops, double bytes) {
  RankingReport::Row row;
  row.kernel = kernel.str();
  row.score = score;
  for (const auto &[target, trees] : model.trees)
    row.predicted[target] = model.predict(target, features);
  reconcile(flops, bytes, row.predicted);
  if (model.rankingTarget() == Target::Efficiency)
    row.share = toValue(model.spec.targets.at(Target::Efficiency), score, 0);
  return row;
}

static RankingReport::Row rowOf(const KernelModel &model,
                                const GemmProblem &problem,
                                const RankedKernel &ranked) {
  return predictedRow(model.model(), model.configs()[ranked.kernel].name(),
                      ranked.score, model.row(problem, ranked.kernel),
                      problem.flops(), problem.bytes());
}

static void setProblem(RankingReport &report, const GemmProblem &problem,
                       Layout layout) {
  report.problem = toString(problem, layout);
  report.flops = problem.flops(), report.bytes = problem.bytes();
}

static llvm::Error checkKind(const KernelModel &model,
                             const GemmProblem &problem) {
  if (model.types() == problem.types() && problem.isOf(model.layout()))
    return llvm::Error::success();
  return makeError(ErrorCode::InvalidArgument,
                   "the model '{0}' is of {1} {2}, asked for is {3}",
                   model.model().folder, toString(model.types()),
                   toString(model.layout()), toString(problem));
}

llvm::Expected<RankingReport>
select::rankBy(llvm::Expected<KernelModel *> model, const GemmProblem &problem,
               size_t top) {
  if (!model)
    return model.takeError();
  if (llvm::Error error = checkKind(**model, problem))
    return error;
  auto start = std::chrono::steady_clock::now();
  std::vector<RankedKernel> ranked = (*model)->rank(problem, top);
  RankingReport report;
  report.rankUs = std::chrono::duration<double, std::micro>(
                      std::chrono::steady_clock::now() - start)
                      .count();
  if (ranked.empty())
    return makeError(ErrorCode::Unsupported, "no kernel supports {0}",
                     toString(problem));
  setProblem(report, problem, (*model)->layout());
  report.note = noteOf(**model, problem);
  report.kernels = (*model)->configs().size();
  for (const RankedKernel &kernel : ranked)
    report.rows.push_back(rowOf(**model, problem, kernel));
  return report;
}

llvm::Expected<RankingReport> select::rankByModel(Registry &registry,
                                                  const std::string &modelDir,
                                                  const GemmProblem &problem,
                                                  size_t top) {
  auto model = openModel(modelDir, registry);
  if (!model)
    return model.takeError();
  return rankBy(model->get(), problem, top);
}

llvm::Expected<RankingReport::Row>
select::predictFor(llvm::Expected<KernelModel *> model,
                   const GemmProblem &problem, llvm::StringRef kernel) {
  if (!model)
    return model.takeError();
  if (llvm::Error error = checkKind(**model, problem))
    return error;
  llvm::ArrayRef<GemmConfig> configs = (*model)->configs();
  auto found = llvm::find_if(configs, [&](const GemmConfig &config) {
    return config.name() == kernel;
  });
  if (found == configs.end())
    return makeError(ErrorCode::NotFound, "no kernel is called '{0}'", kernel);
  if (auto refusal = (*model)->registry().supports(problem, *found))
    return makeError(refusal->code, "{0}", refusal->text);
  RankedKernel ranked{static_cast<int32_t>(found - configs.begin()), 0};
  ranked.score = (*model)->model().score(*(*model)->model().rankingTarget(),
                                         (*model)->row(problem, ranked.kernel));
  return rowOf(**model, problem, ranked);
}

std::vector<GemmConfig> select::kernelsFor(const Registry &registry,
                                           const GemmProblem &problem) {
  std::vector<GemmConfig> all;
  std::set<std::string> names;
  for (Layout layout : {Layout::RCR, Layout::RRR, Layout::CRR, Layout::CCR})
    if (problem.isOf(layout))
      for (const GemmConfig &config :
           registry.enumerate(problem.types(), layout))
        if (names.insert(config.name()).second)
          all.push_back(config);
  if (all.empty()) // strides of no plain layout
    all = registry.enumerate(problem.types(), Layout::RCR).vec();
  return all;
}

llvm::Expected<std::vector<RankingReport::Row>>
select::rankByCost(Registry &registry, const GemmProblem &problem, size_t top) {
  std::vector<std::pair<double, const GemmConfig *>> supported;
  std::vector<GemmConfig> all = kernelsFor(registry, problem);
  for (const GemmConfig &config : all)
    if (!registry.supports(problem, config))
      supported.push_back(
          {estimate(problem, config, registry.machine()).totalNs(), &config});
  if (supported.empty())
    return makeError(ErrorCode::Unsupported, "no kernel supports {0}",
                     toString(problem));
  llvm::stable_sort(supported, llvm::less_first());
  std::vector<RankingReport::Row> rows;
  for (const auto &[ns, config] : llvm::ArrayRef(supported).take_front(top))
    rows.push_back({config->name(), -ns, {}, 0, 0});
  return rows;
}

llvm::Expected<KernelModel *> ModelCache::of(const GemmProblem &problem) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::string name =
      toString(problem.types()) + " " + toString(problem.modelLayout());
  std::unique_ptr<KernelModel> &model = models_[name];
  if (model)
    return model.get();
  auto found = folder_.empty() ? findModel(problem, registry_)
                               : openModel(folder_, registry_);
  if (!found)
    return found.takeError();
  model = std::move(*found);
  return model.get();
}

llvm::Expected<std::unique_ptr<KernelModel>>
select::findModel(const GemmProblem &problem, Registry &registry) {
  KernelKind kind{problem.types(), problem.modelLayout()};
  std::string tried;
  for (const FoundModel &found :
       surveyModels(registry, modelFolders(), ModelKind(kind),
                    /*anyMachine=*/true)) {
    auto model = openModel(found.folder, registry);
    if (model)
      return model;
    tried += "; " + takeError(model.takeError()).message;
  }
  return makeError(ErrorCode::NotFound,
                   "no model of {0} {1} is installed{2}; `assay tune auto` "
                   "makes one",
                   toString(kind.types), toString(kind.layout), tried);
}

llvm::Expected<RankingReport>
select::searchByModel(Registry &registry, const std::string &modelDir,
                      const GemmProblem &problem, const SearchOptions &options,
                      int mostPairs, const Interrupt &interrupt) {
  auto model = openModel(modelDir, registry);
  if (!model)
    return model.takeError();
  RankingReport report;
  setProblem(report, problem, (*model)->layout());
  report.note = noteOf(**model, problem);
  report.kernels = (*model)->configs().size();
  if (llvm::Error error = checkKind(**model, problem))
    return error;
  if (options.strategy == Strategy::Active) {
    ThreadPool pool(problem.threads);
    auto measured =
        searchByClock(**model, pool, problem, options, mostPairs, interrupt);
    if (!measured)
      return measured.takeError();
    for (const MeasuredKernel &kernel : *measured) {
      report.rows.push_back(rowOf(**model, problem, kernel.ranked));
      report.rows.back().ns = kernel.ns;
    }
    return report;
  }
  auto found = search(**model, registry, problem, options);
  if (!found)
    return found.takeError();
  std::vector<GemmConfig> configs;
  for (const RankedKernel &kernel : *found) {
    report.rows.push_back(rowOf(**model, problem, kernel));
    configs.push_back((*model)->configs()[kernel.kernel]);
  }
  if (mostPairs == 0)
    return report;
  ThreadPool pool(problem.threads);
  auto timed = timeKernels(registry, pool, problem, configs, mostPairs,
                           options.seed, interrupt);
  if (!timed)
    return timed.takeError();
  for (RankingReport::Row &row : report.rows)
    for (const TimedKernel &kernel : *timed)
      if (kernel.config.name() == row.kernel)
        row.ns = kernel.ns;
  std::erase_if(report.rows, [](const auto &row) { return row.ns == 0; });
  llvm::stable_sort(report.rows,
                    [](const auto &a, const auto &b) { return a.ns < b.ns; });
  return report;
}

llvm::json::Value RankingReport::toJson() const {
  llvm::json::Array array;
  for (const Row &row : rows) {
    llvm::json::Object object{{"kernel", row.kernel}, {"score", row.score}};
    for (auto [target, value] : row.predicted)
      object[toString(target)] = value;
    if (rankUs == 0 && row.predicted.count(Target::Tflops))
      object["predicted_tflops"] = row.predicted.at(Target::Tflops);
    if (row.ns > 0)
      object["ns"] = row.ns;
    array.push_back(std::move(object));
  }
  return llvm::json::Object{
      {"problem", problem}, {"note", note}, {"kernels", std::move(array)}};
}

void RankingReport::print(llvm::raw_ostream &os, bool details) const {
  using Align = Table::Align;
  // The first figure is what orders the rows.
  bool measured = !rows.empty() && rows[0].ns > 0,
       rated = !rows.empty() && rows[0].share > 0;
  std::vector<Table::Column> columns{{"kernel"}};
  if (measured)
    for (const char *title : {"measured us", "GFLOP/s"})
      columns.push_back({title, Align::Right});
  if (rated)
    columns.push_back({"of best", Align::Right});
  for (const char *title : {"TFLOPS", "ms", "GB/s"})
    columns.push_back({title, Align::Right});
  Table table(std::move(columns));
  for (const Row &row : rows) {
    auto cell = [&](Target target, const char *format) {
      auto found = row.predicted.find(target);
      return found == row.predicted.end()
                 ? std::string("-")
                 : llvm::formatv(false, format, found->second).str();
    };
    std::vector<std::string> cells{row.kernel};
    if (measured) {
      cells.push_back(llvm::formatv("{0:f2}", row.ns * 1e-3));
      cells.push_back(llvm::formatv("{0:f1}", flops / row.ns));
    }
    if (rated)
      cells.push_back(llvm::formatv("{0:P1}", row.share));
    cells.push_back(cell(Target::Tflops, "{0:f4}"));
    cells.push_back(cell(Target::Latency, "{0:f5}"));
    cells.push_back(cell(Target::Bandwidth, "{0:f2}"));
    table.addRow(std::move(cells));
  }
  if (details)
    table.print(os);
  if (rankUs > 0)
    os << llvm::formatv("predicted: {0} of {1} kernels for {2}, ranked in "
                        "{3:f0} us\n",
                        rows.size(), kernels, problem, rankUs);
  if (!note.empty())
    os << "note: " << note << "\n";
}

namespace {
struct Candidate {
  GemmConfig config;
  Cost cost;
};
} // namespace

/// The supported kernels by estimated time, and the reasons of the others.
static std::vector<Candidate>
orderByEstimate(Registry &registry, const GemmProblem &problem,
                std::map<std::string, int64_t> &refusals) {
  std::vector<Candidate> candidates;
  for (const GemmConfig &config : kernelsFor(registry, problem)) {
    if (auto refusal = registry.supports(problem, config))
      ++refusals[std::string(toString(config.family)) + ": " + refusal->text];
    else
      candidates.push_back(
          {config, estimate(problem, config, registry.machine())});
  }
  llvm::stable_sort(candidates, [](const Candidate &x, const Candidate &y) {
    return x.cost.totalNs() < y.cost.totalNs();
  });
  return candidates;
}

llvm::Expected<ChoiceReport> select::explainChoice(Registry &registry,
                                                   const GemmProblem &problem,
                                                   size_t top, bool measure,
                                                   const Interrupt &interrupt) {
  if (auto refusal = validate(problem))
    return makeError(refusal->code, "{0}", refusal->text);
  ChoiceReport report;
  report.problem = problem;
  report.processor = registry.machine().processor;
  report.isa = registry.machine().isa.name;
  std::vector<Candidate> candidates =
      orderByEstimate(registry, problem, report.refusals);
  report.choice = LearnedSelector(registry).explain(problem);
  auto chosen = llvm::find_if(candidates, [&](const Candidate &c) {
    return c.config == report.choice.config;
  });
  report.place = chosen - candidates.begin() + 1;
  if (chosen != candidates.end())
    std::rotate(candidates.begin(), chosen, chosen + 1);
  report.supported = candidates.size();
  candidates.resize(std::min(top, candidates.size()));
  std::vector<GemmConfig> configs;
  for (const Candidate &candidate : candidates) {
    report.rows.push_back({candidate.config.name(), candidate.cost});
    configs.push_back(candidate.config);
  }
  report.notes = registry.takeNotes();
  if (!measure)
    return report;
  ThreadPool pool(problem.threads);
  auto timed = timeKernels(registry, pool, problem, configs, 25, 0, interrupt);
  if (!timed)
    return timed.takeError();
  report.measured = true;
  for (ChoiceReport::Row &row : report.rows)
    for (const TimedKernel &kernel : *timed)
      if (kernel.config.name() == row.kernel)
        row.measuredUs = kernel.ns * 1e-3;
  llvm::append_range(report.notes, registry.takeNotes());
  return report;
}

llvm::json::Value ChoiceReport::toJson() const {
  llvm::json::Array array;
  for (const Row &row : rows) {
    const Cost &c = row.cost;
    llvm::json::Object object{
        {"kernel", row.kernel},      {"ns", c.totalNs()},
        {"compute_ns", c.computeNs}, {"memory_ns", c.memoryNs},
        {"packing_ns", c.packingNs}, {"epilogue_ns", c.epilogueNs},
        {"launch_ns", c.launchNs}};
    if (row.measuredUs > 0)
      object["measured_ns"] = row.measuredUs * 1e3;
    array.push_back(std::move(object));
  }
  llvm::json::Array passed;
  for (const PassedModel &model : choice.passedOver)
    passed.push_back(
        llvm::json::Object{{"model", model.folder}, {"why", model.why}});
  llvm::json::Object reasons;
  for (const auto &[reason, count] : refusals)
    reasons[reason] = count;
  return llvm::json::Object{{"problem", toString(problem)},
                            {"machine", processor},
                            {"isa", isa},
                            {"chosen_by", choice.by},
                            {"why", choice.why},
                            {"passed_over", std::move(passed)},
                            {"choice", choice.config.name()},
                            {"place", place},
                            {"supported", static_cast<int64_t>(supported)},
                            {"kernels", std::move(array)},
                            {"not_offered", std::move(reasons)}};
}

void ChoiceReport::print(llvm::raw_ostream &os, bool) const {
  os << "problem: " << toString(problem) << "\nmachine: " << processor << ", "
     << isa << "\nchosen by: " << choice.by
     << (choice.why.empty() ? "" : " (" + choice.why + ")");
  for (const PassedModel &model : choice.passedOver)
    os << "\nnot asked: '" << model.folder << "': " << model.why;
  os << "\nchoice: " << choice.config.name();
  if (choice.why.empty())
    os << ", number " << place << " in the analytic model's order";
  os << "\n" << supported << " kernels support the problem\n\n";
  std::vector<Table::Column> columns{{"kernel"}};
  for (const char *title :
       {"us", "compute", "memory", "packing", "epilogue", "launch"})
    columns.push_back({title, Table::Align::Right});
  if (measured)
    columns.push_back({"measured us", Table::Align::Right});
  Table table(std::move(columns));
  for (const Row &row : rows) {
    std::vector<std::string> cells{row.kernel};
    for (double ns :
         {row.cost.totalNs(), row.cost.computeNs, row.cost.memoryNs,
          row.cost.packingNs, row.cost.epilogueNs, row.cost.launchNs})
      cells.push_back(llvm::formatv("{0:f1}", ns * 1e-3));
    if (measured)
      cells.push_back(row.measuredUs > 0
                          ? llvm::formatv("{0:f1}", row.measuredUs).str()
                          : "-");
    table.addRow(std::move(cells));
  }
  table.print(os);
  if (!refusals.empty())
    os << "\nnot offered:\n";
  for (const auto &[reason, count] : refusals)
    os << llvm::formatv("  {0,6} {1}\n", count, reason);
  for (const std::string &note : notes)
    os << "note: " << note << "\n";
}
