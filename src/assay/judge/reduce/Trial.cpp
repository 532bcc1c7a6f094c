// A trial: the subject's run, then the truth with its bounds, element by
// element. Rules with tolerances do not count here: a result within the bound
// of some correct implementation is not a failure.
#include "assay/judge/reduce/Trial.h"
#include "assay/judge/program/ProgramTruth.h"
#include "assay/support/Interrupt.h"

#include <cmath>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

using namespace assay;
using namespace assay::judge;
using tensor::Tensor;

static constexpr double kTruthSeconds = 60;

const char *judge::nameOf(Symptom symptom) {
  static constexpr const char *kNames[] = {
      "no failure", "wrong value", "not finite", "crash", "hang", "failure"};
  return kNames[static_cast<int>(symptom)];
}

/// A subject with a permanent thread: the worker process of an engine ends with
/// the thread that started it.
class Trial::Lane {
public:
  Lane(std::unique_ptr<Subject> subject, int threads)
      : subject_(std::move(subject)), pool_(threads),
        thread_([this] { run(); }) {}
  ~Lane() {
    hand(nullptr);
    thread_.join();
  }
  void ask(const TestCase &test) { hand(&test); }
  Symptom answer() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return !isAsked_; });
    return symptom_;
  }

private:
  void hand(const TestCase *test) {
    std::lock_guard<std::mutex> lock(mutex_);
    test_ = test;
    isAsked_ = true;
    changed_.notify_all();
  }
  void run() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return isAsked_; });
      if (!test_)
        break;
      symptom_ = judgeBy(*subject_, pool_, *test_).symptom;
      isAsked_ = false;
      changed_.notify_all();
    }
    subject_.reset();
  }

  std::unique_ptr<Subject> subject_;
  ThreadPool pool_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const TestCase *test_ = nullptr; ///< null: the lane ends
  bool isAsked_ = false;
  Symptom symptom_ = Symptom::None;
  std::thread thread_;
};

Trial::Trial(Subject &subject, ThreadPool &pool, double budgetSeconds,
             Journal journal)
    : subject_(subject), pool_(pool), start_(std::chrono::steady_clock::now()),
      budgetSeconds_(budgetSeconds), journal_(std::move(journal)) {}

Trial::~Trial() = default;

bool Trial::spent() const {
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_)
          .count();
  return Interrupt::requested() ||
         (budgetSeconds_ > 0 && seconds > budgetSeconds_);
}

static Symptom symptomOf(Ending ending) {
  switch (ending) {
  case Ending::Crashed:
    return Symptom::Crash;
  case Ending::Hung:
    return Symptom::Hang;
  case Ending::Failed:
    return Symptom::Failure;
  default:
    return Symptom::None;
  }
}

static Symptom symptomOf(const Verdict &verdict) {
  for (const WorstPoint &point : verdict.worst)
    if (std::isfinite(point.got) == std::isfinite(point.expected))
      return Symptom::WrongValue;
  return Symptom::NotFinite;
}

/// Whether results have the types that the truth has.
static bool sameTypes(const ProgramTruth &truth,
                      llvm::ArrayRef<Tensor> results) {
  if (truth.results.size() != results.size())
    return false;
  for (auto [value, result] : llvm::zip(truth.results, results))
    if (!value.isTensor() || !(value.tensor().type() == result.type()))
      return false;
  return true;
}

static bool sameBits(llvm::ArrayRef<Tensor> a, llvm::ArrayRef<Tensor> b) {
  if (a.size() != b.size())
    return false;
  for (auto [x, y] : llvm::zip(a, b))
    if (!(x.type() == y.type()) ||
        std::memcmp(x.bytes(), y.bytes(),
                    static_cast<size_t>(x.denseBytes())) != 0)
      return false;
  return true;
}

void Trial::addLane(std::unique_ptr<Subject> subject, int threads) {
  lanes_.push_back(std::make_unique<Lane>(std::move(subject), threads));
}

Finding Trial::judge(const TestCase &test) {
  return judgeBy(subject_, pool_, test);
}

Finding Trial::judgeBy(Subject &subject, ThreadPool &pool,
                       const TestCase &test) {
  Finding finding;
  SubjectRun run;
  if (test.recorded.empty())
    run = subject.run(test.program, test.inputs);
  else
    run.results = test.recorded;
  finding.symptom = symptomOf(run.ending);
  finding.text = run.text;
  if (run.ending == Ending::Refused || !run.tookPart)
    return finding;
  llvm::Expected<ProgramTruth> truth =
      computeTruth(test.program, "main", test.inputs, pool, kTruthSeconds);
  if (!truth) {
    finding.symptom = Symptom::None;
    finding.text = takeError(truth.takeError()).message;
    return finding;
  }
  for (const program::Value &value : truth->results)
    if (value.isTensor()) {
      if (llvm::Expected<Tensor> dense = value.tensor().dense())
        finding.expected.push_back(std::move(*dense));
      else
        llvm::consumeError(dense.takeError());
    }
  if (finding.symptom != Symptom::None || !sameTypes(*truth, run.results))
    return finding;
  if (!test.expected.empty() && !sameBits(finding.expected, test.expected))
    return finding; // the cut needs other values than were recorded
  for (size_t i = 0; i < run.results.size(); ++i) {
    Verdict verdict = judgeResult(*truth, i, run.results[i].bytes());
    if (verdict.passed())
      continue;
    finding.symptom = symptomOf(verdict);
    finding.result = i;
    finding.worst = verdict.worst.front();
    finding.wrong = verdict.failures;
    break;
  }
  return finding;
}

/// The journal's answer for a test; nullopt where it has none.
std::optional<Symptom> Trial::known(const std::string &key) const {
  std::optional<int> answer = journal_.find(key);
  if (!answer || *answer < 0 || *answer > static_cast<int>(Symptom::Failure))
    return std::nullopt;
  return static_cast<Symptom>(*answer);
}

Symptom Trial::symptom(const TestCase &test) {
  std::string key = test.key();
  if (std::optional<Symptom> answer = known(key))
    return *answer;
  if (spent())
    return Symptom::None;
  ++count_;
  Symptom symptom = judge(test).symptom;
  if (!Interrupt::requested())
    journal_.add(key, static_cast<int>(symptom));
  return symptom;
}

/// Runs each test on its own lane, the first one in the caller's thread.
/// Programs that several share are copied: a context serves one thread.
std::vector<Symptom> Trial::symptoms(llvm::MutableArrayRef<TestCase> tests) {
  std::vector<Symptom> symptoms(tests.size(), Symptom::None);
  std::vector<size_t> own{0}, others;
  for (size_t i = 1; i < tests.size(); ++i) {
    llvm::Error error = program::Program::copyOf(tests[i].program->module(),
                                                 tests[i].program->name())
                            .moveInto(tests[i].program);
    (error ? own : others).push_back(i);
    llvm::consumeError(std::move(error));
  }
  for (size_t i : others)
    lanes_[i - 1]->ask(tests[i]);
  for (size_t i : own)
    symptoms[i] = judgeBy(subject_, pool_, tests[i]).symptom;
  for (size_t i : others)
    symptoms[i] = lanes_[i - 1]->answer();
  return symptoms;
}

std::optional<std::pair<size_t, TestCase>>
Trial::first(size_t count, Maker make, Symptom wanted) {
  for (size_t at = 0; at < count && !spent();) {
    struct Asked {
      size_t number;
      std::string key;
      std::optional<Symptom> symptom;
      TestCase test;
    };
    std::vector<Asked> asked;
    std::vector<TestCase> open;
    for (; at < count && open.size() <= lanes_.size(); ++at) {
      llvm::Expected<TestCase> test = make(at);
      if (!test) {
        llvm::consumeError(test.takeError());
        continue;
      }
      Asked one{at, test->key(), std::nullopt, *test};
      one.symptom = known(one.key);
      if (!one.symptom)
        open.push_back(std::move(*test));
      bool isFound = one.symptom == wanted && open.empty();
      asked.push_back(std::move(one));
      if (isFound)
        break;
    }
    std::vector<Symptom> answers;
    if (!open.empty())
      answers = symptoms(open);
    count_ += static_cast<int64_t>(open.size());
    size_t next = 0;
    for (Asked &one : asked) {
      if (!one.symptom) {
        one.symptom = answers[next++];
        if (!Interrupt::requested())
          journal_.add(one.key, static_cast<int>(*one.symptom));
      }
      if (one.symptom == wanted)
        return std::pair(one.number, std::move(one.test));
    }
  }
  return std::nullopt;
}
