#include "assay/verify/session/SumVerdict.h"
#include "assay/judge/FactorRounding.h"
#include "assay/judge/contraction/BiasGradient.h"
#include "assay/judge/contraction/StochasticJudge.h"
#include "assay/numerics/Convert.h"
#include "assay/verify/session/Running.h"

#include <algorithm>
#include <cmath>

using namespace assay;
using namespace assay::judge;
using namespace assay::verify;

namespace {
/// The side that is right at the worst points, by exact recomputation.
struct Arbitration {
  int examined = 0, testedWrong = 0, trustedWrong = 0;
};
} // namespace

/// Recomputes the points' sums exactly and judges both sides again.
static Arbitration arbitrate(const Lowered &c, const FillPlan &plan,
                             const Epilogue &epilogue, const Accumulators &sums,
                             double trustedUnit, const float *a, const float *b,
                             std::vector<WorstPoint> &worst) {
  Arbitration result;
  Bound own = makeBound(c, plan, 0);
  double depth =
      static_cast<double>(std::max<int64_t>(1, c.contraction.depth()));
  for (WorstPoint &point : worst) {
    judge::Point truth = contractPoint(c.contraction, a, b, point.index);
    ++result.examined;
    double off = std::abs(sums.at(point.index) - truth.value);
    double allowed =
        own.exact ? 0
                  : depth * std::max(trustedUnit, 0x1p-50) * truth.absolute +
                        own.underflow;
    result.trustedWrong += !(off <= allowed) && std::isfinite(truth.value);
    int64_t row = point.index / epilogue.walk().width(),
            at = point.index % epilogue.walk().width();
    double value = truth.value,
           error =
               own.exact ? 0 : own.relative * truth.absolute + own.underflow;
    epilogue.apply(row, at, 1, &value, &error, own.own);
    Interval interval = admissible(c.slots[c.out].type, value, error);
    bool accepted = std::isnan(value)
                        ? std::isnan(point.got)
                        : mayStore(c.slots[c.out].type, interval.low,
                                   interval.high, point.got);
    result.testedWrong += !accepted;
    point.expected = error > 0 ? value : roundTo(c.slots[c.out].type, value);
    point.error = std::abs(point.got - value);
    point.bound =
        error > 0 ? std::max(interval.high - value, value - interval.low) : 0;
  }
  return result;
}

/// Whether factors of a narrower type explain the worst points.
static std::string asIfFactorsRounded(const Lowered &c,
                                      const Epilogue &epilogue,
                                      const ContractionData &data,
                                      llvm::ArrayRef<WorstPoint> worst) {
  auto all = static_cast<int64_t>(worst.size());
  std::vector<float> a(static_cast<size_t>(c.contraction.aElements())),
      b(static_cast<size_t>(c.contraction.bElements()));
  for (const FactorRounding &rounding : factorRoundings()) {
    auto round = [&](float x) { return roundedFactor(x, rounding); };
    std::transform(data.a, data.a + a.size(), a.begin(), round);
    std::transform(data.b, data.b + b.size(), b.begin(), round);
    int64_t like = llvm::count_if(worst, [&](const WorstPoint &point) {
      double value =
                 contractPoint(c.contraction, a.data(), b.data(), point.index)
                     .value,
             error = 0;
      int64_t width = epilogue.walk().width();
      epilogue.apply(point.index / width, point.index % width, 1, &value,
                     &error, 0);
      return isExplainedBy(value, point.got, point.expected);
    });
    if (std::string words = roundedFactorsText(rounding, like, all);
        !words.empty())
      return "  " + words;
  }
  return "";
}

namespace {
/// The judgement of one fill: the engine that judged it, and the result.
struct JudgedFill {
  const FillPlan &plan;
  int64_t zeros; ///< exact data: elements of the factors that are 0
  const std::string &judge, &refused;
  bool byNorms;
  const Verdict &verdict;
};
} // namespace

/// Notes facts for the report, and with -v1 one or two lines.
static void noteFill(const Lowered &c, const JudgedFill &fill,
                     Outcome &outcome) {
  const Verdict &verdict = fill.verdict;
  const char *name = nameOf(fill.plan.kind);
  bool exact = fill.plan.kind == FillKind::Exact;
  double worst = worstShare(verdict);
  outcome.facts[std::string("worst_fraction_") + name] = numberJson(worst);
  outcome.facts[std::string("failures_") + name] = verdict.failures;
  if (exact)
    outcome.facts["visible_fraction"] = verdict.visible,
    outcome.facts["zero_elements"] = fill.zeros;
  if (c.problem->options->verbosity <= 0)
    return;
  std::string norms =
      fill.byNorms ? llvm::formatv("; bounds from norms, {0} points recomputed",
                                   verdict.refined)
                         .str()
                   : "";
  outcome.before.push_back(
      llvm::formatv("  {0}: judged by {1}{2}{5}; largest error {3:f3} of its "
                    "bound; {4} undecided",
                    name, fill.judge,
                    fill.refused.empty() ? "" : " (" + fill.refused + ")",
                    worst, verdict.undecided, norms)
          .str());
  if (exact)
    outcome.before.push_back(
        llvm::formatv(
            "  exact: {0} (counted: {1} zeros among {2} elements of the "
            "factors); a changed term shows in {3:f1} % of the outputs{4}",
            fill.zeros ? "some terms are 0"
                       : "every term of every sum is nonzero",
            fill.zeros, c.contraction.aElements() + c.contraction.bElements(),
            100 * verdict.visible,
            fill.plan.note.empty() ? "" : "; " + fill.plan.note)
            .str());
}

/// Enough outputs must be able to show a fault; real data of the same problem
/// compensates for narrow integer outputs. `missed`: see SumQuestion.
static Status weighPower(const Lowered &c, const JudgedFill &fill,
                         double &missed, Outcome &outcome) {
  if (fill.plan.kind != FillKind::Exact)
    return Status::Passed;
  const Verdict &verdict = fill.verdict;
  missed *=
      std::pow(1 - verdict.visible, static_cast<double>(verdict.elements));
  bool onlyExact =
      llvm::all_of(c.problem->options->fills,
                   [](FillKind kind) { return kind == FillKind::Exact; }) ||
      c.slots[c.out].type.isInteger();
  if (!onlyExact || missed <= 0.01)
    return Status::Passed;
  outcome.reason =
      llvm::formatv("a changed term would show in {0:f2} % of {1} outputs; it "
                    "stays unseen with probability {2:f2}",
                    100 * verdict.visible, verdict.elements, missed)
          .str();
  return Status::Mistrusted;
}

/// Reports which elements are wrong, and the worst of them.
static void reportWrong(const Lowered &c, const JudgedFill &fill,
                        llvm::ArrayRef<std::string> words, Outcome &outcome) {
  const Verdict &verdict = fill.verdict;
  const Slot &out = c.slots[c.out];
  outcome.after.push_back(
      llvm::formatv(
          "  {0} data, judged by {1}: {2} of {3} elements of '{4}' "
          "are wrong: {5}",
          nameOf(fill.plan.kind), fill.judge, verdict.failures,
          verdict.elements, out.role,
          describePattern(out.dims, verdict.failing, verdict.failures))
          .str());
  noteWrong(nameOf(fill.plan.kind), out.role, out.dims, verdict.failures,
            verdict.elements,
            describePattern(out.dims, verdict.failing, verdict.failures),
            verdict.worst, outcome);
  bool exact = makeBound(c, fill.plan, 0).exact;
  for (const WorstPoint &point : verdict.worst)
    outcome.after.push_back(
        pointText(out.dims, point, exact && point.bound == 0));
  for (const std::string &line : words)
    if (!line.empty())
      outcome.after.push_back(line);
  outcome.reason =
      llvm::formatv("errors:{0} total:{1}", verdict.failures, verdict.elements)
          .str();
}

static void noteDisagreement(const std::string &trusted,
                             const Arbitration &arbitration, Outcome &outcome) {
  outcome.after.push_back(
      llvm::formatv("  fast reference {0} disagreed and is wrong at {1} of "
                    "{2} recomputed points; judged again by the reference",
                    trusted, arbitration.trustedWrong, arbitration.examined)
          .str());
  if (arbitration.trustedWrong)
    outcome.trouble.push_back(trusted + " is wrong");
}

namespace {
/// A verdict that was reached with sums of one engine, or of a second one after
/// the first was found wrong.
struct Judgement {
  Verdict verdict;
  TrustedSums expected;
  bool byNorms = false;
  std::string settled; ///< which side is wrong, recomputed exactly
  std::string cause;   ///< a known one, or empty
};
} // namespace

/// Logical values per slot, as epilogues read them.
static std::vector<const float *> valuesOf(const ContractionData &data) {
  return {data.values.begin(), data.values.end()};
}

/// Whether the results of a convolution are within the bounds of transforms,
/// and not finite only where a tile has such a number.
static std::string asIfTransformed(const SumQuestion &question,
                                   const Epilogue &epilogue,
                                   const Judgement &judgement) {
  const Lowered &c = question.c;
  if (!c.problem->driver->hasAlgorithm || c.algorithm != Algorithm::Direct)
    return "";
  const ContractionData &data = question.data;
  bool spread = llvm::all_of(judgement.verdict.worst, [](const auto &point) {
    return std::isfinite(point.expected) && !std::isfinite(point.got);
  });
  judge::Case fast = c;
  fast.algorithm = Algorithm::Winograd;
  if (!(spread && data.plan.kind == FillKind::Special) &&
      !judgeContraction(fast, data.plan, epilogue, judgement.expected.sums,
                        makeBound(fast, data.plan, judgement.expected.unit),
                        question.resources.at(data.places[c.out]),
                        question.resources.pool())
           .passed())
    return "";
  return "  as if it were computed by transforms (Winograd, FFT): --alg=wino "
         "allows them";
}

/// Settles which side is wrong where results fail; if it is the fast reference,
/// judges again by the reference.
template <typename JudgeNow>
static void arbitrateFailures(const SumQuestion &question,
                              const Epilogue &epilogue, JudgeNow judgeNow,
                              Judgement &judgement, Outcome &outcome) {
  const ContractionData &data = question.data;
  TrustedSums &expected = judgement.expected;
  Verdict &verdict = judgement.verdict;
  Resources::Timer timer(question.resources, "arbitrate");
  auto ask = [&] {
    return arbitrate(question.c, data.plan, epilogue, expected.sums,
                     expected.unit, data.a, data.b, verdict.worst);
  };
  Arbitration arbitration = ask();
  if (arbitration.testedWrong == 0 && !expected.isReference) {
    noteDisagreement(expected.name, arbitration, outcome);
    expected = question.expected.makeReference(data, /*norms=*/false);
    verdict = judgeNow();
    if (!verdict.passed())
      arbitration = ask();
  }
  if (verdict.passed())
    return;
  judgement.settled =
      llvm::formatv("  recomputed exactly: the engine under test is "
                    "wrong at {0} of {1} points, {2} at {3}",
                    arbitration.testedWrong, arbitration.examined,
                    expected.name, arbitration.trustedWrong)
          .str();
  judgement.cause =
      asIfFactorsRounded(question.c, epilogue, data, verdict.worst);
  if (judgement.cause.empty())
    judgement.cause = asIfTransformed(question, epilogue, judgement);
}

static Judgement judgeFill(const SumQuestion &question, Outcome &outcome) {
  const auto &[c, data, sums, resources, missed] = question;
  Epilogue epilogue(c, valuesOf(data));
  const void *out = resources.at(data.places[c.out]);
  bool benchdnn = c.problem->options->rule == "benchdnn";
  Judgement judgement{{}, sums.make(data, /*norms=*/true), false, {}, {}};
  TrustedSums &expected = judgement.expected;
  auto judgeNow = [&] {
    Resources::Timer timer(resources, "compare");
    return benchdnn ? judgeAsBenchdnn(c, epilogue, expected.sums, out,
                                      resources.pool())
                    : judgeContraction(c, data.plan, epilogue, expected.sums,
                                       makeBound(c, data.plan, expected.unit),
                                       out, resources.pool());
  };
  judgement.verdict = judgeNow();
  judgement.byNorms = expected.sums.norms != nullptr;
  if (judgement.verdict.tooManySuspects) {
    expected = sums.make(data, /*norms=*/false);
    judgement.verdict = judgeNow();
    judgement.byNorms = false;
  }
  if (!judgement.verdict.passed() && !benchdnn)
    arbitrateFailures(question, epilogue, judgeNow, judgement, outcome);
  return judgement;
}

static Status judgeRounded(const SumQuestion &question, Outcome &outcome) {
  Judgement judgement = judgeFill(question, outcome);
  const TrustedSums &expected = judgement.expected;
  bool another = !outcome.judge.empty() && outcome.judge != expected.name;
  outcome.judge =
      another ? outcome.judge + ", " + expected.name : expected.name;
  const ContractionData &data = question.data;
  JudgedFill fill{data.plan,        data.zeros,        expected.name,
                  expected.refused, judgement.byNorms, judgement.verdict};
  noteFill(question.c, fill, outcome);
  if (judgement.verdict.passed())
    return weighPower(question.c, fill, question.missed, outcome);
  reportWrong(question.c, fill, {judgement.settled, judgement.cause}, outcome);
  return Status::Failed;
}

/// Judges results that are rounded at random.
static Status judgeRandom(const SumQuestion &question, Outcome &outcome) {
  const auto &[c, data, sums, resources, missed] = question;
  TrustedSums expected = sums.make(data, /*norms=*/false);
  Epilogue epilogue(c, valuesOf(data));
  StochasticVerdict result = judgeStochastic(
      c, epilogue, expected.sums, makeBound(c, data.plan, expected.unit),
      resources.at(data.places[c.out]), resources.pool());
  outcome.judge = expected.name;
  JudgedFill fill{data.plan,        data.zeros, expected.name,
                  expected.refused, false,      result.verdict};
  noteFill(c, fill, outcome);
  outcome.facts[std::string("rounding_deviations_") + nameOf(data.plan.kind)] =
      std::max(result.deviations, result.slopeDeviations);
  if (c.problem->options->verbosity > 0)
    outcome.before.push_back(
        llvm::formatv("  {0}: {1} results rounded at random; {2:f1} standard "
                      "deviations from their mean, {3:f1} towards the nearer "
                      "neighbour",
                      nameOf(data.plan.kind), result.rounded, result.deviations,
                      result.slopeDeviations)
            .str());
  if (!result.verdict.passed())
    reportWrong(c, fill, {}, outcome);
  if (result.verdict.passed() && !result.doubt.empty()) {
    outcome.reason = "not rounded at random";
    outcome.after.push_back(
        llvm::formatv("  {0} data: {1}", nameOf(data.plan.kind), result.doubt)
            .str());
  }
  return result.verdict.passed() && result.doubt.empty() ? Status::Passed
                                                         : Status::Failed;
}

/// Reports which elements of a bias gradient are wrong.
static void reportBias(const Slot &bias, const char *kind,
                       const Verdict &verdict, Outcome &outcome) {
  int64_t failures = verdict.failures;
  std::string pattern = describePattern(bias.dims, verdict.failing, failures);
  outcome.reason =
      llvm::formatv("errors:{0} total:{1}", failures, bias.elements()).str();
  noteWrong(kind, bias.role, bias.dims, failures, bias.elements(), pattern,
            verdict.worst, outcome);
  outcome.after.push_back(
      llvm::formatv("  {0} data: {1} of {2} elements of '{3}' are wrong: {4}",
                    kind, failures, bias.elements(), bias.role, pattern)
          .str());
}

static bool isBiasGradientRight(const SumQuestion &question, Outcome &outcome) {
  const auto &[c, data, sums, resources, missed] = question;
  const Slot &bias = c.slots[c.diffBias];
  int gradient = -1;
  for (size_t i = 0; i < c.slots.size(); ++i)
    if (c.slots[i].role == "diff_dst")
      gradient = static_cast<int>(i);
  const Slot &grad = c.slots[gradient];
  const float *values = data.values[gradient];
  int64_t channels = grad.dims[1];
  std::vector<float> narrow(channels);
  std::vector<double> got(channels);
  const std::byte *at = resources.at(data.places[c.diffBias]);
  if (numerics::isPacked(bias.type)) {
    unpack(bias, at, narrow.data(), resources.pool());
    got.assign(narrow.begin(), narrow.end());
  } else {
    numerics::convertArray(bias.type, at, types::F64, got.data(), channels);
  }
  Verdict verdict = judgeBiasGradient(grad, values, bias, data.plan, got);
  if (verdict.passed())
    return true;
  reportBias(bias, nameOf(data.plan.kind), verdict, outcome);
  const WorstPoint &first = verdict.worst.front();
  outcome.after.push_back(llvm::formatv("  [{0}] expected {1} got {2}",
                                        first.index,
                                        judge::numberText(first.expected),
                                        judge::numberText(first.got))
                              .str());
  return false;
}

Status verify::judgeSums(const SumQuestion &question, Outcome &outcome) {
  Status status = question.c.attributes.isStochastic
                      ? judgeRandom(question, outcome)
                      : judgeRounded(question, outcome);
  if (status != Status::Failed && question.c.diffBias >= 0 &&
      !isBiasGradientRight(question, outcome))
    return Status::Failed;
  return status;
}
