// The summary of a dump: statistics of every dataset (Statistics.h), computed
// on all threads, one dataset at a time each, and printed with torch_xray's
// columns first (Index, Step, Rank, Module, Min, Max, Mean, Std).
#include "assay/trace/Summary.h"
#include "assay/support/AtomicFile.h"
#include "assay/support/Table.h"
#include "assay/trace/Values.h"
#include "llvm/ADT/StringExtras.h"

#include <atomic>
#include <map>

namespace assay::trace {

static std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  std::vector<std::string> sizes;
  for (int64_t size : shape)
    sizes.push_back(std::to_string(size));
  return "[" + llvm::join(sizes, ", ") + "]";
}

llvm::Expected<std::vector<SummaryRow>>
summarize(const formats::Hdf5Reader &file, ThreadPool &pool) {
  const std::vector<formats::Hdf5Dataset> &datasets = file.datasets();
  std::vector<SummaryRow> rows(datasets.size());
  std::vector<size_t> work;
  std::map<uint64_t, size_t> first; // empty tensors have the largest numbers
  std::vector<size_t> same(datasets.size());
  for (size_t i = 0; i < datasets.size(); ++i) {
    DumpName name = parseDumpName(datasets[i].path);
    rows[i].index = static_cast<int64_t>(i);
    rows[i].step = name.step;
    rows[i].rank = rankOfFile(file.path());
    llvm::StringRef text = llvm::StringRef(datasets[i].path).drop_front();
    rows[i].name = (name.step >= 0 ? text.split('/').second : text).str();
    rows[i].type = datasets[i].type;
    rows[i].problem = datasets[i].unsupported;
    same[i] = first.try_emplace(datasets[i].object, i).first->second;
    if (same[i] == i && rows[i].problem.empty())
      work.push_back(i);
  }
  std::atomic<size_t> next{0};
  pool.runOnAll([&](int) {
    for (size_t at; (at = next++) < work.size();) {
      llvm::Expected<TensorFigures> figures =
          figuresOf(file, datasets[work[at]]);
      if (figures)
        rows[work[at]].figures = std::move(*figures);
      else
        rows[work[at]].problem = takeError(figures.takeError()).message;
    }
  });
  for (size_t i = 0; i < rows.size(); ++i)
    if (same[i] != i) {
      rows[i].figures = rows[same[i]].figures;
      rows[i].problem = rows[same[i]].problem;
    }
  return rows;
}

/// The cells of a row after Index, Step, Rank and Module.
static std::vector<std::string> cells(const SummaryRow &row, int digits) {
  const numerics::TensorStatistics &s = row.figures.values;
  std::vector<std::string> result;
  bool some = s.finite() > 0;
  auto real = [&](double value) {
    result.push_back(some ? figure(value, digits) : "");
  };
  result.push_back(minText(row.figures, digits));
  result.push_back(maxText(row.figures, digits));
  real(s.mean());
  real(s.standardDeviation());
  if (!row.problem.empty()) {
    result.push_back(row.problem);
    return result;
  }
  result.push_back(shapeText(row.type.shape));
  result.push_back(numerics::numpyName(row.type.element));
  for (int64_t count :
       {s.nan(), s.plusInf() + s.minusInf(), s.zeros(), s.subnormals()})
    result.push_back(std::to_string(count));
  real(s.norm());
  for (double percentile : row.figures.percentiles)
    real(percentile);
  result.push_back(row.figures.hash);
  return result;
}

static std::vector<std::string> titles() {
  std::vector<std::string> result = {
      "Index", "Step",  "Rank", "Module", "Min",  "Max",       "Mean", "Std",
      "Shape", "Dtype", "NaN",  "Inf",    "Zero", "Subnormal", "Norm"};
  for (double percent : kPercents)
    result.push_back("P" + figure(percent, 4));
  result.push_back("Hash");
  return result;
}

static std::vector<std::string> fullRow(const SummaryRow &row, int digits) {
  std::vector<std::string> result = {
      std::to_string(row.index), row.step < 0 ? "" : std::to_string(row.step),
      std::to_string(row.rank), row.name};
  std::vector<std::string> rest = cells(row, digits);
  result.insert(result.end(), rest.begin(), rest.end());
  return result;
}

void printSummary(llvm::ArrayRef<SummaryRow> rows, llvm::raw_ostream &os) {
  std::vector<Table::Column> columns;
  for (const std::string &title : titles()) {
    bool left = title == "Module" || title == "Shape" || title == "Dtype" ||
                title == "Hash";
    columns.push_back({title, left ? Table::Align::Left : Table::Align::Right});
  }
  Table table(std::move(columns));
  for (const SummaryRow &row : rows)
    table.addRow(fullRow(row, 7));
  table.print(os);
}

static void csvLine(llvm::ArrayRef<std::string> line, llvm::raw_ostream &os) {
  for (size_t i = 0; i < line.size(); ++i)
    os << (i ? "," : "") << csvCell(line[i]);
  os << "\n";
}

void writeSummaryCsv(llvm::ArrayRef<SummaryRow> rows, llvm::raw_ostream &os) {
  csvLine(titles(), os);
  for (const SummaryRow &row : rows)
    csvLine(fullRow(row, 17), os);
}

/// The text that writeSummaryCsv() writes, made on all threads because a
/// recording waits for it.
static std::string csvOnAllThreads(llvm::ArrayRef<SummaryRow> rows,
                                   ThreadPool &pool) {
  constexpr size_t kPart = 64;
  std::vector<std::string> parts((rows.size() + kPart - 1) / kPart);
  std::atomic<size_t> next{0};
  pool.runOnAll([&](int) {
    for (size_t at; (at = next++) < parts.size();) {
      llvm::raw_string_ostream os(parts[at]);
      size_t end = std::min(rows.size(), (at + 1) * kPart);
      for (size_t i = at * kPart; i < end; ++i)
        csvLine(fullRow(rows[i], 17), os);
    }
  });
  std::string text;
  llvm::raw_string_ostream os(text);
  csvLine(titles(), os);
  return text + llvm::join(parts, "");
}

static std::vector<RankItems> itemsOf(llvm::ArrayRef<SummaryRow> rows,
                                      bool nan) {
  std::map<int64_t, RankItems> ranks;
  for (const SummaryRow &row : rows) {
    const numerics::TensorStatistics &s = row.figures.values;
    int64_t infinite = s.plusInf() + s.minusInf();
    FiniteItem item{parseDumpName(row.name), nan ? s.nan() : infinite,
                    infinite > 0};
    item.name.step = row.step;
    bool mask = item.name.kind == TensorKind::ForwardInput;
    if (!row.problem.empty() || (!nan && mask))
      item.notFinite = 0; // an input's Inf is often a mask
    RankItems &rank = ranks[row.rank];
    rank.rank = row.rank;
    rank.items.push_back(std::move(item));
  }
  std::vector<RankItems> list;
  for (auto &[number, rank] : ranks)
    list.push_back(std::move(rank));
  return list;
}

FirstNotFinite firstNotFinite(llvm::ArrayRef<SummaryRow> rows) {
  FirstNotFinite found;
  found.nan = findNotFinite(itemsOf(rows, true));
  if (!found.nan || found.nan->origin.fromInfinite)
    found.inf = findNotFinite(itemsOf(rows, false));
  return found;
}

void printNotFinite(const FirstNotFinite &found, llvm::raw_ostream &os) {
  auto print = [&](const char *what, const std::optional<RankOrigin> &first) {
    if (!first)
      return;
    os << "first " << what << ": ";
    if (!first->others.empty() || first->rank != 0)
      os << "rank " << first->rank << ", ";
    os << describe(first->origin);
    for (const auto &[rank, tensor] : first->others)
      os << "; on rank " << rank << " from '" << tensor << "' on";
    os << "\n";
  };
  print("NaN", found.nan);
  print("Inf", found.inf);
}

static llvm::json::Value originJson(const RankOrigin &first) {
  llvm::json::Object object = notFiniteJson(first.origin);
  llvm::json::Array others;
  for (const auto &[rank, tensor] : first.others)
    others.push_back(llvm::json::Object{
        {"rank", rank}, {"tensor", llvm::json::fixUTF8(tensor)}});
  object["rank"] = first.rank;
  object["other_ranks"] = std::move(others);
  return object;
}

llvm::json::Object summaryJson(llvm::ArrayRef<SummaryRow> rows) {
  llvm::json::Array tensors;
  for (const SummaryRow &row : rows) {
    const numerics::TensorStatistics &s = row.figures.values;
    llvm::json::Object object{{"index", row.index},
                              {"step", row.step},
                              {"rank", row.rank},
                              {"module", llvm::json::fixUTF8(row.name)}};
    if (!row.problem.empty()) {
      object["problem"] = row.problem;
      tensors.push_back(std::move(object));
      continue;
    }
    object["shape"] = llvm::json::Array(row.type.shape);
    object["dtype"] = numerics::numpyName(row.type.element);
    object["count"] = s.count();
    object["nan"] = s.nan();
    object["inf"] = s.plusInf() + s.minusInf();
    object["zero"] = s.zeros();
    object["subnormal"] = s.subnormals();
    object["hash"] = row.figures.hash;
    if (s.finite() > 0) {
      object["min"] = s.smallest().value;
      object["max"] = s.largest().value;
      object["mean"] = s.mean();
      object["std"] = s.standardDeviation();
      object["norm"] = s.norm();
      for (size_t i = 0; i < kPercents.size(); ++i)
        object["p" + figure(kPercents[i], 4)] = row.figures.percentiles[i];
    }
    tensors.push_back(std::move(object));
  }
  llvm::json::Object result{{"tensors", std::move(tensors)}};
  FirstNotFinite found = firstNotFinite(rows);
  if (found.nan)
    result["first_nan"] = originJson(*found.nan);
  if (found.inf)
    result["first_inf"] = originJson(*found.inf);
  return result;
}

llvm::Error writeSummaryBeside(llvm::StringRef path,
                               std::vector<formats::Hdf5Dataset> datasets) {
  llvm::Expected<std::unique_ptr<formats::Hdf5Reader>> file =
      formats::Hdf5Reader::openListed(path, std::move(datasets));
  if (!file)
    return file.takeError();
  ThreadPool pool;
  llvm::Expected<std::vector<SummaryRow>> rows = summarize(**file, pool);
  if (!rows)
    return rows.takeError();
  std::string text = csvOnAllThreads(*rows, pool);
  path.consume_back(".h5");
  llvm::Expected<std::unique_ptr<AtomicFile>> out =
      AtomicFile::create(path.str() + "_summary.csv");
  if (!out)
    return out.takeError();
  if (llvm::Error error = (*out)->write(text.data(), text.size()))
    return error;
  return (*out)->commit();
}

} // namespace assay::trace
