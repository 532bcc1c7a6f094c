/// The trial of one problem: the stages Fill, Place, Expect and Judge.
/// Contractions use expected sums and their own exact data (ContractionTrial),
/// all other programs the reference (ProgramTrial). The session calls the
/// stages in their order and runs the engine between them.
#pragma once

#include "assay/engine/Worker.h"
#include "assay/verify/Options.h"
#include "assay/verify/Report.h"
#include "assay/verify/session/Gaps.h"

namespace assay::verify {

/// One run of the engine: the kind of data, and which draw of that kind.
struct Round {
  FillKind kind = FillKind::Normal;
  int draw = 0;
  const char *name() const { return nameOf(kind); }
  bool operator==(const Round &) const = default;
};

/// Facts about a problem for modes P and R, other than the places of its
/// tensors.
struct TimedProblem {
  double inputBytes = 0, outputBytes = 0;
  size_t inputs = 0; ///< tensors in front of the results
  /// Types of the two factors, where the machine's limit is that of their products.
  std::optional<std::pair<numerics::ElementType, numerics::ElementType>>
      factors;
  bool isJudged = false;   ///< arguments change between runs, and the last run's
                           ///< results are judged
  uint32_t coldTensor = 0; ///< --cold-cache=wei: one more than the index of the
                           ///< weights; 0: all tensors are cold
};

class Trial {
public:
  explicit Trial(const Problem &problem) : problem(problem) {}
  virtual ~Trial() = default;

  const Problem &problem;

  /// The approximate memory for tensors, expected values and bounds.
  virtual double bytes() const = 0;
  /// Why there is nothing to check; empty if there is something.
  virtual std::string nothingToCheck() const { return {}; }
  /// The problem as the engine gets it. Errors: it cannot be made for this engine.
  virtual llvm::Expected<engine::ProblemDescription>
  describe(int threads) const = 0;
  /// Values that --input names, where they can be read before anything else.
  virtual llvm::Error readInputs() { return llvm::Error::success(); }
  /// Starts the computation of expected values, parallel to the tested engine.
  virtual void prepareExpected() {}
  /// Called after the engine has made its kernel, or refused: notes the
  /// alignment that it asks for and the special numbers that it does not
  /// support; may improve the text of a refusal.
  virtual void take(const engine::WorkerResult &created, Outcome &outcome) = 0;

  /// The round after `done` rounds; nullopt if there are no more.
  virtual std::optional<Round> round(size_t done) = 0;
  /// Stage Fill: draws, or reads, the arguments of a round.
  virtual llvm::Error fill(const Round &round) = 0;
  /// Stage Place: chooses regions of the arena for all tensors.
  virtual std::vector<engine::Placement> place(engine::Guard guard) = 0;
  /// Writes arguments into the arena, and the mark of unwritten memory into
  /// outputs.
  virtual void write(engine::Unwritten unwritten) = 0;
  /// Stages Expect and Judge, on the results in the arena. Passed, Failed,
  /// Mistrusted, or the outcome of an error of the reference.
  virtual Status judge(const Round &round, Outcome &outcome) = 0;
  /// The results with their places, for areGapsIntact.
  virtual std::vector<ResultMemory> results() const = 0;
  /// All rounds together have passed: Passed or Mistrusted, with the reason.
  virtual Status conclude(Outcome &) { return Status::Passed; }
  /// Adds further facts at the end.
  virtual void close(Outcome &) {}

  /// For modes P and R; marks in `places` the tensors that may be redrawn between runs.
  virtual TimedProblem timed(std::vector<engine::Placement> &places) const = 0;
  /// Judges the last timed run's results for the arguments in the arena.
  virtual bool judgeTimed(Outcome &outcome) = 0;
};

} // namespace assay::verify
