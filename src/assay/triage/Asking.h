/// Runs variations of one problem (another engine, rule, type, format or thread
/// count), in a new worker process or in one that is kept.
#pragma once

#include "assay/verify/session/Session.h"

#include <map>

namespace assay::triage {

/// The differences from the original problem.
struct Variation {
  std::string engine;             ///< empty: the problem's
  std::string rule;               ///< empty: the problem's
  bool fastReference = true;      ///< false: only the reference judges
  std::vector<std::string> words; ///< replace those of the problem; see words()
  int threads = 0;                ///< 0: as asked
  bool fresh = false;             ///< run in a new process
  /// Environment variables of the process, which is then a new one.
  std::map<std::string, std::string> environment;
};

struct Answer {
  verify::Outcome outcome;
  std::string repro;  ///< arguments of `assay verify`
  bool exists = true; ///< false: the words make no problem
  bool passed() const {
    return exists && outcome.status == verify::Status::Passed;
  }
  /// True if the problem was run and something is wrong.
  bool failed() const;
  /// "FAILED (errors:3 total:8)".
  std::string text() const;
};

class Asking {
public:
  Asking(const verify::Problem &problem, int threads);
  ~Asking();

  Answer ask(const Variation &variation);
  /// The problem as the words after `verify`: driver, knobs, descriptor.
  const std::vector<std::string> &words() const { return words_; }
  /// These words, with further knobs before the descriptor.
  std::vector<std::string> with(std::vector<std::string> knobs) const;
  const verify::Problem &problem() const { return problem_; }
  const verify::RunOptions &options() const { return *problem_.options; }

private:
  verify::Problem problem_;
  std::vector<std::string> words_;
  int threads_;
  std::unique_ptr<verify::Session> kept_;
};

/// The single problem that these words describe; nullopt if they are not a
/// valid problem, or one that cannot be run.
std::optional<verify::Problem> readProblem(llvm::ArrayRef<std::string> words);

} // namespace assay::triage
