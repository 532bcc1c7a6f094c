// How a comparison is shown. The first columns are torch_xray's; every number is
// written from the same MetricValue, shortened in the table and in full in CSV
// and JSON. An undefined metric is an empty cell, never 0.
#include "assay/trace/CompareReport.h"
#include "assay/numerics/Text.h"
#include "assay/support/Table.h"
#include "assay/trace/Values.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

namespace assay::trace {

namespace json = llvm::json;

static const AlignItem *targetOf(const Comparison &comparison,
                                 const ComparedRow &row) {
  return row.pair.target < 0 ? nullptr : &comparison.item(row, true);
}

static const AlignItem *benchOf(const Comparison &comparison,
                                const ComparedRow &row) {
  return row.pair.bench < 0 ? nullptr : &comparison.item(row, false);
}

std::string rowName(const Comparison &comparison, const ComparedRow &row) {
  return comparison.item(row).name.text();
}

static const char *statusText(RowStatus status) {
  static constexpr const char *kTexts[] = {"", "Fail", "Unmatched"};
  return kTexts[static_cast<int>(status)];
}

static std::string cell(const numerics::MetricValue &value, int digits) {
  if (!value.defined)
    return "";
  return value.text.empty() ? figure(value.value, digits) : value.text;
}

static std::string shapeText(const Comparison &comparison,
                             const ComparedRow &row) {
  auto text = [](const AlignItem *item) {
    std::vector<std::string> sizes;
    for (int64_t size : item->type.shape)
      sizes.push_back(std::to_string(size));
    return "[" + llvm::join(sizes, ", ") + "]";
  };
  const AlignItem *target = targetOf(comparison, row),
                  *bench = benchOf(comparison, row);
  if (!target || !bench || target->type.shape == bench->type.shape)
    return text(target ? target : bench);
  return text(target) + " | " + text(bench);
}

static std::string dtypeText(const Comparison &comparison,
                             const ComparedRow &row) {
  const AlignItem *target = targetOf(comparison, row),
                  *bench = benchOf(comparison, row);
  std::string first =
      numerics::numpyName((target ? target : bench)->type.element);
  if (!target || !bench || target->type.element == bench->type.element)
    return first;
  return first + " | " + numerics::numpyName(bench->type.element);
}

static std::string matchText(const ComparedRow &row) {
  if (row.pair.how.empty())
    return "";
  return row.pair.confidence >= 1
             ? row.pair.how
             : row.pair.how + " " + figure(row.pair.confidence, 3);
}

static std::vector<std::string> titles() {
  std::vector<std::string> result = {"Index", "Status", "Module"};
  for (const numerics::Metric *metric : comparedMetrics())
    result.push_back(metric->column);
  result.insert(result.end(),
                {"Target value", "Bench value", "Shape", "Dtype", "Rule",
                 "Match", "Step", "Rank", "Bench module", "Reason"});
  return result;
}

static std::vector<std::string> cells(const Comparison &comparison,
                                      size_t index, int digits) {
  const ComparedRow &row = comparison.rows[index];
  std::vector<std::string> result = {
      std::to_string(index), statusText(row.status), rowName(comparison, row)};
  for (size_t i = 0; i < comparedMetrics().size(); ++i)
    result.push_back(row.compared ? cell(row.metrics[i], digits) : "");
  const AlignItem *target = targetOf(comparison, row),
                  *bench = benchOf(comparison, row);
  int64_t step = (target ? target : bench)->name.step;
  std::string benchName =
      target && bench && bench->name.text() != target->name.text()
          ? bench->name.text()
          : "";
  result.insert(result.end(),
                {row.targetValue, row.benchValue, shapeText(comparison, row),
                 dtypeText(comparison, row), row.rule, matchText(row),
                 step < 0 ? "" : std::to_string(step),
                 std::to_string(comparison.rank), benchName, row.reason});
  return result;
}

void printCompareHeader(const Comparison &comparison, llvm::raw_ostream &os) {
  os << "target (tested):  " << comparison.targetPath << "\n"
     << "bench (trusted):  " << comparison.benchPath << "\n"
     << "rule: " << comparison.ruleName
     << "; IsClose: |t - b| <= " << figure(comparison.pair.atol, 6) << " + "
     << figure(comparison.pair.rtol, 6) << " |b|; GtNum: |t - b| > "
     << figure(comparison.pair.greaterThan, 6) << "\n";
  for (const Rename &rename : comparison.alignment.renames)
    os << "renamed " << rename.kind << ": '" << rename.target << "' is '"
       << rename.bench << "' in the bench (" << rename.modules
       << (rename.modules == 1 ? " module)\n" : " modules)\n");
  for (const auto &[step, order] : comparison.sampleOrders)
    os << "step " << step
       << ": the samples of the batch are in another order, the target's are "
          "the bench's "
       << sampleOrderText(order) << ": compared sample by sample\n";
}

void printComparison(const Comparison &comparison, bool onlyBad,
                     llvm::raw_ostream &os) {
  constexpr size_t kShown =
      14; // up to ULP max; further columns where informative
  std::vector<std::string> names = titles();
  std::vector<Table::Column> columns;
  for (size_t i = 0; i < kShown; ++i)
    columns.push_back(
        {names[i], i == 2 ? Table::Align::Left : Table::Align::Right});
  columns.push_back({"NaN/Inf", Table::Align::Left});
  columns.push_back({"Match", Table::Align::Left});
  columns.push_back({"Reason", Table::Align::Left});
  Table table(std::move(columns));
  for (size_t i = 0; i < comparison.rows.size(); ++i) {
    if (onlyBad && comparison.rows[i].status == RowStatus::Pass)
      continue;
    std::vector<std::string> all = cells(comparison, i, 6),
                             shown(all.begin(), all.begin() + kShown);
    std::string reason = all.back(), benchName = all[all.size() - 2];
    if (!benchName.empty())
      reason = "bench: " + benchName + (reason.empty() ? "" : "; " + reason);
    shown.insert(shown.end(),
                 {all[kShown], matchText(comparison.rows[i]), reason});
    table.addRow(std::move(shown));
  }
  table.print(os);
}

std::string compareSummary(const Comparison &comparison) {
  return llvm::formatv("{0} tensors compared: {1} pass, {2} Fail; {3} only in "
                       "the target, {4} only in the bench",
                       comparison.passed + comparison.failed, comparison.passed,
                       comparison.failed, comparison.unmatchedTarget,
                       comparison.unmatchedBench)
      .str();
}

void writeComparisonCsv(const Comparison &comparison, llvm::raw_ostream &os) {
  auto line = [&](llvm::ArrayRef<std::string> values) {
    for (size_t i = 0; i < values.size(); ++i)
      os << (i ? "," : "") << csvCell(values[i]);
    os << "\n";
  };
  line(titles());
  for (size_t i = 0; i < comparison.rows.size(); ++i)
    line(cells(comparison, i, 17));
}

json::Value jsonNumber(double value) {
  if (std::isfinite(value))
    return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

json::Object comparisonJson(const Comparison &comparison) {
  json::Array rows, renames;
  for (size_t i = 0; i < comparison.rows.size(); ++i) {
    const ComparedRow &row = comparison.rows[i];
    const AlignItem *target = targetOf(comparison, row),
                    *bench = benchOf(comparison, row);
    json::Object object{
        {"index", static_cast<int64_t>(i)},
        {"status",
         row.status == RowStatus::Pass ? "Pass" : statusText(row.status)},
        {"target", target ? json::Value(json::fixUTF8(target->name.text()))
                          : json::Value(nullptr)},
        {"bench", bench ? json::Value(json::fixUTF8(bench->name.text()))
                        : json::Value(nullptr)},
        {"step", (target ? target : bench)->name.step},
        {"rank", comparison.rank},
        {"shape", shapeText(comparison, row)},
        {"dtype", dtypeText(comparison, row)},
        {"match", row.pair.how},
        {"confidence", row.pair.confidence},
        {"rule", row.rule},
        {"reason", json::fixUTF8(row.reason)}};
    for (size_t m = 0; row.compared && m < comparedMetrics().size(); ++m) {
      const numerics::MetricValue &value = row.metrics[m];
      object[comparedMetrics()[m]->key] = !value.defined ? json::Value(nullptr)
                                          : !value.text.empty()
                                              ? json::Value(value.text)
                                              : jsonNumber(value.value);
    }
    if (row.compared) {
      object["target_value"] = row.targetValue;
      object["bench_value"] = row.benchValue;
    }
    rows.push_back(std::move(object));
  }
  for (const Rename &rename : comparison.alignment.renames)
    renames.push_back(json::Object{{"kind", rename.kind},
                                   {"target", json::fixUTF8(rename.target)},
                                   {"bench", json::fixUTF8(rename.bench)},
                                   {"modules", rename.modules}});
  return json::Object{{"target", json::fixUTF8(comparison.targetPath)},
                      {"bench", json::fixUTF8(comparison.benchPath)},
                      {"rule", comparison.ruleName},
                      {"rtol", comparison.pair.rtol},
                      {"atol", comparison.pair.atol},
                      {"gtnum", comparison.pair.greaterThan},
                      {"passed", comparison.passed},
                      {"failed", comparison.failed},
                      {"unmatched_target", comparison.unmatchedTarget},
                      {"unmatched_bench", comparison.unmatchedBench},
                      {"renames", std::move(renames)},
                      {"rows", std::move(rows)}};
}

NameMap mapOf(const Comparison &comparison) {
  NameMap map;
  if (!comparison.sampleOrders.empty())
    map.samples = comparison.sampleOrders.begin()->second;
  for (const Rename &rename : comparison.alignment.renames)
    if (rename.kind == "prefix")
      map.prefixes.push_back({rename.target, rename.bench});
  for (const ComparedRow &row : comparison.rows) {
    const AlignItem *target = targetOf(comparison, row),
                    *bench = benchOf(comparison, row);
    if (!target)
      continue;
    if (!bench) {
      map.tensors[target->name.text()] = std::nullopt;
      continue;
    }
    std::string left = target->name.callText(), right = bench->name.callText();
    if (left != right)
      map.modules[left] = right;
    bool sameItem = target->name.kind == bench->name.kind &&
                    target->name.item == bench->name.item;
    if (!sameItem)
      map.tensors[target->name.text()] = bench->name.text();
  }
  return map;
}

} // namespace assay::trace
