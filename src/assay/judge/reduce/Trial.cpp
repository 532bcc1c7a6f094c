// A trial: the subject's run, then the truth with its bounds, element by
// element. Rules with tolerances have no say here: what lies within the bound of
// some correct implementation is no failure, however it looks.
#include "assay/judge/reduce/Trial.h"
#include "assay/judge/program/ProgramTruth.h"
#include "assay/support/Interrupt.h"

#include <cmath>
#include <cstring>

using namespace assay;
using namespace assay::judge;
using tensor::Tensor;

static constexpr double kTruthSeconds = 60;

const char *judge::nameOf(Symptom symptom) {
  static constexpr const char *kNames[] = {
      "no failure", "wrong value", "not finite", "crash", "hang", "failure"};
  return kNames[static_cast<int>(symptom)];
}

Trial::Trial(Subject &subject, ThreadPool &pool, double budgetSeconds,
             Journal journal)
    : subject_(subject), pool_(pool), start_(std::chrono::steady_clock::now()),
      budgetSeconds_(budgetSeconds), journal_(std::move(journal)) {}

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

Finding Trial::judge(const TestCase &test) {
  Finding finding;
  SubjectRun run;
  if (test.recorded.empty())
    run = subject_.run(test.program, test.inputs);
  else
    run.results = test.recorded;
  finding.symptom = symptomOf(run.ending);
  finding.text = run.text;
  if (run.ending == Ending::Refused || !run.tookPart)
    return finding;
  llvm::Expected<ProgramTruth> truth =
      computeTruth(test.program, "main", test.inputs, pool_, kTruthSeconds);
  if (!truth) {
    finding.symptom = Symptom::None;
    finding.text = takeError(truth.takeError()).message;
    return finding;
  }
  for (const program::Value &value : truth->results)
    if (value.isTensor())
      if (llvm::Expected<Tensor> dense = value.tensor().dense())
        finding.expected.push_back(std::move(*dense));
      else
        llvm::consumeError(dense.takeError());
  if (finding.symptom != Symptom::None || !sameTypes(*truth, run.results))
    return finding;
  if (!test.expected.empty() && !sameBits(finding.expected, test.expected))
    return finding; // the cut asks for something else than was recorded
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

Symptom Trial::symptom(const TestCase &test) {
  std::string key = test.key();
  if (std::optional<int> known = journal_.find(key))
    return static_cast<Symptom>(*known);
  if (spent())
    return Symptom::None;
  ++count_;
  Symptom symptom = judge(test).symptom;
  if (!Interrupt::requested())
    journal_.add(key, static_cast<int>(symptom));
  return symptom;
}
