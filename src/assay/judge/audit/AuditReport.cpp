// How an acceptance judges the cases, the smallest error that it finds, the
// tolerance that would separate right from wrong, and the report.
#include "assay/judge/audit/Audit.h"
#include "assay/judge/audit/WrongOutputs.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/Rules.h"
#include "assay/support/Table.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace assay;
using namespace assay::judge;
using tensor::Tensor;

/// Errors from 2^-60 to 2^4 of the rms are tried.
static constexpr int kSmallest = -60, kLargest = 4;

llvm::Expected<double> Audit::smallestSeen(Acceptance accepts) const {
  auto seen = [&](int power) -> llvm::Expected<bool> {
    AuditCase one{"one element", false, expected_, expected_, 0, true};
    for (Tensor &tensor : one.got) {
      if (tensor.size() == 0)
        continue;
      llvm::Expected<Tensor> off =
          withOneElementOff(tensor, std::ldexp(1.0, power));
      if (!off)
        return off.takeError();
      tensor = std::move(*off);
      break;
    }
    llvm::Expected<bool> accepted = accepts(one);
    return accepted ? llvm::Expected<bool>(!*accepted) : accepted.takeError();
  };
  int low = kSmallest, high = kLargest; // seen at high, not at low
  llvm::Expected<bool> largest = seen(high);
  if (!largest)
    return largest.takeError();
  if (!*largest)
    return INFINITY;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    llvm::Expected<bool> found = seen(middle);
    if (!found)
      return found.takeError();
    (*found ? high : low) = middle;
  }
  return std::ldexp(1.0, high);
}

/// The least R for which close:R,A, with A = R * rms, allows every element its
/// bound.
std::string Audit::separatingTolerance() const {
  double most = 0, scale = 0;
  for (size_t i = 0; i < expected_.size(); ++i) {
    const Errors &errors = truth_.errors[i];
    if (!isFloating(truth_.results[i]) || expected_[i].size() == 0)
      continue;
    std::vector<double> exact = exactValues(truth_.results[i]);
    size_t parts = exact.size() / static_cast<size_t>(expected_[i].size());
    double squares = 0, finite = 0;
    for (double x : exact)
      if (std::isfinite(x))
        squares += x * x, ++finite;
    double rms = finite > 0 ? std::sqrt(squares / finite) : 0;
    scale = std::max(scale, rms);
    for (size_t k = 0; errors && k < errors->size(); ++k) {
      double size = std::fabs(exact[k * parts]) + rms;
      if (std::isfinite((*errors)[k]) && std::isfinite(size) && size > 0)
        most = std::max(most, (*errors)[k] / size);
    }
    most = std::max(most, numerics::dtypeConstant(expected_[i].elementType()) *
                              0x1p-10);
  }
  return most == 0
             ? "exact"
             : llvm::formatv("close:{0:e2},{1:e2}", most, most * scale).str();
}

llvm::Expected<AuditReport> Audit::run(std::string name,
                                       Acceptance accepts) const {
  AuditReport report;
  report.rule = std::move(name);
  for (const AuditCase &one : cases_) {
    llvm::Expected<bool> accepted = accepts(one);
    if (!accepted)
      return accepted.takeError();
    report.rows.push_back({one.name, one.isRight, *accepted, one.share});
  }
  if (llvm::Error error = smallestSeen(accepts).moveInto(report.smallestSeen))
    return error;
  report.separating = separatingTolerance();
  return report;
}

/// Rule bound on a case that has its own expected results: NaN and Inf must be
/// at the expected places.
static bool sameSpecials(const Tensor &got, const Tensor &expected) {
  numerics::Judgement pair{got.elementType(), got.bytes(), expected.bytes(),
                           expected.size()};
  return llvm::cantFail(numerics::Rule::close(1e30, 1e30).judge(pair)).passed;
}

llvm::Expected<AuditReport> Audit::runRule(llvm::StringRef name) const {
  bool isBound = name == "bound";
  numerics::Rule rule = numerics::Rule::dtype();
  if (!isBound)
    if (llvm::Error error = numerics::Rule::parse(name).moveInto(rule))
      return error;
  return run(name.str(), [&](const AuditCase &one) -> llvm::Expected<bool> {
    for (size_t i = 0; i < one.got.size(); ++i) {
      const Tensor &got = one.got[i], &expected = one.expected[i];
      if (isBound) {
        if (one.hasTruth ? !judgeResult(truth_, i, got.bytes()).passed()
                         : !sameSpecials(got, expected))
          return false;
        continue;
      }
      numerics::Judgement pair{got.elementType(), got.bytes(), expected.bytes(),
                               expected.size()};
      std::vector<double> exact;
      if (rule.kind() == numerics::RuleKind::Shadow) {
        exact = exactValues(truth_.results[i]);
        pair.shadow = exact;
      }
      llvm::Expected<numerics::Verdict> verdict = rule.judge(pair);
      if (!verdict)
        return verdict.takeError();
      if (!verdict->passed)
        return false;
    }
    return true;
  });
}

int64_t AuditReport::faults() const {
  return llvm::count_if(rows, [](const AuditRow &row) { return !row.isRight; });
}
int64_t AuditReport::faultsAccepted() const {
  return llvm::count_if(
      rows, [](const AuditRow &row) { return !row.isRight && row.accepted; });
}
int64_t AuditReport::rights() const {
  return static_cast<int64_t>(rows.size()) - faults();
}
int64_t AuditReport::rightsRejected() const {
  return llvm::count_if(
      rows, [](const AuditRow &row) { return row.isRight && !row.accepted; });
}

static std::string seenText(double smallest) {
  return std::isinf(smallest) ? "none"
                              : llvm::formatv("{0:e2}", smallest).str();
}

std::string AuditReport::summary() const {
  return llvm::formatv("audit: {0} of {1} faults accepted, {2} of {3} right "
                       "results rejected, smallest fault seen {4}, separating "
                       "tolerance {5}",
                       faultsAccepted(), faults(), rightsRejected(), rights(),
                       seenText(smallestSeen), separating)
      .str();
}

llvm::json::Value AuditReport::toJson() const {
  llvm::json::Array list;
  for (const AuditRow &row : rows)
    list.push_back(llvm::json::Object{
        {"name", row.name},
        {"right", row.isRight},
        {"accepted", row.accepted},
        {"share_of_bound",
         std::isinf(row.share) ? llvm::json::Value(nullptr) : row.share}});
  return llvm::json::Object{
      {"rule", rule},
      {"rows", std::move(list)},
      {"faults", faults()},
      {"faults_accepted", faultsAccepted()},
      {"right_results", rights()},
      {"right_results_rejected", rightsRejected()},
      {"smallest_fault_seen",
       std::isinf(smallestSeen) ? llvm::json::Value(nullptr) : smallestSeen},
      {"separating_tolerance", separating}};
}

void AuditReport::print(llvm::raw_ostream &os, bool details) const {
  using Align = Table::Align;
  if (details) {
    Table table(
        {{"result"}, {"is"}, {"error/bound", Align::Right}, {rule}, {""}});
    for (const AuditRow &row : rows)
      table.addRow(
          {row.name, row.isRight ? "right" : "wrong",
           row.isRight             ? ""
           : std::isinf(row.share) ? "inf"
                                   : llvm::formatv("{0:e1}", row.share).str(),
           row.accepted ? "accepts" : "rejects", row.isBad() ? "BAD" : ""});
    table.print(os);
  }
  os << summary() << "\n";
}

ExitCode AuditReport::exitCode() const {
  if (rows.empty())
    return ExitCode::NothingChecked;
  return faultsAccepted() || rightsRejected() ? ExitCode::CheckFailed
                                              : ExitCode::Ok;
}
