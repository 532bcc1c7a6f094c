// Each result is judged by its derived bound. If there is none, or one that
// says less than rule dtype, it is judged by that rule, and where the rule is
// not met, by the errors of other correct evaluations: a result without a bound
// is not wrong because a general tolerance does not fit it. Also the texts of
// findings.
#include "assay/judge/program/ProgramJudge.h"
#include "assay/judge/program/CommonForms.h"
#include "assay/judge/program/FailureCause.h"
#include "assay/judge/program/Spread.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/FailingElements.h"
#include "assay/numerics/Text.h"

#include <algorithm>
#include <cmath>

using namespace assay;
using namespace assay::judge;
using tensor::Tensor;

struct ProgramJudge::ResultQuery {
  size_t index;
  const ProgramResult &result;
  llvm::StringRef data;
  ProgramVerdict &said;
  JudgedResult &judged;

  std::string fact(const char *what) const {
    return (llvm::Twine(what) + "_" + result.name + "_" + data).str();
  }
};

std::string judge::undecidedText(int64_t decided, int64_t elements) {
  return llvm::formatv("{0} of {1} elements depend on decisions among inexact "
                       "values and cannot be judged",
                       elements - decided, elements)
      .str();
}

/// The largest bound that still says as much as rule dtype: twice the rule's
/// share of the result's RMS.
static double tellingBound(const program::Value &value) {
  double squares = 0, exact[2 * 1024];
  int64_t finite = 0, size = value.tensor().size(),
          parts = value.tensor().elementType().isComplex() ? 2 : 1;
  for (int64_t from = 0; from < size; from += 1024) {
    int64_t count = std::min<int64_t>(1024, size - from);
    wideElements(value.shadowOrTensor(), from, count, exact);
    for (int64_t i = 0; i < count * parts; ++i)
      if (std::isfinite(exact[i]))
        squares += exact[i] * exact[i], ++finite;
  }
  double rms = finite ? std::sqrt(squares / static_cast<double>(finite)) : 0;
  return 2 * numerics::dtypeConstant(value.tensor().elementType()) * rms;
}

/// Whether a bound says less than rule dtype does: errors that grew along a
/// long program, or open elements. Formula: the median bound is not telling.
static bool isLoose(const ProgramTruth &truth, size_t result) {
  const Errors &errors = truth.errors[result];
  const program::Value &value = truth.results[result];
  if (!errors || errors->empty() || !isFloating(value))
    return false;
  double limit = tellingBound(value);
  auto within =
      llvm::count_if(*errors, [&](double error) { return !(error > limit); });
  return within <= static_cast<int64_t>(errors->size() / 2);
}

/// Elements of data at the ends of a range whose bound is neither telling nor
/// below the number itself. Each is judged alone: their sizes differ.
static std::vector<bool> vagueElements(const ProgramTruth &truth,
                                       size_t result) {
  const program::Value &value = truth.results[result];
  const Errors &errors = truth.errors[result];
  double limit = errors ? tellingBound(value) : 0;
  if (!errors ||
      llvm::none_of(*errors, [&](double error) { return error > limit; }))
    return {};
  std::vector<double> exact = exactValues(value);
  std::vector<bool> open(errors->size());
  size_t parts = exact.size() / std::max<size_t>(1, open.size());
  for (size_t i = 0; i < open.size(); ++i) {
    double size = 0;
    for (size_t part = parts * i; part < parts * (i + 1); ++part)
      size = std::max(size, std::fabs(exact[part]));
    open[i] = std::isinf((*errors)[i]) || (*errors)[i] > std::max(limit, size);
  }
  return open;
}

/// The elements that their bounds leave to another measure; empty: none.
static std::vector<bool> openElements(const ProgramTruth &truth,
                                      size_t result) {
  const program::Value &value = truth.results[result];
  const Errors &errors = truth.errors[result];
  bool floating = isFloating(value);
  if (floating && truth.demands.definedOnly)
    return vagueElements(truth, result);
  bool isLooseAll = isLoose(truth, result);
  auto isOpen = [&](double error) {
    return floating ? std::isinf(error) : error > 0 && error != kLeftOpen;
  };
  if (!isLooseAll && (!errors || llvm::none_of(*errors, isOpen)))
    return {};
  std::vector<bool> open(static_cast<size_t>(value.tensor().size()),
                         isLooseAll);
  for (size_t i = 0; errors && i < open.size(); ++i)
    if (isOpen((*errors)[i]))
      open[i] = true;
  return open;
}

llvm::Error ProgramJudge::prepare(llvm::ArrayRef<Tensor> inputs,
                                  Demands demands) {
  inputs_.assign(inputs.begin(), inputs.end());
  evaluations_.clear();
  if (options_.exactDivision)
    demandExactDivision(*program_);
  return truths_.compute(inputs, options_.maxSeconds, demands).moveInto(truth_);
}

/// The counts of a verdict, and a summary of its failing elements.
static void note(JudgedResult &judged, const char *measure,
                 const Verdict &verdict, llvm::ArrayRef<int64_t> dims) {
  judged.measure = measure;
  judged.elements = verdict.elements;
  judged.failures = verdict.failures;
  judged.undecided = verdict.undecided;
  judged.worstFraction = worstShare(verdict);
  judged.worst = verdict.worst;
  judged.failing = verdict.failing;
  judged.pattern = verdict.passed() ? ""
                                    : describePattern(dims, verdict.failing,
                                                      verdict.failures);
}

void ProgramJudge::describeFailure(const ResultQuery &asked,
                                   const Verdict &verdict,
                                   const char *judgedBy) {
  ProgramVerdict &said = asked.said;
  llvm::ArrayRef<int64_t> dims = truth_.results[asked.index].tensor().shape();
  said.reason =
      llvm::formatv("errors:{0} total:{1}", verdict.failures, verdict.elements)
          .str();
  said.findings.push_back(
      llvm::formatv("  {0} data, judged by {1}: {2} of {3} elements of '{4}' "
                    "are wrong: {5}",
                    asked.data, judgedBy, verdict.failures, verdict.elements,
                    asked.result.name, asked.judged.pattern)
          .str());
  for (const WorstPoint &point : verdict.worst)
    said.findings.push_back(pointText(dims, point, point.bound == 0));
  std::string words =
      knownCause({program_, options_.entry, inputs_, truth_, asked.index,
                  asked.result.bytes, verdict, pool_, options_.maxSeconds});
  if (!words.empty()) {
    said.findings.push_back("  " + words);
    asked.judged.pattern += "; " + words;
  }
}

/// Judges by the derived bound, and by rule dtype where that is open.
Status ProgramJudge::byBound(const ResultQuery &asked, int64_t &decided) {
  Verdict verdict =
      judgeResult(truth_, asked.index, asked.result.bytes, &pool_);
  ProgramVerdict &said = asked.said;
  note(asked.judged, "bound", verdict,
       truth_.results[asked.index].tensor().shape());
  said.facts[asked.fact("worst_fraction")] = numberJson(worstShare(verdict));
  said.facts[asked.fact("failures")] = verdict.failures;
  said.notes.push_back(
      llvm::formatv("  {0}: '{1}' judged by reference with shadow{2}; "
                    "largest error {3:f3} of its bound; {4} undecided",
                    asked.data, asked.result.name,
                    truth_.errors[asked.index] ? "" : " (exact)",
                    worstShare(verdict), verdict.undecided)
          .str());
  if (!verdict.passed()) {
    describeFailure(asked, verdict, "reference with shadow");
    return Status::Failed;
  }
  std::vector<bool> open = openElements(truth_, asked.index);
  decided = verdict.elements - llvm::count(open, true);
  if (decided == verdict.elements || truth_.demands.definedOnly)
    return Status::Passed;
  if (options_.mistrustsUnbounded && !truth_.noBound.empty() &&
      tooFewDecided(decided, verdict.elements))
    return Status::Mistrusted;
  if (const std::string &why = truth_.whyOpen[asked.index]; !why.empty())
    said.notes.push_back(
        llvm::formatv("  {0}: '{1}': {2} of {3} elements have no bound: {4}",
                      asked.data, asked.result.name, verdict.undecided,
                      verdict.elements, why)
            .str());
  ProgramVerdict byDtype;
  JudgedResult judged;
  ResultQuery again{asked.index, asked.result, asked.data, byDtype, judged};
  int64_t all = 0;
  if (byRule(again, "dtype", all) != Status::Passed)
    return bySpread(asked, open, decided);
  llvm::append_range(said.notes, byDtype.notes);
  decided = verdict.elements;
  asked.judged.measure = "dtype";
  asked.judged.worstFraction = judged.worstFraction;
  asked.judged.undecided = 0;
  return Status::Passed;
}

/// Bounds decide alone where sums of one result are nested at most this deep: a
/// mean, and the variance about it. Errors of deeper programs grow beyond use.
static constexpr int kFewSums = 2;

/// The number of sums or products of matrices on the longest path to a value;
/// more than kFewSums where a decision or an operation without a rule is on it.
static int sumsBehind(mlir::Value value,
                      llvm::DenseMap<mlir::Value, int> &known) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op)
    return 0;
  if (auto found = known.find(value); found != known.end())
    return found->second;
  const OpBound *rule = findOpBound(op->getName().getStringRef());
  int count = rule ? 0 : kFewSums + 1;
  for (mlir::Value operand : op->getOperands())
    count = std::max(count, sumsBehind(operand, known));
  return known[value] = count + (rule && sumsTerms(*rule, op));
}

/// Whether every element of a result has a finite bound from few sums. Bounds
/// of long sums are looser than rule dtype, but results within them are no
/// worse than a correct implementation may be.
bool ProgramJudge::boundOfFewSumsDecides(size_t result) const {
  const Errors &errors = truth_.errors[result];
  if (!errors || !llvm::all_of(*errors, [](double e) { return e < kLeftOpen; }))
    return false;
  llvm::Expected<mlir::func::FuncOp> function =
      program_->function(options_.entry);
  if (!function) {
    llvm::consumeError(function.takeError());
    return false;
  }
  mlir::Operation *end = function->getBody().front().getTerminator();
  llvm::DenseMap<mlir::Value, int> known;
  return result < end->getNumOperands() &&
         sumsBehind(end->getOperand(static_cast<unsigned>(result)), known) <=
             kFewSums;
}

/// By the errors of other correct evaluations.
Status ProgramJudge::bySpread(const ResultQuery &asked,
                              const std::vector<bool> &measured,
                              int64_t &decided) {
  ProgramVerdict &said = asked.said;
  int64_t count = llvm::count(measured, true);
  if (evaluations_.empty())
    if (llvm::Error error =
            evaluateInOtherWays(program_, options_.entry, inputs_, pool_,
                                options_.maxSeconds)
                .moveInto(evaluations_)) {
      said.reason = llvm::formatv("{0} elements of '{1}' have no bound, and "
                                  "the reference cannot be run again: {2}",
                                  count, asked.result.name,
                                  takeError(std::move(error)).message)
                        .str();
      return Status::Mistrusted;
    }
  SpreadVerdict spread = judgeBySpread(truth_, asked.index, asked.result.bytes,
                                       evaluations_, measured);
  const Verdict &verdict = spread.verdict;
  said.notes.push_back(
      llvm::formatv("  {0}: '{1}': {2} elements without a bound judged by {3} "
                    "other evaluations, whose errors reach {4}; {5} undecided",
                    asked.data, asked.result.name, count, evaluations_.size(),
                    numberText(spread.reach), verdict.undecided)
          .str());
  said.facts[asked.fact("undecided")] = verdict.undecided;
  said.facts[asked.fact("failures")] = verdict.failures;
  llvm::ArrayRef<int64_t> dims = truth_.results[asked.index].tensor().shape();
  note(asked.judged, "spread", verdict, dims);
  // Zeros have no size to compare errors with, so only their bound can decide.
  bool isZero = tellingBound(truth_.results[asked.index]) == 0;
  if (!verdict.passed() && !(isZero && boundOfFewSumsDecides(asked.index))) {
    describeFailure(asked, verdict, "other correct evaluations");
    return Status::Failed;
  }
  decided += verdict.elements - verdict.undecided;
  bool isOpen = (isZero && verdict.undecided > 0) || !spread.passed;
  if (isOpen && boundOfFewSumsDecides(asked.index)) {
    decided += verdict.undecided;
    said.notes.push_back(
        llvm::formatv("  {0}: '{1}': no decision among inexact values is "
                      "behind them, and all are within the bounds of sums",
                      asked.data, asked.result.name)
            .str());
    return Status::Passed;
  }
  if (spread.passed)
    return Status::Passed;
  said.reason =
      llvm::formatv("{0} of {1} elements of '{2}' are further off than in "
                    "correct evaluations, which decisions among inexact values "
                    "can explain",
                    verdict.undecided,
                    truth_.results[asked.index].tensor().size(),
                    asked.result.name)
          .str();
  return Status::Mistrusted;
}

/// Notes the points of a rule's verdict as numbers; complex results have none.
static void noteWorst(JudgedResult &judged, const numerics::Verdict &verdict,
                      const Tensor &expected, const void *got) {
  numerics::ElementType type = expected.elementType();
  for (const numerics::JudgedPoint &point : verdict.points) {
    if (point.index < 0 || type.isComplex())
      continue;
    int64_t at = point.index * type.storageBytes();
    WorstPoint worst{point.index, 0, 0, point.error, point.bound, 0, true};
    numerics::toDoubles(type, static_cast<const std::byte *>(got) + at,
                        &worst.got, 1);
    numerics::toDoubles(type, expected.bytes() + at, &worst.expected, 1);
    judged.worst.push_back(worst);
  }
}

static bool isShadow(const numerics::Rule &rule) {
  return rule.kind() == numerics::RuleKind::Shadow;
}

/// Whether rule dtype holds where rule shadow does not, as in `run --expect`:
/// the reference rounds sums once, engines at each step.
bool ProgramJudge::passesDtype(const ResultQuery &asked, int64_t &decided) {
  ProgramVerdict said;
  JudgedResult judged = asked.judged;
  if (byRule({asked.index, asked.result, asked.data, said, judged}, "dtype",
             decided) != Status::Passed)
    return false;
  llvm::append_range(asked.said.notes, said.notes);
  asked.judged = judged;
  return true;
}

/// Judges by a rule with its own tolerance.
Status ProgramJudge::byRule(const ResultQuery &asked, llvm::StringRef name,
                            int64_t &decided) {
  const program::Value &value = truth_.results[asked.index];
  ProgramVerdict &said = asked.said;
  llvm::Expected<numerics::Rule> rule = numerics::Rule::parse(name);
  llvm::Expected<Tensor> expected = value.tensor().dense();
  if (!rule || !expected) {
    llvm::Error both = llvm::joinErrors(rule.takeError(), expected.takeError());
    said.reason = takeError(std::move(both)).message;
    return Status::Failed;
  }
  if (!isFloating(value) && isShadow(*rule))
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
    return Status::Failed;
  }
  decided = expected->size();
  if (!verdict->passed && isShadow(*rule) && passesDtype(asked, decided))
    return Status::Passed;
  said.notes.push_back(llvm::formatv("  {0}: '{1}': {2}", asked.data,
                                     asked.result.name, verdict->text()));
  said.facts[asked.fact("failures")] = verdict->failing;
  asked.judged.measure = verdict->rule;
  asked.judged.elements = verdict->checked;
  asked.judged.failures = verdict->failing;
  if (verdict->worst())
    asked.judged.worstFraction = verdict->worst()->fraction;
  if (verdict->passed)
    return Status::Passed;
  noteWorst(asked.judged, *verdict, *expected, asked.result.bytes);
  asked.judged.failing =
      llvm::cantFail(numerics::failingElements(*rule, judgement));
  asked.judged.pattern =
      describePattern(judgement.shape, asked.judged.failing, verdict->failing);
  said.reason =
      llvm::formatv("errors:{0} total:{1}", verdict->failing, verdict->checked)
          .str();
  said.findings.push_back(llvm::formatv("  {0} data: '{1}': {2}; {3}",
                                        asked.data, asked.result.name,
                                        verdict->text(), asked.judged.pattern));
  for (const numerics::JudgedPoint &point : verdict->points)
    said.findings.push_back(
        llvm::formatv("  {0,-16} expected {1,15} got {2,15} error {3,12:e3} "
                      "bound {4,12:e3}",
                      numerics::printIndex(point.index, expected->shape()),
                      point.expected, point.got, point.error, point.bound)
            .str());
  return Status::Failed;
}

JudgedResult ProgramJudge::judgeOne(size_t index, const ProgramResult &result,
                                    llvm::StringRef data,
                                    ProgramVerdict &said) {
  int64_t decided = 0;
  JudgedResult judged;
  judged.name = result.name;
  ResultQuery asked{index, result, data, said, judged};
  judged.status = options_.rule == "bound"
                      ? byBound(asked, decided)
                      : byRule(asked, options_.rule, decided);
  said.elements += truth_.results[index].tensor().size();
  said.decided += judged.decided = decided;
  return judged;
}

ProgramVerdict ProgramJudge::judge(llvm::ArrayRef<ProgramResult> results,
                                   llvm::StringRef data) {
  ProgramVerdict said;
  bool isBound = options_.rule == "bound";
  said.judge = isBound ? "reference with shadow, derived bound"
                       : "reference, rule " + options_.rule;
  if (isBound && !truth_.noBound.empty())
    said.noBound = "  no bound for " + truth_.noBound +
                   ": what depends on it is judged by rule dtype";
  for (size_t i = 0; i < results.size(); ++i) {
    said.results.push_back(judgeOne(i, results[i], data, said));
    Status status = said.results.back().status;
    if (status == Status::Passed || said.status == Status::Failed)
      continue;
    said.status = status;
    if (status == Status::Failed && !options_.everyResult)
      return said;
  }
  if (said.status == Status::Passed &&
      (truth_.demands.definedOnly
           ? said.decided == 0 && said.elements > 0
           : tooFewDecided(said.decided, said.elements))) {
    said.status = Status::Mistrusted;
    said.reason = undecidedText(said.decided, said.elements);
  }
  return said;
}
