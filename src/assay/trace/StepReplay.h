/// The steps of a recorded model, run again on their own inputs.
#pragma once

#include "assay/trace/FirstWrong.h"
#include "assay/trace/ModulePrograms.h"
#include "assay/trace/ModuleSettings.h"
#include "assay/trace/Replay.h"
#include "assay/trace/Steps.h"

#include <set>

namespace assay::trace {

/// Replays steps that have a program: an operator's (Operators.h), each side's
/// own; a module's (ModulePrograms.h), forward and of its parameters'
/// gradients; attention between projections. Threads: re-entrant.
class StepReplay {
public:
  /// All arguments must outlive the object.
  StepReplay(const Comparison &comparison, const formats::Hdf5Reader &target,
             const formats::Hdf5Reader &bench, const SideOperators &operators)
      : comparison_(comparison), target_(target), bench_(bench),
        operators_(operators),
        targetSettings_(ModuleSettings::beside(target.path())),
        benchSettings_(ModuleSettings::beside(bench.path())) {
    findLoneCalls();
  }

  /// Nullopt: the step has no program, or not all that it needs was recorded.
  /// `everyRow`: also for a large module's output.
  std::optional<ReplayResult> operator()(const ModelStep &step,
                                         bool everyRow) const;
  /// From now on gradients of modules in 32 bits and more are replayed, too:
  /// bounds need them. Rules detect as much without that time.
  void includeWideGradients() { wideGradients_ = true; }
  /// How the two sides' calls of an operator differ in their arguments, or the
  /// modules whose code ran in their settings, as text; empty: they do not
  /// differ, or that is unknown.
  std::string otherArguments(const ModelStep &step) const;
  /// Whether a gradient differs only where a sign or a maximum was decided
  /// between values that nearly tie (Ties.h); elsewhere it may differ by
  /// `explained` (relative L2).
  bool turnsOnTies(const ModelStep &step, double explained) const;
  /// ModuleSettings::calledAt() of the target, else of the bench.
  llvm::StringRef calledAt(llvm::StringRef module) const {
    llvm::StringRef line = targetSettings_.calledAt(module);
    return line.empty() ? benchSettings_.calledAt(module) : line;
  }

private:
  const ComparedRow &row(size_t index) const { return comparison_.rows[index]; }
  const DumpName &name(size_t index) const {
    return comparison_.item(row(index), true).name;
  }
  const DumpName &benchName(size_t index) const {
    return comparison_.item(row(index), false).name;
  }
  std::optional<ReplayResult> call(const ModelStep &step) const;
  std::optional<ReplayFormula> formulaOf(const ModelStep &step, Stages stages,
                                         bool asked) const;
  bool gatherInputs(const ModelStep &step, const AtenProgram &program,
                    bool ofTarget, ReplaySide &side) const;
  void loadLeaf(const ModelStep &step, size_t input, LeafCall &target,
                LeafCall &bench) const;
  std::optional<ReplayResult> gradientOfCall(const ModelStep &step) const;
  std::optional<ReplayResult> leaf(const ModelStep &step, bool everyRow) const;
  std::optional<ReplayResult> gradient(const ModelStep &step) const;
  std::optional<ReplayResult> between(const ModelStep &step) const;
  void findLoneCalls();
  bool isNarrow(size_t index) const;
  bool isOfPart(size_t index, size_t other) const;
  std::optional<size_t> forwardOf(size_t index) const;
  std::optional<size_t> resultOf(size_t input) const;
  std::optional<size_t> named(const DumpName &wanted) const;
  tensor::Tensor read(size_t index, bool ofTarget) const;

  const Comparison &comparison_;
  const formats::Hdf5Reader &target_, &bench_;
  SideOperators operators_;
  ModuleSettings targetSettings_, benchSettings_;
  std::set<std::pair<int64_t, std::string>>
      loneCalls_[2]; ///< steps and modules with calls that only one side has;
                     ///< [1]: the target
  bool wideGradients_ = false;
};

} // namespace assay::trace
