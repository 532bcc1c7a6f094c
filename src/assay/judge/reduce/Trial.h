/// One question of a reduction: does this smaller test still fail, and in the
/// same way? Independent tests run in parallel.
#pragma once

#include "assay/judge/Verdict.h"
#include "assay/judge/reduce/Journal.h"
#include "assay/judge/reduce/Subject.h"
#include "assay/judge/reduce/TestCase.h"
#include "assay/support/ThreadPool.h"

#include <chrono>

namespace assay::judge {

/// In which way a test fails. Two tests with the same symptom may show the same fault; a
/// cut that changes it is not kept.
enum class Symptom : uint8_t {
  None,       ///< it does not fail, or cannot be judged
  WrongValue, ///< a number beyond its derived bound
  NotFinite,  ///< an unexpected NaN or infinity, or a missing one
  Crash,
  Hang,
  Failure ///< the engine reports one
};
/// "wrong value", "crash", ...
const char *nameOf(Symptom symptom);

struct Finding {
  Symptom symptom = Symptom::None;
  std::string text; ///< the reason, where the symptom is not a value
  size_t result = 0;
  WorstPoint worst;                     ///< of that result
  int64_t wrong = 0;                    ///< elements of it
  std::vector<tensor::Tensor> expected; ///< the reference's results, dense
};

class Trial {
public:
  /// `budgetSeconds`: no trial begins after this time; 0: no limit.
  Trial(Subject &subject, ThreadPool &pool, double budgetSeconds,
        Journal journal = {});
  ~Trial();
  /// Adds a copy of the subject, with threads for its judge, so that another test runs
  /// at the same time.
  void addLane(std::unique_ptr<Subject> subject, int threads);

  /// Runs and judges: the truth and the derived bounds come from the reference
  /// (computeTruth), elements that have no bound are never wrong.
  Finding judge(const TestCase &test);
  /// The symptom of a test, remembered in the process and in the journal; None
  /// once the budget is spent.
  Symptom symptom(const TestCase &test);
  /// Makes the i-th test; an error means that there is no such test.
  using Maker = llvm::function_ref<llvm::Expected<TestCase>(size_t i)>;
  /// The first of `count` tests that has the symptom, in their order, with its
  /// number; one test per lane runs at a time, so some runs are wasted.
  /// nullopt: none, or the budget is spent.
  std::optional<std::pair<size_t, TestCase>> first(size_t count, Maker make,
                                                   Symptom wanted);
  bool spent() const;
  int64_t count() const { return count_; }
  Subject &subject() { return subject_; }
  ThreadPool &pool() { return pool_; }
  Journal &journal() { return journal_; }

private:
  class Lane;
  static Finding judgeBy(Subject &subject, ThreadPool &pool,
                         const TestCase &test);
  std::vector<Symptom> symptoms(llvm::MutableArrayRef<TestCase> tests);
  std::optional<Symptom> known(const std::string &key) const;

  Subject &subject_;
  ThreadPool &pool_;
  std::vector<std::unique_ptr<Lane>> lanes_; ///< besides subject_ and pool_
  std::chrono::steady_clock::time_point start_;
  double budgetSeconds_;
  Journal journal_;
  int64_t count_ = 0;
};

} // namespace assay::judge
