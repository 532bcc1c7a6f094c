/// `assay compare --first-wrong`: which module is the first that is really
/// wrong.
#pragma once

#include "assay/trace/Compare.h"
#include "assay/trace/NotFinite.h"
#include "assay/trace/Operators.h"
#include "llvm/Support/JSON.h"

namespace assay::trace {

/// A module that makes more error than its inputs explain.
struct Suspect {
  std::string module; ///< "blocks.1.attn"; of the innermost module that holds
                      ///< the step at fault
  std::string className; ///< where it is known
  std::string evidence;  ///< "replay", "rule", "not finite", "shape",
                         ///< "parameters", "gain"
  std::string reason;    ///< a sentence with the figures
  std::string tensor;    ///< where it shows
  std::string where; ///< of an operator: the module around it and the line of
                     ///< the model, as far as they are known
  int64_t row = -1;  ///< of the comparison
  int64_t step = -1;
  double errorIn = 0, errorOut = 0; ///< relative L2
  double score = 0;   ///< error over what is explained; above 1 is suspicious
  std::string role;   ///< what the same step is called in every block
  int64_t alike = 1;  ///< steps of this role with the same finding: one kernel
  int64_t ofRole = 1; ///< steps of this role that were judged
};

/// A step that its replay proves right although its error grew: its inputs'
/// errors matter much to it.
struct IllConditioned {
  std::string module, tensor;
  double errorIn = 0, errorOut = 0; ///< relative L2
};

struct FirstWrong {
  std::vector<Suspect>
      suspects; ///< sure ones before doubtful ones, each in the order of
                ///< execution; the first is to blame
  int64_t judged =
      0; ///< steps (module calls and the code between them) that were looked at
  int64_t replayed =
      0; ///< of them: computed again in f64 from their own recorded inputs
  std::vector<IllConditioned> illConditioned; ///< the largest growth first
  double largestGrowth = 0; ///< score of the steps that only their growth
                            ///< judged and cleared: the margin
  std::string largestGrowthAt;
  std::optional<NotFiniteOrigin> notFinite; ///< that the bench lacks
};

/// What is known of the two sides beside their dumps.
struct SideOperators {
  /// The descriptions of operator calls; null: none.
  const Operators *target = nullptr, *bench = nullptr;
  /// What the target sums its products in; none: f32, or f64 for f64.
  std::optional<numerics::ElementType> accumulation;
};

/// Judges each step of the model on its own recorded inputs. A step is a leaf
/// module or an operator call (its inputs to its outputs) or the code of a
/// module between its children (what went before within it, to the next child's
/// input or to its output); a tensor equal to an earlier one is no step.
/// Where a program of the step is known (an operator's, Operators.h; a module's,
/// ModulePrograms.h; attention), the replay decides: an element of the target
/// beyond the bound that the program's operations have on the target's own
/// inputs is wrong, where the bench's are within. Else a step is suspect when
///   - it gives a NaN or Inf without counterpart, or another shape, or fails
///   the rule, from inputs that do not;
///   - its error grows beyond kGain times its inputs' and the roundings of its
///   type. In a dump of operators, modules are judged by their operators and
///   not by this.
/// A result without a content of its own (aten.empty) is never suspect. Steps of
/// one role (the same path but for its numbers) with the same finding are one.
/// `operators` describe the calls of each side: a recorded call is run again on
/// each side's own inputs, by the bench's description where there is one.
/// Errors:  those of reading
llvm::Expected<FirstWrong> findFirstWrong(const Comparison &comparison,
                                          const tensor::Hdf5Reader &target,
                                          const tensor::Hdf5Reader &bench,
                                          ThreadPool &pool,
                                          const SideOperators &operators = {});

/// Rule `bound`: a tensor passes when it is within the derived bound of what its
/// operator or module gives on the target's own inputs (and a few times as far
/// as the bench, where that is beyond). Sets status, rule and reason of the rows
/// whose program is known; a tensor that was only handed on was judged where it
/// was made and passes. All others keep the verdict they have.
void judgeByBounds(Comparison &comparison, const tensor::Hdf5Reader &target,
                   const tensor::Hdf5Reader &bench, ThreadPool &pool,
                   const SideOperators &operators = {});

/// Three-way: `golden` is a third dump of higher precision. A row is wrong when
/// the target is further from it than twice the bench is, and some roundings;
/// the first row whose inputs are not wrong is to blame.
struct GoldenRow {
  std::string tensor;
  double targetError = 0,
         benchError = 0;    ///< relative L2 against the golden tensor
  const char *verdict = ""; ///< "as good", "better", "worse"
};
struct GoldenVerdict {
  std::vector<GoldenRow> rows;
  FirstWrong firstWrong;
  Comparison targetSide; ///< the target beside the golden dump
};
llvm::Expected<GoldenVerdict>
judgeAgainstGolden(const tensor::Hdf5Reader &target,
                   const tensor::Hdf5Reader &bench,
                   const tensor::Hdf5Reader &golden,
                   const CompareOptions &options, ThreadPool &pool);

/// Keeps the suspects whose tensor the golden verdict calls worse, and those by
/// replay that a replay beside the golden dump (`againstGolden`: findFirstWrong
/// of verdict.targetSide) accuses too; when it calls another tensor worse and
/// none is left, that one is the suspect.
FirstWrong confirmByGolden(FirstWrong found, const GoldenVerdict &verdict,
                           const FirstWrong &againstGolden);

/// The findings in their order: sure ones before doubtful ones, then by
/// execution; those of one role as one, those of one module as one.
void arrangeSuspects(std::vector<Suspect> &suspects);

/// First line "first wrong: NAME" or "first wrong: none", then the ranked list.
void printFirstWrong(const FirstWrong &result, llvm::raw_ostream &os);
llvm::json::Value firstWrongJson(const FirstWrong &result);
llvm::json::Value goldenJson(const GoldenVerdict &verdict);
void printGolden(const GoldenVerdict &verdict, llvm::raw_ostream &os);

} // namespace assay::trace
