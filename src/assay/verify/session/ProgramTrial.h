/// The trial of a program that is not a contraction: the reference is the
/// truth.
#pragma once

#include "assay/judge/program/ProgramJudge.h"
#include "assay/verify/ProgramCase.h"
#include "assay/verify/session/Resources.h"
#include "assay/verify/session/Trial.h"

namespace assay::verify {

/// The rounds' joint decision. Data at the edges may leave many elements open:
/// rounds with other data, if any, determine whether enough is decided.
class Tally {
public:
  explicit Tally(bool onlyEdges) : onlyEdges_(onlyEdges) {}
  /// Whether all rounds have data at the edges.
  static bool isOnlyEdges(llvm::ArrayRef<Round> rounds);

  void add(const Round &round, const judge::ProgramVerdict &verdict,
           int64_t elements);
  /// Passed or Mistrusted, with the reason.
  Status status(Outcome &outcome) const;

private:
  bool onlyEdges_, mistrusted_ = false;
  int64_t decided_ = 0, total_ = 0;
};

class ProgramTrial : public Trial {
public:
  ProgramTrial(ProgramCase c, Resources &resources);

  double bytes() const override;
  std::string nothingToCheck() const override;
  llvm::Expected<engine::ProblemDescription> describe(int threads) const override;
  void take(const engine::WorkerResult &created, Outcome &outcome) override;
  std::optional<Round> round(size_t done) override;
  llvm::Error fill(const Round &round) override;
  std::vector<engine::Placement> place(engine::Guard guard) override;
  void write(engine::Unwritten unwritten) override;
  Status judge(const Round &round, Outcome &outcome) override;
  std::vector<ResultMemory> results() const override;
  Status conclude(Outcome &outcome) override { return tally_.status(outcome); }
  TimedProblem timed(std::vector<engine::Placement> &places) const override;
  bool judgeTimed(Outcome &outcome) override;

  const ProgramCase &programCase() const { return c_; }
  const std::vector<tensor::Tensor> &inputs() const { return inputs_; }
  /// Other arguments in place of those that fill() drew.
  void setInputs(llvm::ArrayRef<tensor::Tensor> inputs) {
    inputs_.assign(inputs.begin(), inputs.end());
  }
  /// Stage Expect: the truth for the arguments. Errors: those of the reference.
  llvm::Error expect(judge::Demands demands);
  const judge::ProgramTruth &truth() const { return judge_.truth(); }
  /// Copies of the results in the arena, dense.
  std::vector<std::vector<std::byte>> denseResults() const;

private:
  /// The verdict on the results in the arena. Where the problem's words are
  /// ambiguous, the results may follow the other reading, but all together,
  /// since a library decides it once. Errors: the truth of the other reading
  /// cannot be computed; `verdict` is that of the first.
  llvm::Error ask(judge::ProgramJudge &judge,
                  llvm::ArrayRef<tensor::Tensor> inputs, judge::Demands demands,
                  llvm::StringRef data, judge::ProgramVerdict &verdict);
  /// The arguments that are in the arena after timed runs.
  llvm::Expected<std::vector<tensor::Tensor>> inputsNow() const;

  ProgramCase c_;
  Resources &resources_;
  std::vector<Round> rounds_;
  Tally tally_;
  judge::ProgramJudge judge_;
  std::optional<Round> prepared_; ///< the judge holds the truth of this round
  bool isFirst_ = true;
  int alignment_ = 0;
  std::vector<tensor::Tensor> inputs_;
  std::vector<engine::Placement> places_;
};

} // namespace assay::verify
