// Imports and exports around the models; each reads or writes a whole file.
#include "assay/select/Export.h"
#include "assay/select/DataFile.h"
#include "assay/select/LightGbmText.h"
#include "assay/select/Parquet.h"
#include "assay/select/RocmInfo.h"

#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace assay;
using namespace assay::select;

llvm::Expected<std::string> select::featureTable(llvm::StringRef op) {
  llvm::ArrayRef<FeatureInfo> features = featuresOf(op);
  if (features.empty())
    return noFeatures(op);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "| # | feature | depends on | kind | formula "
        "|\n|---|---|---|---|---|\n";
  for (size_t i = 0; i < features.size(); ++i)
    os << "| " << i << " | `" << features[i].name << "` | "
       << toString(features[i].axis) << " | "
       << (features[i].categorical ? "category" : "number") << " | "
       << features[i].formula << " |\n";
  os << "\nSchema " << schemaHash(features) << ", " << features.size()
     << " features.\n";
  return text;
}

llvm::Error select::exportFeatures(llvm::StringRef data, llvm::StringRef op,
                                   llvm::StringRef dtype,
                                   llvm::StringRef output) {
  llvm::Expected<ColumnTable> table = readParquetFolder(data);
  if (!table)
    return table.takeError();
  llvm::Expected<Samples> samples = makeSamples(*table, op, dtype);
  if (!samples)
    return samples.takeError();
  ColumnTable out;
  out.rows = static_cast<int64_t>(samples->count());
  for (size_t f = 0; f < samples->features.size(); ++f) {
    Column &column = out.add(samples->features[f].name, ColumnType::Float);
    for (size_t i = 0; i < samples->count(); ++i)
      column.numbers.push_back(samples->row(i)[f]);
  }
  out.add("label_tflops", ColumnType::Float).numbers = samples->tflops;
  out.add("label_latency", ColumnType::Float).numbers = samples->latencyMs;
  out.add("label_bandwidth", ColumnType::Float).numbers = samples->bandwidth;
  out.add("noise", ColumnType::Float).numbers = samples->noise;
  Column &key = out.add("problem", ColumnType::Text);
  for (size_t i = 0; i < samples->count(); ++i)
    key.texts.push_back(samples->groups[samples->group[i]].key);
  out.add("kernel_name", ColumnType::Text).texts = samples->kernel;
  if (llvm::Error error = checkOverwrite(output))
    return error;
  return writeParquet(out, output);
}

llvm::Expected<llvm::json::Object>
select::featureValues(const Problem &problem, llvm::StringRef kernel,
                      llvm::StringRef machineText) {
  kernels::Machine machine = kernels::Machine::detect();
  if (!machineText.empty()) {
    std::optional<kernels::Machine> parsed = machineOfClass(machineText);
    if (!parsed)
      return makeError(ErrorCode::InvalidArgument,
                       "--machine is '{0}', expected text like 'avx2 l1=32K "
                       "l2=512K l3=8192K'",
                       machineText);
    machine = *parsed;
  }
  llvm::Expected<std::vector<float>> row =
      problem.space().row(problem, kernel, machine);
  if (!row)
    return row.takeError();
  llvm::json::Object object;
  for (auto [feature, value] : llvm::zip_equal(problem.space().features(), *row))
    object[feature.name] = value;
  return object;
}

/// The numbers of one CSV line.
static llvm::Expected<std::vector<double>> parseLine(llvm::StringRef line,
                                                     size_t features,
                                                     llvm::StringRef path,
                                                     int64_t number) {
  llvm::SmallVector<llvm::StringRef> cells;
  line.split(cells, ',');
  if (cells.size() != features)
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' line {1} has {2} cells, the model has {3} features",
                     path, number, cells.size(), features);
  std::vector<double> row;
  for (llvm::StringRef cell : cells) {
    llvm::StringRef text = cell.trim();
    double value = std::nan("");
    if (!text.empty() && !text.equals_insensitive("nan") &&
        text.getAsDouble(value))
      return makeError(ErrorCode::InvalidArgument,
                       "'{0}' line {1}: '{2}' is not a number", path, number,
                       cell.take_front(40));
    row.push_back(value);
  }
  return row;
}

llvm::Expected<std::vector<double>> select::scoreCsv(const TreeModel &model,
                                                     llvm::StringRef path) {
  llvm::Expected<std::string> text = readMaybeGzip(path);
  if (!text)
    return text.takeError();
  std::vector<double> scores;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(*text).split(lines, '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].trim().empty())
      continue;
    llvm::Expected<std::vector<double>> row = parseLine(
        lines[i], model.featureNames.size(), path, static_cast<int64_t>(i) + 1);
    if (!row)
      return row.takeError();
    scores.push_back(model.predict(*row));
  }
  return scores;
}

/// Adds the rows of other files; reports columns that cannot be merged.
static llvm::Error mergeFiles(llvm::ArrayRef<std::string> paths,
                              ColumnTable &table, ConvertReport &report) {
  for (const std::string &path : paths) {
    llvm::Expected<ColumnTable> more = readParquet(path);
    if (!more)
      return more.takeError();
    auto isNew = [&](const Column &column) { return !table.find(column.name); };
    size_t all = table.columns.size() + llvm::count_if(more->columns, isNew);
    appendTable(table, *more);
    report.merged += more->rows;
    if (size_t left = all - table.columns.size())
      report.notes.push_back(
          llvm::formatv(
              "{0} columns are text in '{1}' and numbers elsewhere, or "
              "the other way round, and were left out",
              left, path)
              .str());
  }
  return llvm::Error::success();
}

llvm::Expected<ConvertReport> select::convertFile(const ConvertFiles &files,
                                                  ConvertOptions options) {
  llvm::Expected<std::string> text = readMaybeGzip(files.input);
  if (!text)
    return text.takeError();
  if (files.captureHardware)
    if (llvm::Error error =
            captureHardware(options.arch).moveInto(options.hardware.emplace()))
      return error;
  ConvertReport report;
  llvm::Expected<ColumnTable> table =
      convertCk(*text, files.input, options, report);
  if (!table)
    return table.takeError();
  if (llvm::Error error = mergeFiles(files.mergeWith, *table, report))
    return error;
  if (llvm::Error error = checkOverwrite(files.output))
    return error;
  if (llvm::Error error = writeParquet(*table, files.output))
    return error;
  report.output = files.output;
  return report;
}

llvm::json::Value ConvertReport::toJson() const {
  return llvm::json::Object{
      {"rows", rows},       {"valid", valid},
      {"damaged", damaged}, {"problems", problems},
      {"merged", merged},   {"notes", llvm::json::Array(notes)}};
}

void ConvertReport::print(llvm::raw_ostream &os, bool) const {
  os << llvm::formatv("converted: {0} rows ({1} valid), {2} damaged records "
                      "left out; ",
                      rows, valid, damaged);
  if (merged > 0)
    os << "merged with " << merged << " rows of other files; ";
  os << "written to '" << output << "'\n";
  for (const std::string &note : notes)
    os << "note: " << note << "\n";
}

/// The hash of this machine's list of kernels, for a model of this data.
static std::string registryOf(const Samples &samples) {
  const LocalSpace *space = findLocal(samples.subject.op);
  const std::string &layout = samples.groups[0].layout;
  if (!space || !space->has(samples.subject.dtype, layout))
    return ""; // data of kernels other than ours
  return space->listHash(samples.subject.dtype, layout, kernels::Registry());
}

/// The file for a model of these rows when the user names none.
static std::string folderOf(const Samples &samples) {
  const Subject &s = samples.subject;
  std::string name = s.op + "_" + (s.variant.empty() ? "" : s.variant + "_") +
                     s.dtype + "_" +
                     (samples.hardware ? s.arch : samples.groups[0].layout);
  return inside("models", name);
}

llvm::Expected<TrainReport> select::trainFolder(const TrainRows &rows,
                                                const TrainOptions &asked,
                                                const std::string &output,
                                                const TrainLog &log) {
  llvm::Expected<ColumnTable> table = readParquetFolder(rows.folder);
  if (!table)
    return table.takeError();
  std::string op = rows.op, dtype = rows.dtype, direction = rows.direction;
  if (!direction.empty() && !ckDirection(direction))
    return makeError(ErrorCode::InvalidArgument,
                     "--direction is '{0}', expected forward, bwd_data or "
                     "bwd_weight",
                     direction);
  if (!asked.warmStart.empty()) {
    llvm::Expected<Model> parent = loadDescription(asked.warmStart);
    if (!parent)
      return parent.takeError();
    op = op.empty() ? parent->spec.subject.op : op;
    dtype = dtype.empty() ? parent->spec.subject.dtype : dtype;
    if (direction.empty() && op == parent->spec.subject.op)
      direction = parent->spec.subject.variant;
  }
  if (!op.empty() && featuresOf(op).empty())
    return noFeatures(op);
  llvm::Expected<Samples> samples =
      makeSamples(*table, op, dtype, std::nullopt, direction);
  if (!samples)
    return samples.takeError();
  if (!rows.arch.empty() && rows.arch != samples->subject.arch)
    return makeError(ErrorCode::InvalidArgument,
                     "the data is of '{0}', --arch says '{1}'",
                     samples->subject.arch, rows.arch);
  TrainOptions options = asked;
  if (options.choosesTrees)
    if (llvm::Error error =
            chooseTrees(*samples, options, log).moveInto(options))
      return error;
  std::string folder = output.empty() ? folderOf(*samples) : output;
  auto targets = train(*samples, registryOf(*samples), options, folder, log);
  if (!targets)
    return targets.takeError();
  return TrainReport{std::move(*targets), folder,
                     static_cast<int64_t>(samples->count()) - samples->failures,
                     static_cast<int64_t>(samples->groups.size())};
}

llvm::json::Value TrainReport::toJson() const {
  llvm::json::Array array;
  for (const TargetReport &report : targets)
    array.push_back(llvm::json::Object{{"target", toString(report.target)},
                                       {"trees", report.finalTrees}});
  return array;
}

void TrainReport::print(llvm::raw_ostream &os, bool) const {
  os << "trained: " << rows << " rows over " << problems
     << " problems; the model is in '" << folder << "'\n";
}
