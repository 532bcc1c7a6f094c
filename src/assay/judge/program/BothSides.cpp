// Two one-sided judgements per result, and their words.
#include "assay/judge/program/BothSides.h"
#include "assay/judge/program/ProgramJudge.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;
using program::ResultVerdict;
using tensor::Tensor;

static std::string words(const char *side, const Verdict &verdict,
                         llvm::ArrayRef<int64_t> shape) {
  std::string text =
      llvm::formatv("{0}: {1} of {2} elements beyond the bound, largest "
                    "error {3} of it",
                    side, verdict.failures, verdict.elements,
                    numberText(worstShare(verdict)))
          .str();
  if (!verdict.passed())
    text +=
        " (" + describePattern(shape, verdict.failing, verdict.failures) + ")";
  return text;
}

/// The elements of a side that fail.
static void noteFailing(const Verdict &side, ResultVerdict &verdict) {
  verdict.failures = side.failures;
  verdict.failing = side.failing;
  verdict.pattern =
      describePattern(verdict.type.shape, side.failing, side.failures);
  verdict.points.clear();
  for (const WorstPoint &point : side.worst)
    verdict.points.push_back(
        {point.index, numberText(point.got), numberText(point.expected),
         point.error, point.bound,
         point.bound > 0 ? point.error / point.bound : HUGE_VAL});
}

static llvm::Expected<ResultVerdict> judgeOne(const ProgramTruth &truth,
                                              size_t index, const Tensor &got,
                                              const Tensor &expected,
                                              std::string name) {
  Verdict ours = judgeResult(truth, index, got.bytes()),
          theirs = judgeResult(truth, index, expected.bytes());
  int64_t undecided = std::max(ours.undecided, theirs.undecided);
  ResultVerdict verdict = program::compareResult(got, expected, name);
  verdict.passed = ours.passed() && theirs.passed();
  verdict.mistrusted =
      verdict.passed && tooFewDecided(ours.elements - undecided, ours.elements);
  verdict.passed &= !verdict.mistrusted;
  verdict.rule = "bound";
  verdict.errorGot = worstShare(ours);
  verdict.errorExpected = worstShare(theirs);
  verdict.ofBound = std::max(verdict.errorGot, verdict.errorExpected);
  verdict.text = words("got", ours, got.shape()) + "; " +
                 words("expected", theirs, got.shape());
  if (undecided > 0)
    verdict.text +=
        llvm::formatv("; {0} of {1} elements have no bound: {2}", undecided,
                      ours.elements, truth.whyOpen[index])
            .str();
  verdict.elements = ours.elements;
  for (const Verdict *side : {&theirs, &ours}) {
    if (!side->worst.empty())
      verdict.worst = indexText(got.shape(), side->worst.front().index);
    if (!side->passed())
      noteFailing(*side, verdict);
  }
  return verdict;
}

llvm::Expected<std::vector<ResultVerdict>>
judge::judgeBothByBound(const ProgramTruth &truth,
                        llvm::ArrayRef<program::Value> results,
                        llvm::StringRef npzPath) {
  llvm::Expected<std::vector<program::ExpectedResult>> expected =
      program::readExpected(results, npzPath);
  if (!expected)
    return expected.takeError();
  std::vector<size_t> tensors; // of the truth, in the order of the file's names
  for (auto [i, result] : llvm::enumerate(truth.results))
    if (result.isTensor())
      tensors.push_back(i);
  std::vector<ResultVerdict> verdicts;
  for (auto [i, one] : llvm::enumerate(*expected)) {
    llvm::Expected<Tensor> got = one.value->tensor().dense();
    if (!got)
      return got.takeError();
    llvm::Expected<ResultVerdict> verdict =
        judgeOne(truth, tensors[i], *got, one.tensor, one.name);
    if (!verdict)
      return verdict.takeError();
    verdicts.push_back(std::move(*verdict));
  }
  return verdicts;
}
