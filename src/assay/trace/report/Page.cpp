// The page is assembled from the files of page/, which the build turns into
// strings; it contains the data as JSON.
#include "assay/trace/report/Page.h"
#include "assay/support/Json.h"
#include "assay/trace/CompareReport.h"
#include "assay/trace/Csv.h"
#include "assay/trace/DataFlow.h"
#include "assay/trace/Ranks.h"
#include "assay/trace/Summary.h"
#include "assay/trace/report/ErrorMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <mutex>

namespace assay::trace {

namespace json = llvm::json;
using formats::Hdf5Reader;

static constexpr llvm::StringLiteral kPage =
#include "assay/trace/report/page/page.html.inc"
    ;
static constexpr llvm::StringLiteral kStyle =
#include "assay/trace/report/page/style.css.inc"
    ;
static constexpr const char *kScripts[] = {
#include "assay/trace/report/page/core.js.inc"
    ,
#include "assay/trace/report/page/table.js.inc"
    ,
#include "assay/trace/report/page/tree.js.inc"
    ,
#include "assay/trace/report/page/charts.js.inc"
    ,
#include "assay/trace/report/page/compare.js.inc"
    ,
#include "assay/trace/report/page/commands.js.inc"
    ,
#include "assay/trace/report/page/main.js.inc"
};

//===--- Sources ---------------------------------------------------------===//

void addErrorMaps(json::Object &document, const Comparison &comparison,
                  const Hdf5Reader &target, const Hdf5Reader &bench,
                  ThreadPool &pool) {
  constexpr size_t kMaps = 40;
  std::vector<size_t> order;
  for (size_t i = 0; i < comparison.rows.size(); ++i)
    if (comparison.rows[i].compared && comparison.rows[i].mismatches > 0)
      order.push_back(i);
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    const ComparedRow &x = comparison.rows[a], &y = comparison.rows[b];
    bool failsA = x.status == RowStatus::Fail,
         failsB = y.status == RowStatus::Fail;
    return failsA != failsB ? failsA : x.relL2 > y.relL2;
  });
  order.resize(std::min(order.size(), kMaps));
  std::vector<std::optional<json::Object>> maps(order.size());
  pool.parallelFor(static_cast<int64_t>(order.size()), 1,
                   [&](int64_t begin, int64_t end) {
                     for (int64_t i = begin; i < end; ++i) {
                       const ComparedRow &row = comparison.rows[order[i]];
                       llvm::Expected<json::Object> map =
                           mapErrors(target, target.datasets()[row.pair.target],
                                     bench, bench.datasets()[row.pair.bench]);
                       if (!map) {
                         llvm::consumeError(map.takeError());
                         continue;
                       }
                       (*map)["row"] = static_cast<int64_t>(order[i]);
                       maps[i] = std::move(*map);
                     }
                   });
  json::Array array;
  for (std::optional<json::Object> &map : maps)
    if (map)
      array.push_back(std::move(*map));
  document["maps"] = std::move(array);
}

void addModulesAround(json::Object &document, const Comparison &comparison) {
  DataFlow target(comparison.target), bench(comparison.bench);
  json::Array &rows = *document.getArray("rows");
  for (size_t i = 0; i < comparison.rows.size(); ++i) {
    const AlignedPair &pair = comparison.rows[i].pair;
    bool ofTarget = pair.target >= 0;
    int64_t at = ofTarget ? pair.target : pair.bench;
    const DumpName &name =
        (ofTarget ? comparison.target
                  : comparison.bench)[static_cast<size_t>(at)]
            .name;
    if (!isOperatorCall(name.module))
      continue;
    if (const ModuleCall *around = (ofTarget ? target : bench).around(at))
      (*rows[i].getAsObject())["within"] = json::fixUTF8(around->module);
  }
}

static llvm::Expected<ReportSource> comparedDumps(const std::string &target,
                                                  const std::string &bench,
                                                  const CompareOptions &options,
                                                  ThreadPool &pool) {
  llvm::Expected<std::unique_ptr<Hdf5Reader>> t = Hdf5Reader::open(target);
  if (!t)
    return t.takeError();
  llvm::Expected<std::unique_ptr<Hdf5Reader>> b = Hdf5Reader::open(bench);
  if (!b)
    return b.takeError();
  llvm::Expected<Comparison> comparison = compareDumps(**t, **b, options, pool);
  if (!comparison)
    return comparison.takeError();
  json::Object document = comparisonJson(*comparison);
  addErrorMaps(document, *comparison, **t, **b, pool);
  addModulesAround(document, *comparison);
  return ReportSource{target, std::move(document)};
}

static llvm::Expected<ReportSource> summarizedDump(const std::string &path,
                                                   ThreadPool &pool) {
  llvm::Expected<std::unique_ptr<Hdf5Reader>> file = Hdf5Reader::open(path);
  if (!file)
    return file.takeError();
  llvm::Expected<std::vector<SummaryRow>> rows = summarize(**file, pool);
  if (!rows)
    return rows.takeError();
  return ReportSource{path, summaryJson(*rows)};
}

static llvm::Expected<ReportSource> readJson(const std::string &path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      llvm::MemoryBuffer::getFile(path);
  if (!file)
    return makeError(ErrorCode::NotFound, "cannot read '{0}': {1}", path,
                     file.getError().message());
  llvm::Expected<json::Value> document = parseJson((*file)->getBuffer());
  if (!document)
    return makeError(ErrorCode::InvalidArgument, "'{0}' is not JSON: {1}", path,
                     llvm::toString(document.takeError()));
  return ReportSource{path, std::move(*document)};
}

// The names in compare's JSON for the titles of its CSV.
static std::string memberOf(llvm::StringRef title) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral>
      kNames[] = {{"Index", "index"},
                  {"Status", "status"},
                  {"Module", "target"},
                  {"Bench module", "bench"},
                  {"Rel L2", "rel_l2"},
                  {"Max Err (t)", "max_abs_error"},
                  {"ULP max", "ulp_max"},
                  {"NaN/Inf", "non_finite"},
                  {"Shape", "shape"},
                  {"Dtype", "dtype"},
                  {"Reason", "reason"},
                  {"Target value", "target_value"},
                  {"Bench value", "bench_value"}};
  for (auto [column, member] : kNames)
    if (title == column)
      return member.str();
  return json::fixUTF8(title);
}

static llvm::Expected<ReportSource> readTable(const std::string &path) {
  llvm::Expected<CsvFile> file = readCsv(path);
  if (!file)
    return file.takeError();
  json::Array rows;
  int64_t passed = 0, failed = 0;
  for (size_t r = 0; r < file->rows.size(); ++r) {
    json::Object row;
    for (size_t c = 0; c < file->header.size(); ++c)
      row[memberOf(file->header[c])] = json::fixUTF8(file->rows[r][c]);
    int64_t index = 0;
    if (!file->cell(r, "Index").getAsInteger(10, index))
      row["index"] = index;
    // The column is empty where a tensor passes.
    bool passes =
        file->columns.contains("Status") &&
        (file->cell(r, "Status").empty() || file->cell(r, "Status") == "Pass");
    if (passes)
      row["status"] = "Pass";
    passed += passes;
    failed += file->cell(r, "Status") == "Fail";
    rows.push_back(std::move(row));
  }
  return ReportSource{path, json::Object{{"rows", std::move(rows)},
                                         {"passed", passed},
                                         {"failed", failed}}};
}

llvm::Expected<std::vector<ReportSource>>
readSources(llvm::ArrayRef<std::string> named, const CompareOptions &options,
            ThreadPool &pool) {
  auto isDump = [](llvm::StringRef path) {
    llvm::StringRef ending = llvm::sys::path::extension(path);
    return ending == ".h5" || ending == ".hdf5";
  };
  std::vector<ReportSource> sources;
  std::vector<std::string> paths(named.begin(), named.end());
  for (std::string &path : paths) // a folder stands for the dump in it
    if (llvm::sys::fs::is_directory(path))
      if (llvm::Error error = oneDump(path).moveInto(path))
        return error;
  for (size_t i = 0; i < paths.size(); ++i) {
    llvm::StringRef ending = llvm::sys::path::extension(paths[i]);
    bool isPair =
        isDump(paths[i]) && i + 1 < paths.size() && isDump(paths[i + 1]);
    if (!llvm::sys::fs::exists(paths[i]))
      return makeError(ErrorCode::NotFound,
                       "cannot read '{0}': No such file or directory",
                       paths[i]);
    if (!isDump(paths[i]) && ending != ".json" && ending != ".csv")
      return makeError(ErrorCode::InvalidArgument,
                       "'{0}' cannot be shown; expected .json (a command's "
                       "--json), .csv or .h5",
                       paths[i]);
    llvm::Expected<ReportSource> source =
        isPair ? comparedDumps(paths[i], paths[i + 1], options, pool)
        : isDump(paths[i]) ? summarizedDump(paths[i], pool)
        : ending == ".csv" ? readTable(paths[i])
                           : readJson(paths[i]);
    if (!source)
      return source.takeError();
    sources.push_back(std::move(*source));
    i += isPair;
  }
  return sources;
}

//===--- The page --------------------------------------------------------===//

static std::string escaped(llvm::StringRef text) {
  std::string out;
  for (char c : text)
    out += c == '<'   ? "&lt;"
           : c == '>' ? "&gt;"
           : c == '&' ? "&amp;"
                      : std::string(1, c);
  return out;
}

// JSON inside a script element: no "</script" may end it.
static void writeData(llvm::ArrayRef<ReportSource> sources,
                      llvm::raw_ostream &os) {
  json::Array array;
  for (const ReportSource &source : sources)
    array.push_back(json::Object{{"path", json::fixUTF8(source.path)},
                                 {"document", source.document}});
  std::string text;
  llvm::raw_string_ostream(text)
      << json::Value(json::Object{{"sources", std::move(array)}});
  for (char c : text)
    c == '<' ? os << "\\u003c" : os << c;
}

void writePage(llvm::StringRef title, llvm::ArrayRef<ReportSource> sources,
               llvm::raw_ostream &os) {
  llvm::StringRef rest = kPage;
  while (!rest.empty()) {
    auto [plain, after] = rest.split('@');
    os << plain;
    auto [name, next] = after.split('@');
    if (name == "TITLE")
      os << escaped(title);
    else if (name == "STYLE")
      os << kStyle;
    else if (name == "DATA")
      writeData(sources, os);
    else if (name == "SCRIPT")
      for (const char *script : kScripts)
        os << script;
    rest = next;
  }
}

} // namespace assay::trace
