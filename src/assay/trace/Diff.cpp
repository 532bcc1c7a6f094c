// The comparison of two result files of generated operator tests. Each file
// counts, by decades, how many elements are off against the CPU; the target is
// judged by the bench's counts, so the rounding of the operator on the trusted
// device does not count against the tested one.
#include "assay/trace/Diff.h"
#include "assay/support/Table.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace assay::trace {

namespace json = llvm::json;

static std::string decadeTitle(int n) { return "1e-" + std::to_string(n + 1); }

static llvm::Error checkColumns(const CsvFile &file, llvm::StringRef path) {
  std::vector<std::string> wanted = {"name",    "op_name", "dtype",   "shape",
                                     "min-val", "max-val", "is_pass", "max"};
  for (int n = 0; n < kDiffDecades; ++n)
    wanted.push_back(decadeTitle(n));
  for (const std::string &title : wanted)
    if (!file.columns.contains(title))
      return makeError(ErrorCode::InvalidArgument,
                       "'{0}' has no column '{1}'; expected the CSV of "
                       "generated tests (--detail_compare_path)",
                       path, title);
  return llvm::Error::success();
}

static llvm::Expected<DiffSide> readSide(const CsvFile &file, size_t row,
                                         llvm::StringRef path) {
  DiffSide side;
  side.present = true;
  side.isPass = file.cell(row, "is_pass").trim().str();
  llvm::StringRef verdict = side.isPass;
  side.passed = verdict.equals_insensitive("pass") ||
                verdict.equals_insensitive("passed") ||
                verdict.equals_insensitive("true");
  side.max = file.cell(row, "max").trim().str();
  bool known =
      side.max.empty() || !llvm::StringRef(side.max).getAsDouble(side.maxError);
  if (llvm::StringRef(side.max).contains_insensitive("nan") ||
      llvm::StringRef(side.max).contains_insensitive("inf")) {
    side.maxError = HUGE_VAL;
    known = true;
  }
  for (int n = 0; n < kDiffDecades; ++n) {
    llvm::StringRef text = file.cell(row, decadeTitle(n)).trim();
    double count = 0;
    known &= text.empty() || !text.getAsDouble(count);
    side.decades[static_cast<size_t>(n)] =
        static_cast<int64_t>(std::min(std::max(count, 0.0), 1e18));
  }
  if (!known)
    return makeError(
        ErrorCode::InvalidArgument,
        "'{0}' row {1} ('{2}'): max and the decades must be numbers", path,
        row + 2, file.cell(row, "name"));
  return side;
}

/// Elements of a shape printed as "[260, 1152]" (1 for anything else).
static int64_t elementsOf(llvm::StringRef shape) {
  int64_t count = 1, size;
  while (!shape.empty()) {
    shape = shape.ltrim("[](), x");
    if (shape.consumeInteger(10, size))
      break;
    if (size < 0 || __builtin_mul_overflow(count, size, &count))
      return 1;
  }
  return count;
}

static void judge(DiffRow &row) {
  const DiffSide &t = row.target, &b = row.bench;
  row.verdict = "pass";
  if (!t.present || !b.present) {
    row.verdict = "Unmatched";
    row.reason = t.present ? "only in the target" : "only in the bench";
    return;
  }
  if (!t.passed) {
    row.verdict = "Fail";
    row.reason = b.passed ? "the target's test says '" + t.isPass + "'"
                          : "both tests say '" + t.isPass + "'";
    return;
  }
  int64_t slack = std::max<int64_t>(1, elementsOf(row.shape) / 1000);
  if (t.maxError <= 2 * b.maxError)
    return;
  for (int n = 0; n < kDiffDecades; ++n) {
    int64_t target = t.decades[static_cast<size_t>(n)],
            bench = b.decades[static_cast<size_t>(n)];
    if (target <= 2 * bench + slack)
      continue;
    row.verdict = "Fail";
    row.reason =
        llvm::formatv("{0} elements are off by more than {1}, in the bench {2}",
                      target, decadeTitle(n), bench);
    return;
  }
}

static DiffRow describe(const CsvFile &file, size_t i) {
  return {file.cell(i, "name").str(),
          file.cell(i, "op_name").str(),
          file.cell(i, "dtype").str(),
          file.cell(i, "shape").str(),
          file.cell(i, "min-val").str(),
          file.cell(i, "max-val").str(),
          {},
          {},
          "",
          ""};
}

llvm::Expected<DiffResult> diffResults(llvm::StringRef targetPath,
                                       llvm::StringRef benchPath) {
  llvm::Expected<CsvFile> target = readCsv(targetPath),
                          bench = readCsv(benchPath);
  if (!target || !bench)
    return llvm::joinErrors(target.takeError(), bench.takeError());
  if (llvm::Error error = llvm::joinErrors(checkColumns(*target, targetPath),
                                           checkColumns(*bench, benchPath)))
    return error;
  DiffResult result;
  result.targetLabel = llvm::sys::path::stem(targetPath).str();
  result.benchLabel = llvm::sys::path::stem(benchPath).str();
  if (result.targetLabel == result.benchLabel) {
    result.targetLabel = "target";
    result.benchLabel = "bench";
  }
  llvm::StringMap<std::vector<size_t>>
      benchRows; // a name may occur several times (several outputs)
  for (size_t i = bench->rows.size(); i-- > 0;)
    benchRows[bench->cell(i, "name")].push_back(i);
  std::vector<bool> used(bench->rows.size());
  auto add = [&](DiffRow row) {
    judge(row);
    ++(row.verdict == "pass"   ? result.passed
       : row.verdict == "Fail" ? result.failed
                               : result.unmatched);
    result.rows.push_back(std::move(row));
  };
  for (size_t i = 0; i < target->rows.size(); ++i) {
    DiffRow row = describe(*target, i);
    llvm::Expected<DiffSide> side = readSide(*target, i, targetPath);
    if (!side)
      return side.takeError();
    row.target = *side;
    std::vector<size_t> &candidates = benchRows[row.name];
    if (!candidates.empty()) {
      size_t other = candidates.back();
      candidates.pop_back();
      used[other] = true;
      llvm::Expected<DiffSide> trusted = readSide(*bench, other, benchPath);
      if (!trusted)
        return trusted.takeError();
      row.bench = *trusted;
    }
    add(std::move(row));
  }
  for (size_t i = 0; i < bench->rows.size(); ++i) {
    if (used[i])
      continue;
    DiffRow row = describe(*bench, i);
    llvm::Expected<DiffSide> side = readSide(*bench, i, benchPath);
    if (!side)
      return side.takeError();
    row.bench = *side;
    add(std::move(row));
  }
  return result;
}

static std::string countText(const DiffSide &side, int n) {
  return side.present ? std::to_string(side.decades[static_cast<size_t>(n)])
                      : "";
}

static std::vector<std::string> titlesOf(const DiffResult &result) {
  std::vector<std::string> titles = {"name",
                                     "op_name",
                                     "dtype",
                                     "shape",
                                     "min-val",
                                     "max-val",
                                     "is_pass",
                                     result.targetLabel + "_max",
                                     result.benchLabel + "_max"};
  for (int n = 0; n < kDiffDecades; ++n) {
    titles.push_back(result.benchLabel + "_" + decadeTitle(n));
    titles.push_back(result.targetLabel + "_" + decadeTitle(n));
  }
  titles.push_back("reason");
  return titles;
}

static std::vector<std::string> cellsOf(const DiffRow &row) {
  std::vector<std::string> cells = {row.name,    row.opName,     row.dtype,
                                    row.shape,   row.minValue,   row.maxValue,
                                    row.verdict, row.target.max, row.bench.max};
  for (int n = 0; n < kDiffDecades; ++n) {
    cells.push_back(countText(row.bench, n));
    cells.push_back(countText(row.target, n));
  }
  cells.push_back(row.reason);
  return cells;
}

void printDiff(const DiffResult &result, llvm::raw_ostream &os) {
  constexpr size_t kShown =
      9; // the decades are in the CSV; here the reason names them
  std::vector<std::string> titles = titlesOf(result);
  std::vector<Table::Column> columns;
  for (size_t i = 0; i < kShown; ++i)
    columns.push_back(
        {titles[i], i < 4 ? Table::Align::Left : Table::Align::Right});
  columns.push_back({"reason", Table::Align::Left});
  Table table(std::move(columns));
  for (const DiffRow &row : result.rows) {
    std::vector<std::string> cells = cellsOf(row),
                             shown(cells.begin(), cells.begin() + kShown);
    shown.push_back(row.reason);
    table.addRow(std::move(shown));
  }
  table.print(os);
}

void writeDiffCsv(const DiffResult &result, llvm::raw_ostream &os) {
  auto line = [&](llvm::ArrayRef<std::string> cells) {
    for (size_t i = 0; i < cells.size(); ++i)
      os << (i ? "," : "") << csvCell(cells[i]);
    os << "\n";
  };
  line(titlesOf(result));
  for (const DiffRow &row : result.rows)
    line(cellsOf(row));
}

json::Value diffJson(const DiffResult &result) {
  json::Array rows;
  for (const DiffRow &row : result.rows) {
    std::vector<std::string> titles = titlesOf(result), cells = cellsOf(row);
    json::Object object;
    for (size_t i = 0; i < titles.size(); ++i)
      object[json::fixUTF8(titles[i])] = json::fixUTF8(cells[i]);
    rows.push_back(std::move(object));
  }
  return json::Object{{"rows", std::move(rows)},
                      {"passed", result.passed},
                      {"failed", result.failed},
                      {"unmatched", result.unmatched}};
}

std::string diffSummary(const DiffResult &result) {
  return llvm::formatv("{0} operators: {1} pass, {2} Fail, {3} unmatched",
                       result.rows.size(), result.passed, result.failed,
                       result.unmatched)
      .str();
}

} // namespace assay::trace
