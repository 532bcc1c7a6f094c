// Evaluation on a data set: scores of all rows, picks per problem, a summary
// with intervals, slices, and the acceptance criteria against a baseline.
#include "assay/select/Evaluate.h"
#include "assay/select/LightGbmText.h"
#include "assay/select/Manifest.h"
#include "assay/select/Parquet.h"
#include "assay/support/Table.h"

using namespace assay;
using namespace assay::select;

static std::string percent(double value) {
  return llvm::formatv("{0:f2} %", 100 * value).str();
}

/// The model's picks on the data, or why there are none.
static llvm::Expected<std::vector<PickOutcome>> judge(const Model &model,
                                                      const Samples &samples) {
  if (llvm::Error error = checkSchema(model))
    return error;
  if (llvm::Error error = checkSubject(model, samples))
    return error;
  if (!model.rankingTarget())
    return makeError(ErrorCode::NotFound,
                     "the model '{0}' has neither efficiency nor tflops, which "
                     "rank kernels",
                     model.folder);
  std::vector<double> scores;
  for (size_t i = 0; i < samples.count(); ++i)
    scores.push_back(model.score(*model.rankingTarget(), samples.exactRow(i)));
  return judgePicks(samples, scores);
}

/// The data with the features that the model sees. CK Tile's depend on its GPU.
static llvm::Expected<Samples>
readSamples(const EvaluateOptions &options, const Subject &subject,
            const std::optional<CkHardware> &hardware) {
  llvm::Expected<ColumnTable> table = readParquetFolder(options.dataDir);
  if (!table)
    return table.takeError();
  return makeSamples(*table, options.op.empty() ? subject.op : options.op,
                     options.dtype.empty() ? subject.dtype : options.dtype,
                     hardware, subject.variant);
}

static std::vector<JudgedPick>
judgedPicks(const Samples &samples, llvm::ArrayRef<PickOutcome> outcomes) {
  std::vector<JudgedPick> picks;
  for (const PickOutcome &o : outcomes)
    picks.push_back({samples.groups[o.group], samples.kernel[o.best],
                     samples.kernel[o.pick], samples.tflops[o.best],
                     samples.tflops[o.pick], o.efficiency, "", 0});
  return picks;
}

/// Adds the baseline's results to a report that has those of the model.
static void compareWith(const Samples &samples,
                        llvm::ArrayRef<PickOutcome> fresh,
                        llvm::ArrayRef<PickOutcome> before,
                        EvaluateReport &report) {
  report.acceptance = accept(fresh, before, samples);
  report.oldSummary = summarize(before);
  // Both sides have a pick for each problem with a valid row, in order.
  for (size_t i = 0; i < fresh.size(); ++i) {
    report.picks[i].oldPick = samples.kernel[before[i].pick];
    report.picks[i].oldEfficiency = before[i].efficiency;
    report.changes.add(fresh[i].pick == before[i].pick,
                       fresh[i].efficiency - before[i].efficiency);
  }
}

static std::string toCsv(const EvaluateReport &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  bool compared = report.acceptance.has_value();
  os << "m,n,k,batch,threads,layout,best_kernel,best_tflops,pick,pick_tflops,"
        "efficiency"
     << (compared ? ",old_pick,old_efficiency,change" : "") << "\n";
  for (const JudgedPick &p : report.picks) {
    os << llvm::formatv("{0},{1},{2},{3},{4},{5},{6},{7:f6},{8},{9:f6},{10:f6}",
                        p.problem.m, p.problem.n, p.problem.k, p.problem.batch,
                        p.problem.threads, p.problem.layout, p.best,
                        p.bestTflops, p.pick, p.pickTflops, p.efficiency);
    if (compared)
      os << llvm::formatv(",{0},{1:f6},{2}", p.oldPick, p.oldEfficiency,
                          PickChanges::word(p.efficiency - p.oldEfficiency));
    os << "\n";
  }
  return text;
}

static llvm::Error writeOutput(const EvaluateReport &report) {
  if (llvm::StringRef(report.output).ends_with(".csv"))
    return writeFileAtomically(report.output, toCsv(report));
  return writeJsonFile(report.output, report.toJson());
}

/// The model's outcomes on the samples, without the problems that are left out.
static llvm::Expected<std::vector<PickOutcome>>
judgeWanted(const Model &model, const Samples &samples,
            const std::vector<bool> &leftOut) {
  llvm::Expected<std::vector<PickOutcome>> outcomes = judge(model, samples);
  if (outcomes)
    llvm::erase_if(*outcomes,
                   [&](const PickOutcome &o) { return leftOut[o.group]; });
  return outcomes;
}

/// The baseline's outcomes, on the features of its own hardware.
static llvm::Expected<std::vector<PickOutcome>>
judgeOld(const Model &old, const Model &model, const EvaluateOptions &options,
         const Samples &samples, const std::vector<bool> &leftOut) {
  if (old.spec.hardware == model.spec.hardware)
    return judgeWanted(old, samples, leftOut);
  auto own = readSamples(options, model.spec.subject, old.spec.hardware);
  if (!own)
    return own.takeError();
  return judgeWanted(old, *own, leftOut);
}

llvm::Expected<EvaluateReport>
select::evaluate(const EvaluateOptions &options) {
  llvm::Expected<Model> model = loadModel(options.modelDir);
  if (!model)
    return model.takeError();
  llvm::Expected<Samples> samples =
      readSamples(options, model->spec.subject, model->spec.hardware);
  if (!samples)
    return samples.takeError();
  std::vector<bool> seen = findSeen(*model, *samples),
                    leftOut(seen.size(), false);
  if (options.unseenOnly)
    leftOut = seen;
  auto outcomes = judgeWanted(*model, *samples, leftOut);
  if (!outcomes)
    return outcomes.takeError();
  EvaluateReport report;
  report.modelDir = options.modelDir;
  report.baseline = options.baseline;
  report.output = options.output;
  report.rows = samples->count();
  report.problems = samples->groups.size();
  report.failures = samples->failures;
  report.seen = llvm::count(seen, true);
  report.unseenOnly = options.unseenOnly;
  report.note = otherMachine(*model, *samples);
  if (outcomes->empty())
    return report;
  report.summary = summarize(*outcomes);
  report.slices = sliceOutcomes(*samples, *outcomes);
  report.picks = judgedPicks(*samples, *outcomes);
  if (!options.baseline.empty()) {
    llvm::Expected<Model> old = loadModel(options.baseline);
    if (!old)
      return old.takeError();
    auto before = judgeOld(*old, *model, options, *samples, leftOut);
    if (!before)
      return before.takeError();
    compareWith(*samples, *outcomes, *before, report);
  }
  if (!report.output.empty())
    if (llvm::Error error = writeOutput(report))
      return error;
  return report;
}

static llvm::json::Object toJson(const Interval &i) {
  return llvm::json::Object{
      {"value", i.value}, {"low", i.low}, {"high", i.high}};
}

static llvm::json::Object toJson(const Summary &s) {
  return llvm::json::Object{{"problems", static_cast<int64_t>(s.problems)},
                            {"mean", toJson(s.mean)},
                            {"p50", toJson(s.p50)},
                            {"p10", toJson(s.p10)},
                            {"p1", toJson(s.p1)},
                            {"min", toJson(s.min)},
                            {"geomean", s.geomean},
                            {"top1", toJson(s.top1)},
                            {"top5", toJson(s.top5)},
                            {"ndcg1", toJson(s.ndcg1)},
                            {"ndcg5", toJson(s.ndcg5)},
                            {"ndcg10", toJson(s.ndcg10)}};
}

llvm::json::Value EvaluateReport::toJson() const {
  llvm::json::Array array;
  for (const Slice &slice : slices) {
    llvm::json::Object object = ::toJson(summarize(slice.outcomes));
    object["slice"] = slice.name;
    array.push_back(std::move(object));
  }
  llvm::json::Object object{{"model", modelDir},
                            {"summary", ::toJson(summary)},
                            {"slices", std::move(array)},
                            {"seen", static_cast<int64_t>(seen)},
                            {"note", note}};
  llvm::json::Array list;
  for (const JudgedPick &p : picks) {
    llvm::json::Object pick{{"m", p.problem.m},
                            {"n", p.problem.n},
                            {"k", p.problem.k},
                            {"batch", p.problem.batch},
                            {"threads", p.problem.threads},
                            {"layout", p.problem.layout},
                            {"best_kernel", p.best},
                            {"best_tflops", p.bestTflops},
                            {"pick", p.pick},
                            {"pick_tflops", p.pickTflops},
                            {"efficiency", p.efficiency}};
    if (acceptance) {
      pick["old_pick"] = p.oldPick;
      pick["old_efficiency"] = p.oldEfficiency;
    }
    list.push_back(std::move(pick));
  }
  object["picks"] = std::move(list);
  if (acceptance) {
    object["accepted"] = acceptance->accepted;
    object["old_summary"] = ::toJson(oldSummary);
    object["changes"] = changes.toJson();
  }
  return object;
}

/// Prints old and new side by side, and the changes.
static void printComparison(llvm::raw_ostream &os,
                            const EvaluateReport &report) {
  using Align = Table::Align;
  os << "\nagainst the baseline '" << report.baseline << "':\n";
  Table table({{"metric"},
               {"old model", Align::Right},
               {"new model", Align::Right},
               {"delta", Align::Right}});
  const Summary &a = report.oldSummary, &b = report.summary;
  for (auto [name, old, fresh] :
       {std::tuple("mean efficiency", a.mean.value, b.mean.value),
        {"median efficiency", a.p50.value, b.p50.value},
        {"P10 efficiency", a.p10.value, b.p10.value},
        {"minimum", a.min.value, b.min.value}})
    table.addRow(
        {name, llvm::formatv("{0:f4}", old), llvm::formatv("{0:f4}", fresh),
         llvm::formatv("{0}{1:f4}", fresh >= old ? "+" : "", fresh - old)});
  table.print(os);
  report.changes.print(os);
  for (const std::string &line : report.acceptance->lines)
    os << "  " << line << "\n";
  os << (report.acceptance->accepted
             ? "PASS: the new model maintains quality; accepted\n"
             : "FAIL: the new model loses quality; NOT accepted\n");
}

static void printSummary(llvm::raw_ostream &os, const Summary &s) {
  Table table({{"metric"}, {"value [95 % interval]", Table::Align::Right}});
  for (auto [name, i] : {std::pair("mean efficiency", s.mean),
                         {"P50", s.p50},
                         {"P10", s.p10},
                         {"P1", s.p1},
                         {"minimum", s.min},
                         {"top-1", s.top1},
                         {"top-5", s.top5},
                         {"NDCG@1", s.ndcg1},
                         {"NDCG@5", s.ndcg5},
                         {"NDCG@10", s.ndcg10}})
    table.addRow({name, llvm::formatv("{0:f2} % [{1:f2}, {2:f2}]",
                                      100 * i.value, 100 * i.low, 100 * i.high)
                            .str()});
  table.print(os);
}

static void printSlices(llvm::raw_ostream &os, llvm::ArrayRef<Slice> slices) {
  using Align = Table::Align;
  Table table({{"slice"},
               {"problems", Align::Right},
               {"mean", Align::Right},
               {"P10", Align::Right},
               {"minimum", Align::Right},
               {"top-1", Align::Right},
               {"top-5", Align::Right}});
  for (const Slice &slice : slices) {
    Summary s = summarize(slice.outcomes);
    table.addRow({slice.name, std::to_string(s.problems), percent(s.mean.value),
                  percent(s.p10.value), percent(s.min.value),
                  percent(s.top1.value), percent(s.top5.value)});
  }
  os << "\n";
  table.print(os);
}

void EvaluateReport::print(llvm::raw_ostream &os, bool details) const {
  if (details) {
    os << llvm::formatv("{0} rows, {1} failed, {2} problems of which the model "
                        "was trained on {3}\n",
                        rows, failures, problems, seen);
    if (seen > 0 && !unseenOnly)
      os << "note: problems seen in training flatter the model; --unseen "
            "leaves them out\n";
    printSummary(os, summary);
    printSlices(os, slices);
    if (acceptance)
      printComparison(os, *this);
    if (!output.empty())
      os << "written to '" << output << "'\n";
  }
  os << llvm::formatv("evaluated: {0} problems, mean efficiency {1}, P10 {2}, "
                      "minimum {3}, top-1 {4}\n",
                      summary.problems, percent(summary.mean.value),
                      percent(summary.p10.value), percent(summary.min.value),
                      percent(summary.top1.value));
  if (!note.empty())
    os << "note: " << note << "\n";
}

ExitCode EvaluateReport::exitCode() const {
  if (summary.problems == 0)
    return ExitCode::NothingChecked;
  return !acceptance || acceptance->accepted ? ExitCode::Ok
                                             : ExitCode::CheckFailed;
}
