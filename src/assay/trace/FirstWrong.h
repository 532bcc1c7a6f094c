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
  Replay,     ///< not what its program gives on its own inputs
  Arguments,  ///< it was called with other arguments
  Structure,  ///< operators that one side lacks or runs in another order
  Random,     ///< other random numbers
  Rule,       ///< it fails, its inputs pass
  Golden,     ///< further from a dump of higher precision than the bench
  Replicas,   ///< ranks that should agree do not
  Growth      ///< the error grows; the only one that is doubtful
};
/// One word or two: "replay", "not finite".
llvm::StringRef evidenceName(Evidence evidence);
/// "certain", "likely" or "doubtful", and why.
llvm::StringRef howSure(Evidence evidence);

/// A step that makes more error than its inputs explain.
struct Suspect {
  std::string module; ///< "blocks.1.attn"; of the innermost module that holds
                      ///< the step at fault, or the operator's call
  std::string className; ///< where it is known
  Evidence evidence = Evidence::Rule;
  std::string reason; ///< a sentence with the figures
  std::string tensor; ///< where it shows
  std::string where;  ///< of an operator the module around it and the line of
                      ///< the model, of a module the line that called it; as
                      ///< far as they are known
  int64_t row = -1;   ///< of the comparison
  int64_t step = -1;
  double errorIn = 0, errorOut = 0; ///< relative L2
  double score = 0;   ///< error over what is explained; above 1 is suspicious
  std::string role;   ///< the name of the same step in every block
  int64_t alike = 1;  ///< steps of this role with the same finding: one kernel
  int64_t ofRole = 1; ///< steps of this role that were judged
};

/// A step that its replay proves right although its error grew: its inputs'
/// errors matter much to it.
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

  // Without a suspect: the verdicts on the Fails and on tensors without a counterpart.
  struct Count {
    std::string what; ///< "follow from what was found right"
    int64_t tensors = 0;
  };
  int64_t fails = 0;
  std::vector<Count> explained; ///< in words; the first seen first
  int64_t unexplained = 0;
  std::string firstUnexplained, notJudged, ///< a tensor, and why it was not
      howToJudge; ///< how to record or compare so that it can be
};

/// "named", "none", "cannot tell".
llvm::StringRef answerName(Answer answer);

/// The facts about the two sides beside their dumps.
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
///   - Where the step has a program (StepReplay.h), that decides: an element of
///   the target beyond the bound on the target's own inputs is wrong where the
///   bench's are within. Right by its own arguments and wrong by the bench's is
///   "called with other arguments".
///   - What fails although everything that it was made of passes is wrong: an
///   operator or module by the rule, a NaN, a shape; an operator's input by the
///   operators that made it and that one side lacks, as far as tensors that both sides
///   have and that pass (DataFlow.h).
///   - Where neither is known, growth of the error beyond kGain times that of
///   the inputs and the roundings of the type.
/// Pairs of operators that are only alike make no suspect. Without a suspect,
/// each Fail is explained by what was found right, or is one that cannot be told.
/// Errors:  those of reading
llvm::Expected<FirstWrong> findFirstWrong(const Comparison &comparison,
                                          const formats::Hdf5Reader &target,
                                          const formats::Hdf5Reader &bench,
                                          ThreadPool &pool,
                                          const SideOperators &operators = {});

/// Rule `bound`: a tensor passes when it is within the derived bound of what its
/// operator or module gives on the target's own inputs (and a few times as far
/// as the bench, where that is beyond). Sets status, rule and reason of the rows
/// whose program is known; a tensor that was only passed on was judged where it
/// was made and passes. All others keep the verdict they have.
void judgeByBounds(Comparison &comparison, const formats::Hdf5Reader &target,
                   const formats::Hdf5Reader &bench, ThreadPool &pool,
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
judgeAgainstGolden(const formats::Hdf5Reader &target,
                   const formats::Hdf5Reader &bench,
                   const formats::Hdf5Reader &golden,
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

/// First line "first wrong: NAME", "first wrong: none: every difference is
/// explained (by what)", "first wrong: none" if there is none, or "first
/// wrong: cannot tell: ..."; then the list.
void printFirstWrong(const FirstWrong &result, llvm::raw_ostream &os);
llvm::json::Value firstWrongJson(const FirstWrong &result);
llvm::json::Value goldenJson(const GoldenVerdict &verdict);
void printGolden(const GoldenVerdict &verdict, llvm::raw_ostream &os);

} // namespace assay::trace
