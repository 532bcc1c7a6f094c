/// Judges the results of a program's runs: made once for a program, given
/// arguments, asked about results. It knows no engine and no report; its
/// answers are counts, lines and facts, which the caller places.
#pragma once

#include "assay/judge/program/Evaluations.h"
#include "assay/judge/program/ProgramTruth.h"
#include "llvm/Support/JSON.h"

namespace assay::judge {

enum class Status : uint8_t {
  Passed,
  Failed,
  Mistrusted ///< too many elements cannot be judged on this data
};

struct ProgramJudgeOptions {
  std::string entry;
  std::string rule = "bound"; ///< or any rule of numerics
  double maxSeconds = 0;      ///< for the reference; 0: none
  bool everyResult = false;   ///< continues after a result that fails
  bool exactDivision = false; ///< demandExactDivision(program)
  /// Results of operations without a bound are Mistrusted: no rule decides between
  /// two results when neither is the truth.
  bool mistrustsUnbounded = false;
};

/// The facts about one result, for programs to read.
struct JudgedResult {
  std::string name;
  Status status = Status::Passed;
  std::string measure; ///< "bound", "spread", or the rule's name
  int64_t elements = 0, failures = 0, undecided = 0;
  int64_t decided = 0; ///< of the elements, those that were judged
  /// The largest error of all elements as a share of the element's allowed
  /// error.
  double worstFraction = 0;
  std::string pattern;           ///< where the failing elements are, in words
  std::vector<int64_t> failing;  ///< the first of them, ascending
  std::vector<WorstPoint> worst; ///< of the failing ones
};

/// The facts about all results on one set of arguments.
struct ProgramVerdict {
  Status status = Status::Passed;
  std::string judge;                 ///< the measure that judged, as text
  std::string reason;                ///< when not passed
  std::string noBound; ///< a note: which part of the program has no bound
  std::vector<std::string> notes;    ///< how each result was judged
  std::vector<std::string> findings; ///< pattern and worst points of a failure
  std::vector<JudgedResult> results; ///< those that were looked at
  llvm::json::Object facts;
  int64_t decided = 0, elements = 0; ///< of elements, those that were judged
};

/// One result under judgement: its name in texts and facts, and its dense
/// row-major elements in the program's own type.
struct ProgramResult {
  std::string name;
  const void *bytes;
};

class ProgramJudge {
public:
  ProgramJudge(std::shared_ptr<const program::Program> program,
               ProgramJudgeOptions options, ThreadPool &pool)
      : program_(std::move(program)), options_(std::move(options)),
        pool_(pool), truths_(program_, options_.entry, pool) {}

  /// Computes the truth for these arguments; `demands`: of their data, for rule
  /// `bound`. Errors: those of computeTruth.
  llvm::Error prepare(llvm::ArrayRef<tensor::Tensor> inputs,
                      Demands demands = {});
  const ProgramTruth &truth() const { return truth_; }
  /// Releases what preparation keeps for further arguments; the truth stays.
  void release() { truths_.release(); }

  /// By rule `bound`: every element by its derived bound; elements without a
  /// useful bound by rule dtype, and where that is not met, by the errors of
  /// other correct evaluations (Spread.h). Judges the program's results for the
  /// arguments of the last prepare, in order, up to the first that fails (all
  /// with everyResult). `data`: the word for these arguments ("normal").
  ProgramVerdict judge(llvm::ArrayRef<ProgramResult> results,
                       llvm::StringRef data);

  /// The same for one result of the truth, `index`, however much of it was
  /// decided. Its lines and facts are added to `said`.
  JudgedResult judgeOne(size_t index, const ProgramResult &result,
                        llvm::StringRef data, ProgramVerdict &said);

private:
  struct ResultQuery; ///< one result, and where its findings go
  /// The text about failing elements: how many, where, the worst of them, and
  /// the cause if it is a known one. Call it after the pattern was noted.
  void describeFailure(const ResultQuery &asked, const Verdict &verdict,
                       const char *judgedBy);
  Status byBound(const ResultQuery &asked, int64_t &decided);
  Status byRule(const ResultQuery &asked, llvm::StringRef rule,
                int64_t &decided);
  bool passesDtype(const ResultQuery &asked, int64_t &decided);
  bool boundOfFewSumsDecides(size_t result) const;
  Status bySpread(const ResultQuery &asked, const std::vector<bool> &measured,
                  int64_t &decided);

  std::shared_ptr<const program::Program> program_;
  ProgramJudgeOptions options_;
  ThreadPool &pool_;
  TruthMaker truths_;
  ProgramTruth truth_;
  std::vector<tensor::Tensor> inputs_;
  std::vector<Evaluation> evaluations_; ///< made when first needed
};

/// Whether so few elements were judged that nothing can be said about the rest.
inline bool tooFewDecided(int64_t decided, int64_t elements) {
  return 2 * decided < elements;
}
/// The text that says so.
std::string undecidedText(int64_t decided, int64_t elements);

} // namespace assay::judge
