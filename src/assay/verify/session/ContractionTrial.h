/// The trial of a contraction, with fast sums, norms and exact data.
#pragma once

#include "assay/verify/session/ExpectedSums.h"
#include "assay/verify/session/Trial.h"

namespace assay::verify {

class ContractionTrial : public Trial {
public:
  ContractionTrial(Lowered lowered, Resources &resources);

  double bytes() const override;
  llvm::Expected<engine::ProblemDescription> describe(int threads) const override;
  llvm::Error readInputs() override;
  void prepareExpected() override { expected_.prepare(); }
  void take(const engine::WorkerResult &created, Outcome &outcome) override;
  std::optional<Round> round(size_t done) override;
  llvm::Error fill(const Round &round) override;
  std::vector<engine::Placement> place(engine::Guard guard) override;
  void write(engine::Unwritten unwritten) override;
  Status judge(const Round &round, Outcome &outcome) override;
  std::vector<ResultMemory> results() const override;
  void close(Outcome &outcome) override;
  TimedProblem timed(std::vector<engine::Placement> &places) const override;
  bool judgeTimed(Outcome &outcome) override;

private:
  std::vector<Round> plannedRounds() const;
  /// The floats of one slot: from the user's file or drawn; zeros where
  /// --encoding says so.
  void drawSlot(size_t slot, float *values);
  void writeSlot(size_t slot, engine::Unwritten unwritten);
  /// The factors of the sums: zero points subtracted, block scales
  /// multiplied in.
  void takeFactors();
  int64_t countZeros(const float *values, int64_t n);

  Lowered c_;
  Resources &resources_;
  ExpectedSums expected_;
  ContractionData data_;
  judge::KeptNumbers kept_; ///< special numbers that the engine supports
  int alignment_ = 0;
  std::vector<std::vector<float>> given_; ///< per slot: from the user's file
  bool anyNonFinite_ = false;             ///< given_ has NaN or infinity
  std::vector<Round> rounds_;
  double missed_ = 1; ///< see SumQuestion
};

} // namespace assay::verify
