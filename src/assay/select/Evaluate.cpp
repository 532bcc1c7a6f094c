// Evaluation on a data set: scores of all rows, picks per problem, a summary
// with intervals, slices, and the acceptance criteria against a baseline.
#include "assay/select/Evaluate.h"
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
    scores.push_back(model.score(*model.rankingTarget(),
                                 {samples.row(i), samples.features.size()}));
  return judgePicks(samples, scores);
}

static llvm::Expected<Samples> readSamples(const EvaluateOptions &options,
                                           const Subject &subject) {
  llvm::Expected<ColumnTable> table = readParquetFolder(options.dataDir);
  if (!table)
    return table.takeError();
  return makeSamples(*table, options.op.empty() ? subject.op : options.op,
                     options.dtype.empty() ? subject.dtype : options.dtype);
}

llvm::Expected<EvaluateReport>
select::evaluate(const EvaluateOptions &options) {
  llvm::Expected<Model> model = loadModel(options.modelDir);
  if (!model)
    return model.takeError();
  llvm::Expected<Samples> samples = readSamples(options, model->spec.subject);
  if (!samples)
    return samples.takeError();
  llvm::Expected<std::vector<PickOutcome>> outcomes = judge(*model, *samples);
  if (!outcomes)
    return outcomes.takeError();
  std::vector<bool> seen = findSeen(*model, *samples);
  auto dropSeen = [&](std::vector<PickOutcome> &list) {
    if (options.unseenOnly)
      llvm::erase_if(list, [&](const PickOutcome &o) { return seen[o.group]; });
  };
  dropSeen(*outcomes);
  EvaluateReport report;
  report.modelDir = options.modelDir;
  report.baseline = options.baseline;
  report.rows = samples->count();
  report.problems = samples->groups.size();
  report.failures = samples->failures;
  report.seen = llvm::count(seen, true);
  report.unseenOnly = options.unseenOnly;
  if (outcomes->empty())
    return report;
  report.summary = summarize(*outcomes);
  report.slices = sliceOutcomes(*samples, *outcomes);
  if (options.baseline.empty())
    return report;
  llvm::Expected<Model> old = loadModel(options.baseline);
  if (!old)
    return old.takeError();
  llvm::Expected<std::vector<PickOutcome>> before = judge(*old, *samples);
  if (!before)
    return before.takeError();
  dropSeen(*before);
  report.acceptance = accept(*outcomes, *before, *samples);
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
                            {"seen", static_cast<int64_t>(seen)}};
  if (acceptance)
    object["accepted"] = acceptance->accepted;
  return object;
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
    if (acceptance) {
      os << "\nagainst the baseline '" << baseline << "':\n";
      for (const std::string &line : acceptance->lines)
        os << "  " << line << "\n";
      os << (acceptance->accepted ? "accepted\n" : "NOT accepted\n");
    }
  }
  os << llvm::formatv("evaluated: {0} problems, mean efficiency {1}, P10 {2}, "
                      "minimum {3}, top-1 {4}\n",
                      summary.problems, percent(summary.mean.value),
                      percent(summary.p10.value), percent(summary.min.value),
                      percent(summary.top1.value));
}

ExitCode EvaluateReport::exitCode() const {
  if (summary.problems == 0)
    return ExitCode::NothingChecked;
  return !acceptance || acceptance->accepted ? ExitCode::Ok
                                             : ExitCode::CheckFailed;
}
