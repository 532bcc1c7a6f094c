// `assay tune evaluate`: how good a model's picks are on measured problems, and
// whether it may replace another model.
#include "Tune.h"
#include "assay/select/Metrics.h"
#include "assay/select/ModelFolder.h"
#include "assay/select/Parquet.h"
#include "assay/support/Table.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <set>

using namespace assay;
using namespace assay::tools;
using namespace assay::select;

static std::string percent(double value) {
  return llvm::formatv("{0:f2} %", 100 * value).str();
}
static std::string withInterval(const Interval &i) {
  return llvm::formatv("{0:f2} % [{1:f2}, {2:f2}]", 100 * i.value, 100 * i.low,
                       100 * i.high)
      .str();
}

static std::vector<double> scoreRows(const Model &model,
                                     const Samples &samples) {
  std::vector<double> scores;
  for (size_t i = 0; i < samples.count(); ++i)
    scores.push_back(model.score(*model.rankingTarget(),
                                 {samples.row(i), samples.features.size()}));
  return scores;
}

/// Whether each problem was in the model's training data.
static size_t countSeen(const Model &model, const Samples &samples,
                        std::vector<bool> &seen) {
  std::set<std::string> known;
  if (const llvm::json::Array *groups = model.manifest.getArray("seen_groups"))
    for (const llvm::json::Value &group : *groups)
      known.insert(group.getAsString().value_or("").str());
  size_t count = 0;
  for (const Samples::Group &group : samples.groups) {
    seen.push_back(
        known.count(llvm::utohexstr(llvm::xxh3_64bits(group.key), true, 16)));
    count += seen.back();
  }
  return count;
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

static void printSummary(const Summary &s) {
  Table table({{"metric"}, {"value [95 % interval]", Table::Align::Right}});
  for (auto [name, interval] : {std::pair("mean efficiency", s.mean),
                                {"P50", s.p50},
                                {"P10", s.p10},
                                {"P1", s.p1},
                                {"minimum", s.min},
                                {"top-1", s.top1},
                                {"top-5", s.top5},
                                {"NDCG@1", s.ndcg1},
                                {"NDCG@5", s.ndcg5},
                                {"NDCG@10", s.ndcg10}})
    table.addRow({name, withInterval(interval)});
  table.print(llvm::outs());
}

static void printSlices(llvm::ArrayRef<Slice> slices, llvm::json::Array &json,
                        bool talk) {
  Table table({{"slice"},
               {"problems", Table::Align::Right},
               {"mean", Table::Align::Right},
               {"P10", Table::Align::Right},
               {"minimum", Table::Align::Right},
               {"top-1", Table::Align::Right},
               {"top-5", Table::Align::Right}});
  for (const Slice &slice : slices) {
    Summary s = summarize(slice.outcomes);
    table.addRow({slice.name, std::to_string(s.problems), percent(s.mean.value),
                  percent(s.p10.value), percent(s.min.value),
                  percent(s.top1.value), percent(s.top5.value)});
    llvm::json::Object object = toJson(s);
    object["slice"] = slice.name;
    json.push_back(std::move(object));
  }
  if (talk) {
    llvm::outs() << "\n";
    table.print(llvm::outs());
  }
}

/// The model on the data, or why not.
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
  return judgePicks(samples, scoreRows(model, samples));
}

ExitCode tools::tuneEvaluate(llvm::ArrayRef<const char *> arguments) {
  CLI::App app(
      "Judges a model's picks on measured problems: the rate of the picked "
      "kernel over the best measured one.\n"
      "With --baseline, applies the acceptance criteria; a model that misses "
      "one gives exit code 1.\n\n"
      "examples:\n"
      "  assay tune evaluate --model_dir models/mine --data_dir data/unseen\n"
      "  assay tune evaluate --model_dir models/v2 --data_dir data --baseline "
      "models/mine");
  std::string modelDir, dataDir, baseline, op, dtype, json;
  bool quiet = false, unseenOnly = false;
  app.add_option("--model_dir,--model-dir", modelDir, "the model folder")
      ->required();
  app.add_option("--data_dir,--data-dir", dataDir,
                 "a folder of .parquet files, or one file")
      ->required();
  app.add_option("--baseline", baseline, "a model to compare with");
  app.add_option("--op", op, "the rows to use (default: the model's)");
  app.add_option("--dtype", dtype, "the rows to use (default: the model's)");
  app.add_flag("--unseen", unseenOnly,
               "only problems that the model was not trained on");
  app.add_option("--json", json, "the metrics as JSON; - for standard output");
  app.add_flag("--quiet", quiet, "no tables");
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  llvm::Expected<Model> model = loadModel(modelDir);
  if (!model)
    return reportError(model.takeError());
  llvm::Expected<ColumnTable> table = readParquetFolder(dataDir);
  if (!table)
    return reportError(table.takeError());
  llvm::Expected<Samples> samples =
      makeSamples(*table, op.empty() ? model->spec.subject.op : op,
                  dtype.empty() ? model->spec.subject.dtype : dtype);
  if (!samples)
    return reportError(samples.takeError());
  llvm::Expected<std::vector<PickOutcome>> outcomes = judge(*model, *samples);
  if (!outcomes)
    return reportError(outcomes.takeError());
  std::vector<bool> seen;
  size_t seenCount = countSeen(*model, *samples, seen);
  auto dropSeen = [&](std::vector<PickOutcome> &list) {
    if (unseenOnly)
      llvm::erase_if(list, [&](const PickOutcome &o) { return seen[o.group]; });
  };
  dropSeen(*outcomes);
  if (outcomes->empty()) {
    llvm::errs()
        << "assay: error: nothing to judge: no problem with a valid row"
        << (unseenOnly ? " that the model has not seen" : "") << "\n";
    return ExitCode::NothingChecked;
  }
  bool talk = !quiet && json != "-";
  Summary summary = summarize(*outcomes);
  llvm::json::Array slices;
  if (talk) {
    llvm::outs() << llvm::formatv("{0} rows, {1} failed, {2} problems of which "
                                  "the model was trained on {3}\n",
                                  samples->count(), samples->failures,
                                  samples->groups.size(), seenCount);
    if (seenCount > 0 && !unseenOnly)
      llvm::outs() << "note: problems seen in training flatter the model; "
                      "--unseen leaves them out\n";
    printSummary(summary);
  }
  printSlices(sliceOutcomes(*samples, *outcomes), slices, talk);
  llvm::json::Object report{{"model", modelDir},
                            {"summary", toJson(summary)},
                            {"slices", std::move(slices)},
                            {"seen", static_cast<int64_t>(seenCount)}};
  ExitCode code = ExitCode::Ok;
  if (!baseline.empty()) {
    llvm::Expected<Model> old = loadModel(baseline);
    if (!old)
      return reportError(old.takeError());
    llvm::Expected<std::vector<PickOutcome>> before = judge(*old, *samples);
    if (!before)
      return reportError(before.takeError());
    dropSeen(*before);
    Acceptance acceptance = accept(*outcomes, *before, *samples);
    if (talk) {
      llvm::outs() << "\nagainst the baseline '" << baseline << "':\n";
      for (const std::string &line : acceptance.lines)
        llvm::outs() << "  " << line << "\n";
      llvm::outs() << (acceptance.accepted ? "accepted\n" : "NOT accepted\n");
    }
    report["accepted"] = acceptance.accepted;
    code = acceptance.accepted ? ExitCode::Ok : ExitCode::CheckFailed;
  }
  if (!json.empty())
    if (llvm::Error error = writeJson(json, std::move(report)))
      return reportError(std::move(error));
  if (json != "-")
    llvm::outs() << llvm::formatv("evaluated: {0} problems, mean efficiency "
                                  "{1}, P10 {2}, minimum {3}, top-1 {4}\n",
                                  summary.problems, percent(summary.mean.value),
                                  percent(summary.p10.value),
                                  percent(summary.min.value),
                                  percent(summary.top1.value));
  return code;
}
