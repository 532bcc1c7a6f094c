/// Private to the session's sources.
#pragma once

#include "assay/verify/Session.h"

#include <chrono>
#include <functional>

namespace assay::verify {

/// What modes P and R need to know of a problem beside the places of its tensors.
struct TimedProblem {
  const Problem *problem = nullptr;
  double createSeconds = 0, inputBytes = 0, outputBytes = 0;
  size_t inputs = 0;     ///< tensors in front of the results
  double peakGflops = 0; ///< of the machine on its types; 0: not known
  /// Judges what the last run made of the arguments in the arena; null:
  /// they are not changed between runs, and nothing is judged.
  std::function<bool(Outcome &outcome)> judge;
  uint32_t coldTensor = 0; ///< --cold-cache=wei: one more than the index of the
                           ///< weights; 0: everything gets cold
};

Status statusOf(engine::WorkerResult::Kind kind);
/// Notes what became of preparing a problem: the status, and why.
void noteCreated(const engine::WorkerResult &created, Outcome &outcome);
/// What the engine has printed, to help find the reason.
void notePrinted(const engine::WorkerResult &result, const Problem &problem,
                 Outcome &outcome);
/// The wrong elements of one result, for --json.
void noteWrong(llvm::StringRef data, llvm::StringRef result,
               llvm::ArrayRef<int64_t> dims, int64_t failures, int64_t elements,
               llvm::StringRef pattern, llvm::ArrayRef<judge::WorstPoint> worst,
               Outcome &outcome);
/// Calls the kernel further times, unless `status` says that something was found
/// already: memory that grows with each call is a failure. Returns the status.
Status watchMemory(llvm::ArrayRef<engine::Placement> placements,
                   engine::Worker &tested, const Problem &problem,
                   Status status, Outcome &outcome);

/// The status and reason of a problem that an error ends before anything was
/// tested: what is too large is SKIPPED, what Assay cannot do UNIMPLEMENTED, all
/// else INVALID_ARGUMENTS.
void refuse(llvm::Error error, Outcome &outcome);

/// Adds the time of its life to one part of the breakdown.
class Session::Timer {
public:
  Timer(Session &session, const char *part) : session_(session), part_(part) {}
  ~Timer() {
    session_.times_[part_] +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_)
            .count();
  }

private:
  Session &session_;
  const char *part_;
  std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

struct Session::Data {
  judge::FillPlan plan;
  judge::KeptNumbers kept; ///< by the engine under test
  std::vector<engine::Placement> placements; ///< per slot
  std::vector<float *> values; ///< per slot: logical floats of inputs (and of
                               ///< the output before a sum)
  std::vector<std::vector<float>> given; ///< per slot: from the user's file
  const float *a = nullptr,
              *b = nullptr; ///< the factors with zero points taken off
  std::vector<float> effectiveA, effectiveB;
  double missed = 1; ///< probability that a changed term stays unseen in all
                     ///< exact data so far
  int64_t zeros = 0; ///< exact data: counted elements of a and b that are 0,
                     ///< zero points taken off
  bool anyNonFinite = false;                              ///< in `given`
  engine::Unwritten unwritten = engine::Unwritten::Marks; ///< in outputs
  int64_t arenaUsed = 0;
  int alignment = 0;

  std::byte *at(const engine::Arena &arena, int slot) const {
    const engine::Placement &p = placements[slot];
    return arena.data() + p.fileOffset + p.dataOffset;
  }
};

struct Session::Trusted {
  judge::Accumulators sums;
  double unit = 0;  ///< roundoff of the sums, 0 = exact (to well below the
                    ///< tested engine's)
  std::string name; ///< "reference", "onednn", "onednn in f32"
  bool isReference = false;
  std::string refused; ///< why faster candidates were passed over
};

} // namespace assay::verify
