// Each result by its derived bound; where the program has none, or one that
// says less than rule dtype, by that rule (too). The words of what was found.
#include "assay/judge/program/ProgramJudge.h"
#include "assay/numerics/Rules.h"
#include "assay/numerics/Text.h"

#include <algorithm>
#include <cmath>

using namespace assay;
using namespace assay::judge;
using tensor::Tensor;

struct ProgramJudge::Asked {
  size_t index;
  const ProgramResult &result;
  llvm::StringRef data;
  ProgramVerdict &said;

  std::string fact(const char *what) const {
    return (llvm::Twine(what) + "_" + result.name + "_" + data).str();
  }
};

std::string judge::undecidedText(int64_t decided, int64_t elements) {
  return llvm::formatv("{0} of {1} elements hang on decisions among inexact "
                       "values and cannot be judged",
                       elements - decided, elements)
      .str();
}

/// A bound that says less than rule dtype does, or nothing: errors that grew
/// along a long program. Such a result is judged by that rule too.
static bool isLoose(const ProgramTruth &truth, size_t result) {
  const Errors &errors = truth.errors[result];
  const program::Value &value = truth.results[result];
  if (!errors || errors->empty() || !isFloating(value))
    return false;
  double squares = 0;
  int64_t finite = 0;
  std::vector<double> exact = exactValues(value), sorted = *errors;
  for (double x : exact)
    if (std::isfinite(x))
      squares += x * x, ++finite;
  double rms = finite ? std::sqrt(squares / static_cast<double>(finite)) : 0;
  std::nth_element(sorted.begin(),
                   sorted.begin() + static_cast<int64_t>(sorted.size() / 2),
                   sorted.end());
  return sorted[sorted.size() / 2] >
         2 * numerics::dtypeConstant(value.tensor().elementType()) * rms;
}

llvm::Error ProgramJudge::prepare(llvm::ArrayRef<Tensor> inputs) {
  return computeTruth(program_, options_.entry, inputs, pool_,
                      options_.maxSeconds)
      .moveInto(truth_);
}

/// By the derived bound. False: failed.
bool ProgramJudge::byBound(const Asked &asked, int64_t &decided) const {
  Verdict verdict = judgeResult(truth_, asked.index, asked.result.bytes);
  decided += verdict.elements - verdict.undecided;
  ProgramVerdict &said = asked.said;
  said.facts[asked.fact("worst_fraction")] = verdict.worstFraction;
  said.facts[asked.fact("failures")] = verdict.failures;
  said.notes.push_back(
      llvm::formatv("  {0}: '{1}' judged by reference with shadow{2}; "
                    "largest error {3:f3} of its bound; {4} undecided",
                    asked.data, asked.result.name,
                    truth_.errors[asked.index] ? "" : " (exact)",
                    verdict.worstFraction, verdict.undecided)
          .str());
  if (verdict.passed())
    return true;
  llvm::ArrayRef<int64_t> dims = truth_.results[asked.index].tensor().shape();
  said.reason =
      llvm::formatv("errors:{0} total:{1}", verdict.failures, verdict.elements)
          .str();
  said.findings.push_back(
      llvm::formatv("  {0} data, judged by reference with shadow: {1} of {2} "
                    "elements of '{3}' are wrong: {4}",
                    asked.data, verdict.failures, verdict.elements,
                    asked.result.name,
                    describePattern(dims, verdict.failing, verdict.failures))
          .str());
  for (const WorstPoint &point : verdict.worst)
    said.findings.push_back(pointText(dims, point, point.bound == 0));
  return false;
}

/// By a rule with a tolerance of its own, or by the shadow where the program
/// has no bound.
bool ProgramJudge::byRule(const Asked &asked, llvm::StringRef name,
                          int64_t &decided) const {
  const program::Value &value = truth_.results[asked.index];
  ProgramVerdict &said = asked.said;
  llvm::Expected<numerics::Rule> rule = numerics::Rule::parse(name);
  llvm::Expected<Tensor> expected = value.tensor().dense();
  if (!rule || !expected) {
    llvm::Error both = llvm::joinErrors(rule.takeError(), expected.takeError());
    said.reason = takeError(std::move(both)).message;
    return false;
  }
  if (!isFloating(value) && rule->kind() == numerics::RuleKind::Shadow)
    rule = numerics::Rule::exact();
  std::vector<double> exact = exactValues(value);
  numerics::Judgement judgement;
  judgement.type = value.tensor().elementType();
  judgement.got = asked.result.bytes;
  judgement.expected = expected->bytes();
  judgement.n = expected->size();
  judgement.shape = expected->shape();
  judgement.shadow = exact;
  judgement.maxPoints = kWorstPoints;
  llvm::Expected<numerics::Verdict> verdict = rule->judge(judgement);
  if (!verdict) {
    said.reason = takeError(verdict.takeError()).message;
    return false;
  }
  decided = expected->size();
  said.notes.push_back(llvm::formatv("  {0}: '{1}': {2}", asked.data,
                                     asked.result.name, verdict->text()));
  said.facts[asked.fact("failures")] = verdict->failing;
  if (verdict->passed)
    return true;
  said.reason =
      llvm::formatv("errors:{0} total:{1}", verdict->failing, verdict->checked)
          .str();
  said.findings.push_back(llvm::formatv("  {0} data: '{1}': {2}", asked.data,
                                        asked.result.name, verdict->text()));
  for (const numerics::JudgedPoint &point : verdict->points)
    said.findings.push_back(
        llvm::formatv("  {0,-16} expected {1,15} got {2,15} error {3,12:e3} "
                      "bound {4,12:e3}",
                      numerics::printIndex(point.index, expected->shape()),
                      point.expected, point.got, point.error, point.bound)
            .str());
  return false;
}

ProgramVerdict ProgramJudge::judge(llvm::ArrayRef<ProgramResult> results,
                                   llvm::StringRef data) const {
  ProgramVerdict said;
  bool wantsBound = options_.rule == "bound",
       hasBound = wantsBound && truth_.noBound.empty();
  std::string rule = wantsBound ? "dtype" : options_.rule;
  said.judge = hasBound ? "reference with shadow, derived bound"
                        : "reference, rule " + rule;
  if (wantsBound && !hasBound)
    said.notes.push_back("  no bound for " + truth_.noBound +
                         ": judged by rule dtype");
  for (size_t i = 0; i < results.size(); ++i) {
    int64_t decided = 0;
    Asked asked{i, results[i], data, said};
    said.elements += truth_.results[i].tensor().size();
    if ((hasBound && !byBound(asked, decided)) ||
        ((!hasBound || isLoose(truth_, i)) && !byRule(asked, rule, decided))) {
      said.status = Status::Failed;
      return said;
    }
    said.decided += decided;
  }
  if (tooFewDecided(said.decided, said.elements)) {
    said.status = Status::Mistrusted;
    said.reason = undecidedText(said.decided, said.elements);
  }
  return said;
}
