// Why dispatch chooses a kernel: for all operations the choice, and measured
// times; for products also the order and the parts of the analytic estimates.
#include "assay/select/Ranking.h"
#include "assay/select/GemmContest.h"
#include "assay/support/Table.h"

#include <algorithm>
#include <numeric>
#include <set>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

/// The models that were not used for a choice, with reasons, and the counts, as
/// JSON.
static llvm::json::Array jsonOf(llvm::ArrayRef<PassedModel> models) {
  llvm::json::Array passed;
  for (const PassedModel &model : models)
    passed.push_back(
        llvm::json::Object{{"model", model.folder}, {"why", model.why}});
  return passed;
}
static llvm::json::Object
jsonOf(const std::map<std::string, int64_t> &refusals) {
  llvm::json::Object reasons;
  for (const auto &[reason, count] : refusals)
    reasons[reason] = count;
  return reasons;
}

//===--- Any choice ---------------------------------------------------------===//

/// Times all kernels that support the problem.
static llvm::Error measureAll(ChoiceReport &report, KernelSet &set,
                              const ProblemRef &problem, size_t top,
                              const Interrupt &interrupt) {
  ThreadPool pool(problem->threads());
  auto contest = set.contest(problem, pool, 0);
  if (!contest)
    return contest.takeError();
  auto times =
      timeContenders(**contest, (*contest)->candidates(), 25, interrupt);
  if (!times)
    return times.takeError();
  llvm::stable_sort(*times, [](const auto &a, const auto &b) {
    return a.ratio < b.ratio;
  });
  // Each measurement has its own time of the anchor. One of them serves for all
  // rows, so that the times have the order of the ratios.
  double anchorNs = times->front().ns / times->front().ratio;
  for (const TimedContender &kernel : *times) {
    std::string name = (*contest)->name(kernel.kernel);
    double ns = kernel.ratio * anchorNs;
    if (name == report.kernel)
      report.choiceUs = ns * 1e-3;
    if (report.rows.size() < top)
      report.rows.push_back({name, ns * 1e-3, problem->flops() / ns});
  }
  return llvm::Error::success();
}

llvm::Expected<ChoiceReport>
select::explainChoice(KernelSet &set, const ProblemRef &problem, size_t top,
                      bool measure, const Interrupt &interrupt) {
  ChoiceReport report;
  report.problem = problem->title();
  report.processor = set.machine().processor;
  report.isa = set.machine().isa.name;
  ModelDispatch dispatch(set.registry());
  report.answer = dispatch.ask(*problem);
  int32_t kernel = report.answer.kernel < 0 ? set.plain(*problem)
                                            : report.answer.kernel;
  report.kernel = kernel < 0 ? "" : set.nameOf(kernel);
  for (size_t i = 0; i < set.sizeFor(*problem); ++i)
    if (auto refusal = set.supports(*problem, static_cast<int32_t>(i)))
      ++report.refusals[refusal->text];
    else
      ++report.supported;
  if (measure)
    if (llvm::Error error = measureAll(report, set, problem, top, interrupt))
      return error;
  return report;
}

llvm::json::Value ChoiceReport::toJson() const {
  llvm::json::Array kernels;
  for (const Row &row : rows)
    kernels.push_back(llvm::json::Object{{"kernel", row.kernel},
                                         {"measured_us", row.us},
                                         {"gflops", row.gflops}});
  return llvm::json::Object{
      {"problem", problem},
      {"isa", isa},
      {"choice", kernel},
      {"by", answer.by},
      {"why", answer.why},
      {"passed_over", jsonOf(answer.passedOver)},
      {"supported", supported},
      {"refusals", jsonOf(refusals)},
      {"choice_us",
       choiceUs > 0 ? llvm::json::Value(choiceUs) : llvm::json::Value(nullptr)},
      {"kernels", std::move(kernels)}};
}

void ChoiceReport::print(llvm::raw_ostream &os, bool details) const {
  os << problem << " on " << processor << " (" << isa << ")\n"
     << "choice: " << kernel << ", by " << answer.by
     << (answer.why.empty() ? "" : ": " + answer.why) << "\n";
  for (const PassedModel &model : answer.passedOver)
    os << "  not asked: '" << model.folder << "': " << model.why << "\n";
  os << supported << " kernels support the problem\n";
  if (details)
    for (const auto &[reason, count] : refusals)
      os << llvm::formatv("{0,5} do not: {1}\n", count, reason);
  for (const Row &row : rows)
    os << llvm::formatv("{0,10:f1} us {1,8:f1} GFLOP/s  {2}\n", row.us,
                        row.gflops, row.kernel);
  if (choiceUs > 0)
    os << llvm::formatv("the choice takes {0:f1} us, {1:P1} of the best\n",
                        choiceUs, rows.front().us / choiceUs);
}

//===--- Products by their estimates --------------------------------------===//

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

namespace {
struct Candidate {
  GemmConfig config;
  Cost cost;
};
} // namespace

/// The supported kernels by estimated time, and the reasons why others are not
/// supported.
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

/// Times kernels of the list in one contest.
static llvm::Error timeRows(CostReport &report, Registry &registry,
                            llvm::ArrayRef<GemmConfig> configs,
                            const Interrupt &interrupt) {
  ThreadPool pool(report.problem.threads);
  GemmContest contest(registry, pool, report.problem, Layout::RCR, configs, 0);
  std::vector<int32_t> kernels(configs.size());
  std::iota(kernels.begin(), kernels.end(), 0);
  auto timed = timeContenders(contest, kernels, 25, interrupt);
  if (!timed)
    return timed.takeError();
  report.measured = true;
  for (const TimedContender &kernel : *timed)
    report.rows[static_cast<size_t>(kernel.kernel)].measuredUs =
        kernel.ns * 1e-3;
  return llvm::Error::success();
}

llvm::Expected<CostReport> select::explainByCost(Registry &registry,
                                                 const GemmProblem &problem,
                                                 size_t top, bool measure,
                                                 const Interrupt &interrupt) {
  if (auto refusal = validate(problem))
    return makeError(refusal->code, "{0}", refusal->text);
  CostReport report;
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
  if (llvm::Error error = timeRows(report, registry, configs, interrupt))
    return error;
  llvm::append_range(report.notes, registry.takeNotes());
  return report;
}

llvm::json::Value CostReport::toJson() const {
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
  return llvm::json::Object{{"problem", toString(problem)},
                            {"machine", processor},
                            {"isa", isa},
                            {"chosen_by", choice.by},
                            {"why", choice.why},
                            {"passed_over", jsonOf(choice.passedOver)},
                            {"choice", choice.config.name()},
                            {"place", place},
                            {"supported", static_cast<int64_t>(supported)},
                            {"kernels", std::move(array)},
                            {"not_offered", jsonOf(refusals)}};
}

void CostReport::print(llvm::raw_ostream &os, bool) const {
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
