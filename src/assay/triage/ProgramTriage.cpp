// The algorithm for a program: the engine's results and the expected ones, each
// compared with the truth by derived bounds; then the operation that causes the
// difference, and its smallest test.
#include "assay/engine/Registry.h"
#include "assay/judge/program/ProgramJudge.h"
#include "assay/judge/reduce/Reduce.h"
#include "assay/program/Expect.h"
#include "assay/triage/EngineSubject.h"
#include "assay/triage/Triage.h"
#include "llvm/Support/Path.h"

using namespace assay;
using namespace assay::triage;
using judge::Ending;
using judge::SubjectRun;
using program::Value;
using tensor::Tensor;

static constexpr int kRuns = 4;

namespace {
/// The verdict on one side's results.
struct Judged {
  judge::Status status = judge::Status::Passed;
  std::string text;
  std::optional<llvm::json::Object> wrong; ///< the first result that fails
};

class ProgramTriage {
public:
  ProgramTriage(const ProgramQuestion &question, const TriageOptions &options)
      : question_(question), options_(options), pool_(options.threads) {}
  llvm::Expected<Diagnosis> run();

private:
  llvm::Error repeat();
  llvm::Error judgeSides();
  llvm::Expected<Judged> judged(llvm::ArrayRef<Tensor> results);
  llvm::Error askRule();
  void tryEngines();
  llvm::Error makeSmall();
  void decide();
  void say(Side side, std::string why) {
    found_.side = side;
    found_.why = std::move(why);
  }

  const ProgramQuestion &question_;
  const TriageOptions &options_;
  ThreadPool pool_;
  Diagnosis found_;
  std::unique_ptr<EngineSubject> subject_;
  std::unique_ptr<judge::ProgramJudge> judge_;
  SubjectRun first_;
  bool isFlaky_ = false;
  Judged engine_, expected_;
  bool hasExpected_ = false, ruleFails_ = false;
  std::vector<std::string> rightEngines_;
  size_t tests_ = 0;
};
} // namespace

static const char *nameOf(Ending ending) {
  static constexpr const char *kNames[] = {"gives results", "refuses",
                                           "crashes", "hangs", "fails"};
  return kNames[static_cast<int>(ending)];
}

static bool sameResults(const SubjectRun &a, const SubjectRun &b) {
  if (a.ending != b.ending || a.results.size() != b.results.size())
    return false;
  for (auto [x, y] : llvm::zip(a.results, b.results))
    if (!(x.type() == y.type()) ||
        std::memcmp(x.bytes(), y.bytes(),
                    static_cast<size_t>(x.denseBytes())) != 0)
      return false;
  return true;
}

llvm::Error ProgramTriage::repeat() {
  bool same = true;
  int went = 0;
  for (int i = 0; i < kRuns; ++i) {
    if (i % 2 == 0) // alternately new and old process
      if (llvm::Error error =
              EngineSubject::create(question_.engine, options_.threads,
                                    question_.timeoutSeconds)
                  .moveInto(subject_))
        return error;
    SubjectRun run = subject_->run(question_.program, question_.inputs);
    went += run.ending == Ending::Done;
    if (i == 0)
      first_ = std::move(run);
    else
      same &= sameResults(first_, run);
  }
  isFlaky_ = !same;
  std::string text = nameOf(first_.ending);
  if (first_.ending != Ending::Done)
    text += ": " + first_.text;
  else if (!first_.tookPart)
    text += ", but takes no operation of the program itself";
  found_.add("The engine's run", text);
  found_.add("Again, in new processes and in old ones",
             same ? "the same each time"
                  : llvm::formatv("{0} of {1} runs give results, which are not "
                                  "the same each time",
                                  went, kRuns)
                        .str());
  return llvm::Error::success();
}

/// Where the failing elements of a result are, and the worst of them.
static llvm::json::Object wrongJson(const judge::JudgedResult &result,
                                    const judge::ProgramJudge &judge) {
  llvm::ArrayRef<int64_t> dims;
  for (auto [i, value] : llvm::enumerate(judge.truth().results))
    if (result.name == "out" + std::to_string(i) && value.isTensor())
      dims = value.tensor().shape();
  llvm::json::Object wrong =
      judge::failureJson(dims, result.pattern, result.worst);
  wrong["result"] = result.name;
  wrong["failures"] = result.failures;
  wrong["elements"] = result.elements;
  return wrong;
}

llvm::Expected<Judged> ProgramTriage::judged(llvm::ArrayRef<Tensor> results) {
  std::vector<judge::ProgramResult> named;
  for (auto [i, result] : llvm::enumerate(results))
    named.push_back({"out" + std::to_string(i), result.bytes()});
  judge::ProgramVerdict verdict = judge_->judge(named, "the run's");
  Judged side{verdict.status, "", std::nullopt};
  for (const judge::JudgedResult &result : verdict.results)
    if (result.status == judge::Status::Failed && !side.wrong)
      side.wrong = wrongJson(result, *judge_);
  if (verdict.status == judge::Status::Passed)
    side.text = "within the bound";
  else if (verdict.findings.empty())
    side.text = verdict.reason;
  else
    side.text = llvm::StringRef(verdict.findings.front()).trim().str();
  return side;
}

llvm::Error ProgramTriage::judgeSides() {
  judge::ProgramJudgeOptions options;
  options.entry = question_.entry;
  judge_ =
      std::make_unique<judge::ProgramJudge>(question_.program, options, pool_);
  if (llvm::Error error = judge_->prepare(question_.inputs))
    return error;
  if (first_.ending == Ending::Done) {
    llvm::Expected<Judged> side = judged(first_.results);
    if (!side)
      return side.takeError();
    engine_ = std::move(*side);
    found_.add("The engine's results against the reference, by the derived "
               "bound",
               engine_.text);
    if (engine_.wrong)
      found_.addWrong(std::move(*engine_.wrong));
  } else {
    engine_.status = judge::Status::Failed;
  }
  if (question_.expectFile.empty())
    return llvm::Error::success();
  std::vector<Value> shapes;
  for (const Value &value : judge_->truth().results)
    shapes.push_back(value);
  llvm::Expected<std::vector<program::ExpectedResult>> members =
      program::readExpected(shapes, question_.expectFile);
  if (!members)
    return members.takeError();
  std::vector<Tensor> tensors;
  for (program::ExpectedResult &member : *members)
    tensors.push_back(std::move(member.tensor));
  hasExpected_ = true;
  llvm::Expected<Judged> side = judged(tensors);
  if (!side)
    return side.takeError();
  expected_ = std::move(*side);
  found_.add("The expected results against the reference, by the derived bound",
             expected_.text);
  if (expected_.wrong && !found_.wrong)
    found_.addWrong(std::move(*expected_.wrong));
  return askRule();
}

llvm::Error ProgramTriage::askRule() {
  if (first_.ending != Ending::Done || question_.rule == "bound")
    return llvm::Error::success();
  llvm::Expected<numerics::RuleSet> rules =
      numerics::RuleSet::parse(question_.rule);
  if (!rules)
    return rules.takeError();
  std::vector<Value> results;
  for (const Tensor &tensor : first_.results)
    results.emplace_back(tensor);
  llvm::Expected<std::vector<program::ResultVerdict>> verdicts =
      program::judgeResults(results, question_.expectFile, *rules);
  if (!verdicts)
    return verdicts.takeError();
  std::string text;
  for (const program::ResultVerdict &verdict : *verdicts)
    if (!verdict.passed) {
      ruleFails_ = true;
      text = verdict.name + ": " + verdict.text;
      break;
    }
  found_.add("The engine's results beside the expected ones, by rule " +
                 question_.rule,
             ruleFails_ ? text : "all hold");
  return llvm::Error::success();
}

void ProgramTriage::tryEngines() {
  std::string text;
  for (const engine::EngineRow &row : engine::engineTable()) {
    if (*row.argument || row.name == question_.engine ||
        !engine::whyUnavailable(row.name).empty())
      continue;
    llvm::Expected<std::unique_ptr<EngineSubject>> other =
        EngineSubject::create(row.name, options_.threads,
                              question_.timeoutSeconds);
    if (!other) {
      llvm::consumeError(other.takeError());
      continue;
    }
    SubjectRun run = (*other)->run(question_.program, question_.inputs);
    std::string verdict = nameOf(run.ending);
    if (run.ending == Ending::Done) {
      llvm::Expected<Judged> side = judged(run.results);
      if (!side) {
        llvm::consumeError(side.takeError());
        continue;
      }
      verdict = side->text;
      if (side->status == judge::Status::Passed && row.name[0] != 'r')
        rightEngines_.push_back(row.name);
    }
    text += (text.empty() ? "" : "; ") + std::string(row.name) + ": " + verdict;
  }
  found_.add("Other engines on the same data", text);
}

llvm::Error ProgramTriage::makeSmall() {
  judge::Trial trial(*subject_, pool_, options_.budgetSeconds);
  llvm::Expected<judge::Reduction> reduction = judge::reduce(
      {question_.program, question_.entry, question_.inputs}, trial);
  if (!reduction)
    return reduction.takeError();
  tests_ = reduction->tests.size();
  for (auto [i, test] : llvm::enumerate(reduction->tests)) {
    found_.add("The first operation at fault",
               test.sentence + "; at " + test.location);
    if (options_.folder.empty())
      continue;
    llvm::SmallString<128> path(options_.folder);
    llvm::sys::path::append(
        path,
        "smallest" + (i ? std::to_string(i + 1) : std::string()) + ".mlir");
    if (llvm::Error error = judge::writeTest(test, path))
      return error;
    found_.files.push_back(path.str().str());
    if (found_.smallest.empty())
      found_.smallest =
          "assay test " + path.str().str() + " --engine " + question_.engine;
  }
  if (tests_ == 0)
    found_.add("The first operation at fault",
               "none: each is within its bound on the reference's values");
  return llvm::Error::success();
}

void ProgramTriage::decide() {
  using judge::Status;
  bool engineFails = engine_.status == Status::Failed,
       expectedFails = hasExpected_ && expected_.status == Status::Failed;
  std::string sure = rightEngines_.empty() ? "likely: " : "sure: ";
  if (isFlaky_ && engineFails)
    return say(Side::Engine, "it is not deterministic, and leaves the bound");
  if (engineFails && expectedFails)
    return say(Side::Both, "the engine's results leave the bound, and so do "
                           "the expected ones");
  if (engineFails || tests_ > 0)
    return say(Side::Engine,
               sure + (tests_ > 0 ? "an operation leaves its bound on the "
                                    "reference's own values"
                                  : "its results leave the bound"));
  if (expectedFails)
    return say(Side::Reference, sure + "the engine is within the bound, the "
                                       "expected results are not");
  if (engine_.status == Status::Mistrusted)
    return say(Side::Unsure, "of the engine's results " + engine_.text);
  if (hasExpected_ && expected_.status == Status::Mistrusted)
    return say(Side::Unsure, "of the expected results " + expected_.text);
  if (ruleFails_)
    return say(Side::Tolerance, "both sides are within the bound of a correct "
                                "implementation; rule " +
                                    question_.rule + " is too tight");
  if (isFlaky_)
    return say(Side::Unsure, "results change from run to run, all of them "
                             "within the bound");
  say(Side::NotRepeated, "the failure could not be repeated");
}

llvm::Expected<Diagnosis> ProgramTriage::run() {
  found_.subject = question_.program->name() + ", engine " + question_.engine;
  found_.repro = question_.words;
  if (llvm::Error error = repeat())
    return error;
  if (first_.ending == Ending::Refused) {
    say(Side::Unsure, "the engine does not run the program: " + first_.text);
    return std::move(found_);
  }
  if (llvm::Error error = judgeSides())
    return error;
  tryEngines();
  if (llvm::Error error = makeSmall())
    return error;
  decide();
  return std::move(found_);
}

llvm::Expected<Diagnosis> triage::triageProgram(const ProgramQuestion &question,
                                                const TriageOptions &options) {
  if (llvm::Error error = makeFolder(options.folder))
    return error;
  return ProgramTriage(question, options).run();
}
