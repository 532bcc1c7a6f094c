/// Runs one problem in variations (another engine, rule, type, format or thread
/// count), in a worker process of its own or in one that is kept.
#pragma once

#include "assay/verify/session/Session.h"

#include <map>

namespace assay::triage {

/// The differences from the problem as it was given.
struct Variation {
  std::string engine;             ///< empty: the problem's
  std::string rule;               ///< empty: the problem's
  bool fastReference = true;      ///< false: only the reference judges
  std::vector<std::string> words; ///< instead of the problem's; see words()
  int threads = 0;                ///< 0: as asked
  bool fresh = false;             ///< a process that has seen nothing yet
  /// Set in the environment of the process, which is a fresh one then.
  std::map<std::string, std::string> environment;
};

struct Answer {
  verify::Outcome outcome;
  std::string repro;  ///< arguments of `assay verify`
  bool exists = true; ///< false: the words make no problem
  bool passed() const {
    return exists && outcome.status == verify::Status::Passed;
  }
  /// It was run, and something is wrong.
  bool failed() const;
  /// "FAILED (errors:3 total:8)".
  std::string text() const;
};

class Asking {
public:
  Asking(const verify::Problem &problem, int threads);
  ~Asking();

  Answer ask(const Variation &variation);
  /// The problem's words after `verify`: driver, knobs, descriptor.
  const std::vector<std::string> &words() const { return words_; }
  /// These words, with further knobs in front of the descriptor.
  std::vector<std::string> with(std::vector<std::string> knobs) const;
  const verify::Problem &problem() const { return problem_; }
  const verify::RunOptions &options() const { return *problem_.options; }

private:
  verify::Problem problem_;
  std::vector<std::string> words_;
  int threads_;
  std::unique_ptr<verify::Session> kept_;
};

/// The one problem of these words; none where they make no problem, or one that
/// cannot be run.
std::optional<verify::Problem> readProblem(llvm::ArrayRef<std::string> words);

} // namespace assay::triage
