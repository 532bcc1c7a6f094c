/// `assay compare --first-wrong`: which module is the first that is itself
/// wrong.
#pragma once

#include "assay/trace/Compare.h"
#include "assay/trace/NotFinite.h"
#include "assay/trace/Operators.h"
#include "llvm/Support/JSON.h"

namespace assay::trace {

/// The evidence that a step is wrong.
enum class Evidence {
  Input,      ///< the inputs of the model differ
  Parameters, ///< a parameter differs
  NotFinite,  ///< a NaN or Inf from inputs without
  Shape,      ///< another shape
  Replay,     ///< not the result of its program on its own inputs
  Arguments,  ///< it was called with other arguments
  Structure,  ///< operators that one side lacks, or runs in another order
  Random,     ///< other random numbers
  Rule,       ///< it fails, its inputs pass
  Golden,     ///< further from a dump of higher precision than the bench
  Replicas,   ///< ranks that should agree do not
  Growth      ///< the error grows; the only doubtful evidence
};
/// One word or two: "replay", "not finite".
llvm::StringRef evidenceName(Evidence evidence);
/// "certain", "likely" or "doubtful", and why.
llvm::StringRef howSure(Evidence evidence);

/// A step with a larger error than its inputs explain.
struct Suspect {
  std::string module; ///< "blocks.1.attn"; the innermost module that holds the
                      ///< step at fault, or the operator's call
  std::string className; ///< where it is known
  Evidence evidence = Evidence::Rule;
  std::string reason; ///< a sentence with the figures
  std::string tensor; ///< the tensor that shows it
  std::string where;  ///< an operator: the module around it and the line of the
                      ///< model; a module: the line that called it; as far as
                      ///< they are known
  int64_t row = -1;   ///< in the comparison
  int64_t step = -1;
  double errorIn = 0, errorOut = 0; ///< relative L2
  double score = 0;   ///< error divided by the explained error; above 1 is
                      ///< suspicious
  std::string role;   ///< the name of the same step in every block
  int64_t alike = 1;  ///< steps of this role with the same finding: one kernel
  int64_t ofRole = 1; ///< steps of this role that were judged
};

/// A step that its replay proves right although its error grew: it amplifies
/// its inputs' errors.
struct IllConditioned {
  std::string module, tensor;
  double errorIn = 0, errorOut = 0; ///< relative L2
};

/// The result of the search.
enum class Answer : uint8_t {
  Named,
  None,      ///< there is no difference, or each is explained
  CannotTell ///< there are differences that no suspect explains
};

struct FirstWrong {
  Answer answer() const {
    return !suspects.empty() ? Answer::Named
           : unexplained > 0 ? Answer::CannotTell
                             : Answer::None;
  }
  std::vector<Suspect>
      suspects; ///< certain ones before doubtful ones, each in the order of
                ///< execution; the first is at fault
  int64_t judged =
      0; ///< steps (module calls and the code between them) that were judged
  int64_t replayed =
      0; ///< steps that were computed again in f64 from their own recorded
         ///< inputs
  std::vector<IllConditioned> illConditioned; ///< the largest growth first
  double largestGrowth = 0; ///< largest score of steps that were judged by
                            ///< growth alone and cleared: the margin
  std::string largestGrowthAt;
  std::optional<NotFiniteOrigin> notFinite; ///< a NaN or Inf that the bench
                                            ///< lacks

  // Without a suspect: the verdicts on the Fails and on tensors without a counterpart.
  struct Count {
    std::string what; ///< "follow from what was found right"
    int64_t tensors = 0;
  };
  int64_t fails = 0;
  std::vector<Count> explained; ///< the explanations as text, in the order in
                                ///< which they occur
  int64_t unexplained = 0;
  std::string firstUnexplained, notJudged, ///< a tensor, and why it was not
      howToJudge; ///< how to record or compare so that it can be
};

/// "named", "none", "cannot tell".
llvm::StringRef answerName(Answer answer);

/// Facts about the two sides that their dumps do not hold.
struct SideOperators {
  /// The descriptions of operator calls; null: none.
  const Operators *target = nullptr, *bench = nullptr;
  /// The type in which the target sums its products; nullopt: f32, or f64 for f64.
  std::optional<numerics::ElementType> accumulation;
  /// Tensors without a counterpart are not a difference.
  bool ignoreUnmatched = false;
};

/// Walks the steps of the model (Steps.h) in the order of execution, each judged
/// on its own recorded inputs. A step is a leaf module or an operator call (its
/// inputs to its outputs) or the code of a module between its children; a tensor
/// equal to an earlier one is not a step.
///   - If the step has a program (StepReplay.h), the program decides: elements
///     of the target beyond the bound on the target's own inputs are wrong if
///     the bench's are within it. A step that is right by its own arguments but
///     wrong by the bench's was "called with other arguments".
///   - A tensor that fails although all its sources pass is wrong: the result
///     of an operator or module by the rule, a NaN or a shape; an operator's
///     input by the operators that made it and that one side lacks, back to
///     tensors that both sides have and that pass (DataFlow.h).
///   - Where neither applies, growth of the error beyond kGain times that of
///     the inputs and the roundings of the type.
/// Operators that are paired only by similarity are not suspects. Without a
/// suspect, each Fail is explained by tensors that are right, or cannot be
/// judged.
/// Errors:  those of reading
llvm::Expected<FirstWrong> findFirstWrong(const Comparison &comparison,
                                          const formats::Hdf5Reader &target,
                                          const formats::Hdf5Reader &bench,
                                          ThreadPool &pool,
                                          const SideOperators &operators = {});

/// Rule `bound`: a tensor passes when it is within the derived bound of the
/// result of its operator or module on the target's own inputs (or, where the
/// bench is beyond the bound, within a few times the bench's error). Sets
/// status, rule and reason of the rows whose program is known; a tensor that is
/// only a copy was judged where it was made, and passes. All others keep their
/// verdict.
void judgeByBounds(Comparison &comparison, const formats::Hdf5Reader &target,
                   const formats::Hdf5Reader &bench, ThreadPool &pool,
                   const SideOperators &operators = {});

/// Three-way: `golden` is a third dump of higher precision. A row is wrong when
/// the target's distance from it is more than twice the bench's plus some
/// roundings; the first wrong row whose inputs are right is the fault.
struct GoldenRow {
  std::string tensor;
  double targetError = 0,
         benchError = 0;    ///< relative L2 against the golden tensor
  const char *verdict = ""; ///< "as good", "better", "worse"
};
struct GoldenVerdict {
  std::vector<GoldenRow> rows;
  FirstWrong firstWrong;
  Comparison targetSide; ///< the target compared with the golden dump
};
llvm::Expected<GoldenVerdict>
judgeAgainstGolden(const formats::Hdf5Reader &target,
                   const formats::Hdf5Reader &bench,
                   const formats::Hdf5Reader &golden,
                   const CompareOptions &options, ThreadPool &pool);

/// Keeps the suspects whose tensor the golden verdict calls worse, and those by
/// replay that a replay beside the golden dump (`againstGolden`: findFirstWrong
/// of verdict.targetSide) accuses too; if none is left and the verdict calls
/// another tensor worse, that one is the suspect.
FirstWrong confirmByGolden(FirstWrong found, const GoldenVerdict &verdict,
                           const FirstWrong &againstGolden);

/// Arranges the findings: certain ones before doubtful ones, then in the order
/// of execution; joins those of one role, and those of one module.
void arrangeSuspects(std::vector<Suspect> &suspects);

/// First line "first wrong: NAME", "first wrong: none: every difference is
/// explained (by what)", "first wrong: none" if nothing differs, or "first
/// wrong: cannot tell: ..."; then the list.
void printFirstWrong(const FirstWrong &result, llvm::raw_ostream &os);
llvm::json::Value firstWrongJson(const FirstWrong &result);
llvm::json::Value goldenJson(const GoldenVerdict &verdict);
void printGolden(const GoldenVerdict &verdict, llvm::raw_ostream &os);

} // namespace assay::trace
