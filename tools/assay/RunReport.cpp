// The table of judged results, its JSON, and the sums over the programs of a
// file. A result that fails counts as a failed check with the result's name as
// its location.
#include "RunReport.h"
#include "assay/judge/Verdict.h"
#include "assay/numerics/Text.h"
#include "assay/support/Table.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace assay;
using namespace assay::tools;
using program::ResultVerdict;

int64_t RunFacts::passed() const {
  return llvm::count_if(checks, [](auto &check) { return check.passed; }) +
         llvm::count_if(verdicts, [](auto &v) { return v.passed; });
}
int64_t RunFacts::mistrusted() const {
  return llvm::count_if(verdicts,
                        [](auto &v) { return !v.passed && v.mistrusted; });
}
int64_t RunFacts::failed() const {
  return static_cast<int64_t>(checks.size() + verdicts.size()) - passed() -
         mistrusted();
}

void tools::addPatterns(std::vector<ResultVerdict> &verdicts) {
  for (ResultVerdict &v : verdicts)
    if (!v.failing.empty() && v.pattern.empty()) {
      v.pattern = judge::describePattern(v.type.shape, v.failing, v.failures);
      v.text += "; " + v.pattern;
    }
}

static std::string ulpText(uint64_t ulp) {
  return ulp == ~uint64_t{0} ? "inf" : std::to_string(ulp);
}

// 0.0123 as "1.2 %", more than tenfold as "37x".
static std::string shareText(double share) {
  if (std::isinf(share))
    return "inf";
  if (share > 10)
    return llvm::formatv(share < 1e6 ? "{0:f0}x" : "{0:e1}x", share).str();
  if (share > 1 && share < 1.005) // a failure must not be printed as 100 %
    return ">100 %";
  return llvm::formatv(share < 0.1 ? "{0:f1} %" : "{0:f0} %", 100 * share)
      .str();
}

static const char *verdictWord(const ResultVerdict &v) {
  return v.passed ? "passed" : v.mistrusted ? "MISTRUSTED" : "FAILED";
}

void tools::printVerdicts(llvm::raw_ostream &os,
                          llvm::ArrayRef<ResultVerdict> verdicts,
                          const numerics::RuleSet &rules) {
  using Align = Table::Align;
  bool hasShadow = rules.uses(numerics::RuleKind::Shadow),
       bothSides = rules.name() == "bound";
  std::vector<Table::Column> columns{
      {"result"}, {"type", Align::Left, 28}, {"max abs", Align::Right}};
  if (!bothSides)
    columns.push_back({"of bound", Align::Right});
  columns.push_back({"worst at"});
  if (hasShadow || bothSides)
    for (const char *side : {"got", "expected"})
      columns.push_back(
          {llvm::formatv("{0}({1})", bothSides ? "of bound" : "err", side)
               .str(),
           Align::Right});
  columns.push_back({"verdict"});
  Table table(std::move(columns));
  for (const ResultVerdict &v : verdicts) {
    std::vector<std::string> row{
        v.name, tensor::typeString(v.type.shape, v.type.element),
        llvm::formatv("{0:e2}", v.maxAbs).str()};
    if (!bothSides)
      row.push_back(shareText(v.ofBound));
    row.push_back(v.worst);
    if (hasShadow || bothSides)
      for (double error : {v.errorGot, v.errorExpected})
        row.push_back(bothSides ? shareText(error)
                                : llvm::formatv("{0:e2}", error).str());
    row.push_back(verdictWord(v));
    table.addRow(std::move(row));
  }
  table.print(os);
  for (const ResultVerdict &v : verdicts)
    if (!v.passed)
      os << v.name << ": " << v.text << "\n";
}

/// Converts a number that is stored as text; keeps the text if it is not a
/// number (complex).
static llvm::json::Value numberOf(const std::string &text) {
  double value = 0;
  return llvm::StringRef(text).getAsDouble(value) ? llvm::json::Value(text)
                                                  : judge::numberJson(value);
}

/// The same form as `wrong` of verify's problems.
static llvm::json::Object wrongJson(const ResultVerdict &v) {
  llvm::json::Array points;
  for (const numerics::JudgedPoint &point : v.points)
    points.push_back(judge::pointJson(
        v.type.shape, point.index, numberOf(point.expected),
        numberOf(point.got), point.error, point.bound));
  return llvm::json::Object{{"result", v.name},
                            {"pattern", v.pattern},
                            {"failures", v.failures},
                            {"elements", v.elements},
                            {"worst", std::move(points)}};
}

static llvm::json::Array resultsJson(llvm::ArrayRef<ResultVerdict> verdicts) {
  llvm::json::Array rows;
  for (const ResultVerdict &v : verdicts) {
    llvm::json::Object row{
        {"result", v.name},
        {"type", tensor::toString(v.type)},
        {"passed", v.passed},
        {"verdict", verdictWord(v)},
        {"rule", v.rule},
        {"max_abs", v.maxAbs},
        {"max_ulp", ulpText(v.maxUlp)},
        {"of_bound", numerics::printDouble(v.ofBound)},
        {"worst", v.worst},
        {"text", v.text},
        {"elements", v.elements},
        {"failures", v.failures},
        {"error_got", numerics::printDouble(v.errorGot)},
        {"error_expected", numerics::printDouble(v.errorExpected)}};
    if (v.failures > 0)
      row["wrong"] = wrongJson(v);
    rows.push_back(std::move(row));
  }
  return rows;
}

/// The checks that `checks_failed` counts: those of the program, then the
/// results.
static llvm::json::Array failedChecks(const RunFacts &facts) {
  llvm::json::Array rows;
  for (const program::CheckResult &check : facts.checks)
    if (!check.passed)
      rows.push_back(llvm::json::Object{{"location", check.location},
                                        {"message", check.message}});
  for (const ResultVerdict &v : facts.verdicts)
    if (!v.passed && !v.mistrusted)
      rows.push_back(
          llvm::json::Object{{"location", v.name}, {"message", v.text}});
  return rows;
}

static llvm::json::Object toJson(const RunFacts &facts) {
  llvm::json::Object one{
      {"program", facts.program},
      {"results", resultsJson(facts.verdicts)},
      {"checks_passed", facts.passed()},
      {"checks_failed", facts.failed()},
      {"checks_mistrusted", facts.mistrusted()},
      {"failed_checks", failedChecks(facts)},
      {"time_ms", facts.timesMs.empty() ? 0 : facts.timesMs.front()},
      {"times_ms", llvm::json::Array(facts.timesMs)},
      {"peak_bytes", facts.peakBytes}};
  if (!facts.function.empty())
    one["function"] = facts.function;
  if (!facts.error.empty())
    one["error"] = facts.error;
  return one;
}

llvm::json::Object tools::runJson(llvm::ArrayRef<RunFacts> programs) {
  if (programs.size() == 1)
    return toJson(programs.front());
  llvm::json::Array each, results, failed;
  int64_t passed = 0, failures = 0, mistrusted = 0, peak = 0;
  double timeMs = 0;
  for (auto [i, facts] : llvm::enumerate(programs)) {
    passed += facts.passed();
    failures += facts.failed();
    mistrusted += facts.mistrusted();
    peak = std::max(peak, facts.peakBytes);
    timeMs += facts.timesMs.empty() ? 0 : facts.timesMs.front();
    // In the rows for the whole file, each names its program.
    auto append = [index = static_cast<int64_t>(i)](llvm::json::Array rows,
                                                    llvm::json::Array &all) {
      for (llvm::json::Value &row : rows) {
        (*row.getAsObject())["of_program"] = index;
        all.push_back(std::move(row));
      }
    };
    append(resultsJson(facts.verdicts), results);
    append(failedChecks(facts), failed);
    each.push_back(toJson(facts));
  }
  return llvm::json::Object{
      {"program", programs.empty() ? "" : programs.front().program},
      {"programs", std::move(each)},
      {"results", std::move(results)},
      {"checks_passed", passed},
      {"checks_failed", failures},
      {"checks_mistrusted", mistrusted},
      {"failed_checks", std::move(failed)},
      {"time_ms", timeMs},
      {"peak_bytes", peak}};
}
