// Rule `bound` uses only these replays; first wrong (FirstWrong.cpp) begins
// with them.
#include "assay/trace/ReplayAll.h"
#include "assay/trace/Growth.h"
#include "assay/trace/Values.h"

#include <atomic>
#include <cmath>
#include <set>

namespace assay::trace {

using formats::Hdf5Reader;

static const DumpName &nameOf(const Comparison &comparison, size_t row) {
  return comparison.item(comparison.rows[row], true).name;
}

bool wantsReplay(const Comparison &comparison, const ModelStep &step) {
  const ComparedRow &out = comparison.rows[step.row];
  bool differs =
      out.mismatches > 0 || llvm::any_of(step.sources, [&](size_t source) {
        return comparison.rows[source].mismatches > 0;
      });
  return !step.isInput && !step.isFedIn && (step.leaf || !step.byFlow) &&
         out.compared && differs && !out.pair.mean &&
         !isMeaningless(nameOf(comparison, step.row)) &&
         !isRandom(nameOf(comparison, step.row));
}

std::vector<std::optional<ReplayResult>>
replaySteps(const Comparison &comparison, const std::vector<ModelStep> &steps,
            const StepReplay &replay, ThreadPool &pool) {
  std::vector<std::optional<ReplayResult>> replays(steps.size());
  std::atomic<size_t> next{0};
  pool.runOnAll([&](int) {
    for (size_t i; (i = next++) < steps.size();) {
      const ModelStep &step = steps[i];
      if (wantsReplay(comparison, step))
        replays[i] = replay(
            step, comparison.rows[step.row].status == RowStatus::Fail ||
                      growthOf(comparison, step.row, step.sources, step.leaf) >
                          0.5);
    }
  });
  return replays;
}

std::string describe(const ReplayResult &wrong) {
  if (wrong.byDeviation)
    return llvm::formatv("what it computes is {0} away from {1} for its own "
                         "inputs (relative L2), the bench's {2}",
                         figure(wrong.targetDeviation), wrong.formula,
                         figure(wrong.benchDeviation))
        .str();
  std::string share = std::isfinite(wrong.targetShare)
                          ? "off by " + figure(wrong.targetShare) +
                                " times its bound"
                          : std::string("where no error is allowed");
  std::string reason =
      llvm::formatv("{0} of {1} outputs are not {2} for its own inputs, the "
                    "worst is {3}: {5}; {4}",
                    wrong.targetOff, wrong.elements, wrong.formula, share,
                    wrong.benchOff == 0
                        ? "all of the bench's are"
                        : "the bench's are but for " +
                              std::to_string(wrong.benchOff),
                    wrong.pattern)
          .str();
  if (!wrong.targetFormula.empty())
    reason += "; they are " + wrong.targetFormula;
  return reason;
}

namespace {
/// The verdict on a row by its bound.
struct Bounded {
  size_t row;
  bool passes;
  std::string reason;
  double worstFraction;
};
} // namespace

static std::vector<Bounded> byBounds(const Comparison &comparison,
                                     const StepReplay &replay,
                                     ThreadPool &pool) {
  std::vector<ModelStep> steps = findSteps(comparison);
  std::vector<std::optional<ReplayResult>> replays =
      replaySteps(comparison, steps, replay, pool);
  std::vector<Bounded> verdicts;
  std::set<size_t> made;
  for (auto [step, again] : llvm::zip_equal(steps, replays)) {
    made.insert(step.row);
    if (!again)
      continue;
    double share = again->byDeviation ? 0 : again->targetShare;
    verdicts.push_back({step.row, !again->targetWrong(),
                        again->targetWrong() ? describe(*again) : "", share});
  }
  for (size_t i = 0; i < comparison.rows.size(); ++i) {
    const ComparedRow &r = comparison.rows[i];
    bool pair = r.pair.target >= 0 && r.pair.bench >= 0;
    if (!pair || !r.compared || r.mismatches == 0 || made.count(i))
      continue;
    TensorKind kind = nameOf(comparison, i).kind;
    if (kind != TensorKind::Other && kind != TensorKind::ForwardParams)
      verdicts.push_back({i, true, "passed on: judged where it was made", 0});
  }
  return verdicts;
}

void judgeByBounds(Comparison &comparison, const Hdf5Reader &target,
                   const Hdf5Reader &bench, ThreadPool &pool,
                   const SideOperators &operators) {
  StepReplay replay(comparison, target, bench, operators);
  replay.includeWideGradients();
  for (Bounded &verdict : byBounds(comparison, replay, pool)) {
    ComparedRow &row = comparison.rows[verdict.row];
    row.status = verdict.passes ? RowStatus::Pass : RowStatus::Fail;
    row.rule = "bound";
    row.reason = std::move(verdict.reason);
    row.worstFraction = verdict.worstFraction;
  }
  comparison.ruleName =
      "bound; " + comparison.ruleName + " where no program is known";
  comparison.passed = comparison.failed = 0;
  for (const ComparedRow &row : comparison.rows)
    if (row.status != RowStatus::Unmatched)
      ++(row.status == RowStatus::Fail ? comparison.failed : comparison.passed);
}

} // namespace assay::trace
