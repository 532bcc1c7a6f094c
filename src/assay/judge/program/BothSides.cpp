// Two one-sided judgements per result, and their words.
#include "assay/judge/program/BothSides.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;
using program::ResultVerdict;
using tensor::Tensor;

/// The measure of errors, as text.
static const char *measureText(const JudgedResult &side) {
  if (side.measure == "spread")
    return "the errors of other correct evaluations (its bound says less than "
           "rule dtype, which does not hold)";
  return side.measure == "dtype" ? "rule dtype (its bound says less)"
                                 : "the bound";
}

static std::string words(const char *name, const JudgedResult &side) {
  std::string text =
      llvm::formatv("{0}: {1} of {2} elements beyond {3}, {4}", name,
                    side.failures, side.elements, measureText(side),
                    std::isinf(side.worstFraction)
                        ? "one where no error is allowed"
                        : "largest error " + numberText(side.worstFraction) +
                              " times it")
          .str();
  if (side.failures > 0)
    text += " (" + side.pattern + ")";
  return text;
}

/// The elements of a side that fail.
static void noteFailing(const JudgedResult &side, ResultVerdict &verdict) {
  verdict.failures = side.failures;
  verdict.failing = side.failing;
  verdict.pattern = side.pattern;
  verdict.points.clear();
  for (const WorstPoint &point : side.worst)
    verdict.points.push_back(
        {point.index, numberText(point.got), numberText(point.expected),
         point.error, point.bound,
         point.bound > 0 ? point.error / point.bound : HUGE_VAL});
}

/// How many elements of a result have no bound.
static int64_t openOf(const ProgramTruth &truth, size_t index) {
  const Errors &errors = truth.errors[index];
  return errors ? llvm::count_if(*errors,
                                 [](double error) { return std::isinf(error); })
                : 0;
}

static ResultVerdict judgeBoth(ProgramJudge &judge, size_t index,
                               const Tensor &got, const Tensor &expected,
                               std::string name) {
  ResultVerdict verdict = program::compareResult(got, expected, name);
  ProgramVerdict said;
  JudgedResult ours = judge.judgeOne(index, {name, got.bytes()}, "", said),
               theirs =
                   judge.judgeOne(index, {name, expected.bytes()}, "", said);
  // A result within its bounds passes, unless other evaluations show it wrong.
  int64_t open = openOf(judge.truth(), index);
  bool fails = false;
  for (const JudgedResult *side : {&theirs, &ours}) {
    verdict.mistrusted |=
        open > 0 && (side->status == Status::Mistrusted ||
                     tooFewDecided(side->decided, side->elements));
    if (!side->worst.empty())
      verdict.worst = indexText(got.shape(), side->worst.front().index);
    if (side->status == Status::Failed)
      noteFailing(*side, verdict);
    fails |= side->status == Status::Failed;
  }
  verdict.mistrusted &= !fails;
  verdict.passed = !fails && !verdict.mistrusted;
  verdict.rule = "bound";
  verdict.errorGot = ours.worstFraction;
  verdict.errorExpected = theirs.worstFraction;
  verdict.ofBound = std::max(verdict.errorGot, verdict.errorExpected);
  verdict.text = words("got", ours) + "; " + words("expected", theirs);
  if (open > 0)
    verdict.text += llvm::formatv("; {0} of {1} elements have no bound: {2}",
                                  open, ours.elements,
                                  judge.truth().whyOpen[index])
                        .str();
  verdict.elements = ours.elements;
  return verdict;
}

llvm::Expected<std::vector<ResultVerdict>>
judge::judgeBothByBound(ProgramJudge &judge,
                        llvm::ArrayRef<program::Value> results,
                        llvm::StringRef npzPath) {
  llvm::Expected<std::vector<program::ExpectedResult>> expected =
      program::readExpected(results, npzPath);
  if (!expected)
    return expected.takeError();
  std::vector<size_t> tensors; // of the truth, in the order of the file's names
  for (auto [i, result] : llvm::enumerate(judge.truth().results))
    if (result.isTensor())
      tensors.push_back(i);
  std::vector<ResultVerdict> verdicts;
  for (auto [i, one] : llvm::enumerate(*expected)) {
    llvm::Expected<Tensor> got = one.value->tensor().dense();
    if (!got)
      return got.takeError();
    verdicts.push_back(
        judgeBoth(judge, tensors[i], *got, one.tensor, one.name));
  }
  return verdicts;
}
