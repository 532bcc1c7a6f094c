// Validates and compares models by measured time. The picks of dispatch are
// judged, since these are the kernels that run: dispatch leaves some problems
// to the analytic choice (tiny ones, huge ones, layouts that the model is not
// for).
#include "assay/select/Validate.h"
#include "assay/select/LightGbmText.h"
#include "assay/select/Manifest.h"
#include "assay/select/Metrics.h"
#include "assay/support/Progress.h"
#include "assay/support/Table.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace assay;
using namespace assay::select;

int RaceList::mostThreads() const {
  return *std::max_element(threads.begin(), threads.end());
}

static ValidateReport::Side summarizeSide(llvm::ArrayRef<Validation> rows,
                                          double Validation::*efficiencyOf) {
  ValidateReport::Side side;
  if (rows.empty())
    return side;
  std::vector<double> all, large;
  for (const Validation &row : rows) {
    double efficiency = row.*efficiencyOf;
    all.push_back(efficiency);
    if (row.bestNs >= 20e3)
      large.push_back(efficiency);
    else
      side.regretUsBelow20us = std::max(
          side.regretUsBelow20us,
          efficiency > 0 ? row.bestNs * (1 / efficiency - 1) * 1e-3 : INFINITY);
  }
  side.mean = std::accumulate(all.begin(), all.end(), 0.0) / double(all.size());
  side.p50 = quantile(all, 0.5);
  side.p10 = quantile(all, 0.1);
  side.min = quantile(all, 0);
  if (!large.empty())
    side.min20us = quantile(large, 0);
  return side;
}

/// Appends rows until the list or the budget ends, or an interrupt occurs.
static llvm::Error fillRows(ValidateReport &report, KernelSet &set,
                            ModelDispatch &dispatch,
                            llvm::ArrayRef<ProblemRef> problems,
                            const RaceList &list, const Interrupt &interrupt,
                            bool quiet) {
  ThreadPool pool(list.mostThreads());
  Interrupt budget;
  if (list.budgetSeconds > 0)
    budget.setTimeLimit(list.budgetSeconds);
  Progress progress("validate", static_cast<int64_t>(problems.size()), quiet);
  for (const ProblemRef &problem : problems) {
    if (llvm::Error error = budget.check()) {
      llvm::consumeError(std::move(error)); // only measured problems count
      return llvm::Error::success();
    }
    JudgedPicks picks{dispatch.pick(set, *problem).kernel, set.plain(*problem),
                      set.assumed(*problem)};
    auto contest = set.contest(problem, pool, list.race.seed);
    if (!contest)
      return contest.takeError();
    llvm::Expected<Validation> row =
        validateProblem(**contest, pool, picks, list.race, interrupt);
    if (!row) {
      ErrorText text = takeError(row.takeError());
      bool stopped = text.code == ErrorCode::Cancelled ||
                     text.code == ErrorCode::ResourceLimit;
      if (!stopped || report.rows.empty())
        return makeError(text.code, "{0}", text.message);
      report.stopped = std::move(text);
      return llvm::Error::success();
    }
    row->key = problem->groupKey();
    report.rows.push_back(std::move(*row));
    progress.update(static_cast<int64_t>(report.rows.size()),
                    report.rows.back().problem);
  }
  return llvm::Error::success();
}

llvm::Expected<ValidateReport>
select::validate(KernelSet &set, const std::string &modelDir,
                 llvm::ArrayRef<ProblemRef> problems, const RaceList &list,
                 const Interrupt &interrupt, bool quiet) {
  ValidateReport report;
  std::unique_ptr<KernelModel> model;
  std::vector<std::string> folders;
  if (!modelDir.empty()) {
    if (llvm::Error error = openIn(set, modelDir).moveInto(model))
      return error;
    report.note = model->note();
    folders.push_back(modelDir);
  }
  ModelDispatch dispatch(set.registry(), folders, /*anyMachine=*/bool(model));
  if (llvm::Error error = fillRows(report, set, dispatch, problems, list,
                                   interrupt, quiet))
    return error;
  std::vector<std::string> keys;
  for (const Validation &row : report.rows)
    keys.push_back(row.key);
  if (model)
    report.seen = countSeen(model->model(), keys);
  if (llvm::any_of(report.rows, [](const Validation &row) {
        return !row.assumed.empty();
      }))
    report.assumed = summarizeSide(report.rows, &Validation::assumedEfficiency);
  report.learned = summarizeSide(report.rows, &Validation::learnedEfficiency);
  report.analytic = summarizeSide(report.rows, &Validation::analyticEfficiency);
  return report;
}

static llvm::json::Value toJson(const ValidateReport::Side &side) {
  return llvm::json::Object{
      {"mean", side.mean},
      {"p50", side.p50},
      {"p10", side.p10},
      {"min", side.min},
      {"min_20us", side.min20us ? llvm::json::Value(*side.min20us)
                                : llvm::json::Value(nullptr)},
      {"regret_us_below_20us", std::isfinite(side.regretUsBelow20us)
                                   ? llvm::json::Value(side.regretUsBelow20us)
                                   : llvm::json::Value(nullptr)}};
}

llvm::json::Value ValidateReport::toJson() const {
  llvm::json::Array array;
  for (const Validation &row : rows)
    array.push_back(
        llvm::json::Object{{"problem", row.problem},
                           {"best_ns", row.bestNs},
                           {"oracle", row.oracle},
                           {"learned", row.learned},
                           {"analytic", row.analytic},
                           {"learned_efficiency", row.learnedEfficiency},
                           {"analytic_efficiency", row.analyticEfficiency},
                           {"assumed", row.assumed},
                           {"assumed_efficiency", row.assumedEfficiency},
                           {"noise", row.noise}});
  llvm::json::Object summary{{"learned", ::toJson(learned)},
                             {"analytic", ::toJson(analytic)}};
  if (assumed)
    summary["assumed"] = ::toJson(*assumed);
  return llvm::json::Object{
      {"summary", std::move(summary)},
      {"seen", seen},
      {"note", note},
      {"rows", std::move(array)}};
}

void ValidateReport::print(llvm::raw_ostream &os, bool details) const {
  using Align = Table::Align;
  Table table({{"problem"},
               {"best us", Align::Right},
               {"learned", Align::Right},
               {"analytic", Align::Right},
               {"noise", Align::Right},
               {"learned pick"}});
  for (const Validation &row : rows)
    table.addRow({row.problem,
                  llvm::formatv("{0:f2}", row.bestNs * 1e-3),
                  llvm::formatv("{0:P2}", row.learnedEfficiency),
                  llvm::formatv("{0:P2}", row.analyticEfficiency),
                  llvm::formatv("{0:P1}", row.noise), row.learned});
  if (details)
    table.print(os);
  std::vector<std::pair<const char *, const Side *>> sides{
      {"learned", &learned}, {"analytic", &analytic}};
  if (assumed)
    sides.push_back({"analytic without measured speeds", &*assumed});
  for (auto [name, side] : sides)
    os << llvm::formatv(
        "validated: {0}: mean {1:P2}, P50 {2:P2}, P10 {3:P2}, minimum {4:P2} "
        "({5}), greatest regret below 20 us {6:f2} us, over {7} problems\n",
        name, side->mean, side->p50, side->p10, side->min,
        side->min20us
            ? llvm::formatv("{0:P2} where the best takes 20 us or more",
                            *side->min20us)
                  .str()
            : "no best takes 20 us",
        side->regretUsBelow20us, rows.size());
  if (seen > 0)
    os << "note: " << seen << " of the " << rows.size()
       << " problems were in the model's training, or an ancestor's: they "
          "flatter it\n";
  if (!note.empty())
    os << "note: " << note << "\n";
}

static llvm::Error fillComparison(CompareModelsReport &report, KernelSet &set,
                                  KernelModel &fresh, KernelModel &old,
                                  const CompareModelsOptions &options,
                                  const Interrupt &interrupt) {
  int most = 1;
  for (const ProblemRef &problem : options.problems)
    most = std::max(most, problem->threads());
  ThreadPool pool(most);
  for (const ProblemRef &problem : options.problems) {
    auto mine = fresh.best(*problem), theirs = old.best(*problem);
    if (!mine || !theirs)
      continue;
    CompareModelsReport::Row row{problem->title(), set.nameOf(mine->kernel),
                                 set.nameOf(theirs->kernel)};
    if (options.measure && !row.agrees()) {
      auto timed = timePicks(set, pool, problem,
                             {theirs->kernel, mine->kernel},
                             {options.mostPairs, options.seed}, interrupt);
      if (!timed)
        return timed.takeError();
      if (timed->size() == 2) {
        row.ratio = (*timed)[1].ratio / (*timed)[0].ratio;
        row.noise = (*timed)[1].noise;
      }
    }
    report.rows.push_back(std::move(row));
  }
  llvm::stable_sort(report.rows, [](const auto &a, const auto &b) {
    return std::pair(a.agrees(), -a.ratio) < std::pair(b.agrees(), -b.ratio);
  });
  return llvm::Error::success();
}

llvm::Expected<CompareModelsReport>
select::compareModels(KernelSet &set, const CompareModelsOptions &options,
                      const Interrupt &interrupt) {
  auto fresh = openIn(set, options.modelDir);
  if (!fresh)
    return fresh.takeError();
  auto old = openIn(set, options.oldDir);
  if (!old)
    return old.takeError();
  CompareModelsReport report;
  report.measured = options.measure;
  report.output = options.output;
  for (const auto &model : {fresh->get(), old->get()})
    if (!model->note().empty())
      report.notes.push_back(model->note());
  if (llvm::Error error =
          fillComparison(report, set, **fresh, **old, options, interrupt))
    return error;
  if (report.output.empty())
    return report;
  if (llvm::Error error =
          llvm::StringRef(report.output).ends_with(".csv")
              ? writeFileAtomically(report.output, report.toCsv())
              : writeJsonFile(report.output, report.toJson()))
    return error;
  return report;
}

PickChanges CompareModelsReport::changes() const {
  PickChanges changes;
  for (const Row &row : rows)
    changes.add(row.agrees(), row.gain(), row.slack());
  return changes;
}

std::string CompareModelsReport::toCsv() const {
  std::string text =
      "problem,new_pick,old_pick,new_over_old_time,noise,change\n";
  llvm::raw_string_ostream os(text);
  for (const Row &row : rows)
    os << llvm::formatv(
        "{0},{1},{2},{3},{4:f6},{5}\n", row.problem, row.newPick, row.oldPick,
        row.ratio > 0 ? llvm::formatv("{0:f6}", row.ratio).str() : "",
        row.noise,
        row.agrees() || row.ratio > 0
            ? PickChanges::word(row.gain(), row.slack())
            : "differs");
  return text;
}

llvm::json::Value CompareModelsReport::toJson() const {
  llvm::json::Array array;
  for (const Row &row : rows) {
    if (row.agrees())
      continue;
    llvm::json::Object object{
        {"problem", row.problem}, {"new", row.newPick}, {"old", row.oldPick}};
    if (row.ratio > 0)
      object["ratio"] = row.ratio;
    array.push_back(std::move(object));
  }
  llvm::json::Object object{{"problems", static_cast<int64_t>(rows.size())},
                            {"notes", llvm::json::Array(notes)},
                            {"rows", std::move(array)}};
  if (measured)
    object["changes"] = changes().toJson();
  return object;
}

void CompareModelsReport::print(llvm::raw_ostream &os, bool details) const {
  using Align = Table::Align;
  Table table({{"problem"},
               {"new / old time", Align::Right},
               {"noise", Align::Right},
               {"new pick"},
               {"old pick"}});
  double logs = 0;
  int64_t timed = 0, different = 0;
  for (const Row &row : rows) {
    if (row.agrees())
      continue;
    ++different;
    table.addRow(
        {row.problem,
         row.ratio > 0 ? llvm::formatv("{0:f3}", row.ratio).str() : "-",
         llvm::formatv("{0:P1}", row.noise), row.newPick, row.oldPick});
    timed += row.ratio > 0;
    logs += row.ratio > 0 ? std::log(row.ratio) : 0;
  }
  if (details) {
    table.print(os);
    if (measured)
      changes().print(os);
    if (!output.empty())
      os << "written to '" << output << "'\n";
  }
  os << llvm::formatv("compared: {0} of {1} problems differ", different,
                      rows.size());
  if (timed > 0)
    os << llvm::formatv("; over those the new picks take {0:f3} of the old "
                        "ones' time (geomean)",
                        std::exp(logs / static_cast<double>(timed)));
  os << "\n";
  for (const std::string &note : notes)
    os << "note: " << note << "\n";
}
