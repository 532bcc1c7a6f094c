// The algorithm for a problem of `verify`. Each step runs one variation of the
// problem; the answer follows from a table over the variations that failed.
#include "assay/engine/Registry.h"
#include "assay/judge/program/ProgramFill.h"
#include "assay/judge/reduce/Reduce.h"
#include "assay/triage/Asking.h"
#include "assay/triage/EngineSubject.h"
#include "assay/triage/SmallestWords.h"
#include "assay/triage/Triage.h"
#include "assay/verify/BindingValues.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace assay;
using namespace assay::triage;
using verify::Problem;
using verify::Status;

static constexpr int kRepeats = 4;

namespace {
class ProblemTriage {
public:
  ProblemTriage(const Problem &problem, const TriageOptions &options)
      : asking_(problem, options.threads), options_(options) {
    found_.subject = problem.repro + ", engine " + asking_.options().engine;
  }
  llvm::Expected<Diagnosis> run();

private:
  bool repeat();
  void withoutFastReference();
  void tryFastReferences();
  void tryEngines();
  void tryTypes();
  void tryFormats();
  void tryThreads();
  void tryInstructionSets();
  void decide();
  void say(Side side, std::string why) {
    found_.side = side;
    found_.why = std::move(why);
  }
  void decideRepeated();
  llvm::Error makeSmall();
  llvm::Error writeProgram(const Problem &problem, llvm::StringRef engine);
  std::string variations(llvm::ArrayRef<std::pair<std::string, Variation>> list,
                         std::vector<std::string> *passing = nullptr);

  Asking asking_;
  TriageOptions options_;
  Diagnosis found_;
  Answer asked_; ///< the original problem
  bool isFlaky_ = false, differs_ = false;
  Answer alone_; ///< judged by the reference alone, with the derived bound
  bool aloneFlaky_ = false;
  Answer byBound_; ///< the original problem, but judged by the derived bound
  std::vector<std::string> wrongReferences_, rightReferences_;
  std::vector<std::string> rightEngines_, wrongEngines_;
};
} // namespace

/// Counts equal results of runs: "FAILED 3 times, PASSED once".
static std::string tally(llvm::ArrayRef<Answer> answers) {
  std::vector<std::pair<std::string, int>> counts;
  for (const Answer &answer : answers) {
    std::string status =
        answer.exists ? nameOf(answer.outcome.status) : "no such problem";
    auto found =
        llvm::find_if(counts, [&](auto &pair) { return pair.first == status; });
    if (found == counts.end())
      counts.emplace_back(status, 1);
    else
      ++found->second;
  }
  std::string text;
  for (auto &[status, count] : counts)
    text += (text.empty() ? "" : ", ") + status + " " +
            (count == 1 ? "once" : std::to_string(count) + " times");
  return text;
}

static bool areMixed(llvm::ArrayRef<Answer> answers) {
  return llvm::any_of(answers, [&](const Answer &answer) {
    return answer.failed() != answers.front().failed();
  });
}

/// The wrong elements, without the order in which they were found.
static std::string findings(const Answer &answer) {
  return llvm::join(answer.outcome.after, "\n");
}

bool ProblemTriage::repeat() {
  asked_ = asking_.ask({});
  found_.repro = asked_.repro;
  found_.add("As asked",
             asked_.text() + (asked_.outcome.judge.empty()
                                  ? ""
                                  : ", judged by " + asked_.outcome.judge));
  if (!asked_.failed() && !asked_.passed() &&
      asked_.outcome.status != Status::Mistrusted)
    return false;
  std::vector<Answer> again{asked_};
  for (int i = 1; i < kRepeats; ++i) {
    Variation variation;
    variation.fresh = i % 2 == 1; // alternately new and old process
    again.push_back(asking_.ask(variation));
    differs_ |= findings(again.back()) != findings(asked_);
  }
  isFlaky_ = areMixed(again);
  if (isFlaky_ && asked_.passed())
    asked_ = *llvm::find_if(again, [](auto &a) { return a.failed(); });
  std::string text = tally(again);
  if (!isFlaky_)
    text += differs_ ? ", other elements each time" : ": the same each time";
  found_.add("Again, in new processes and in old ones", text);
  return true;
}

void ProblemTriage::withoutFastReference() {
  Variation variation;
  variation.fastReference = false;
  variation.rule = "bound";
  std::vector<Answer> answers;
  for (int i = 0; i < (isFlaky_ ? 2 * kRepeats : 2); ++i) {
    variation.fresh = i % 2 == 1;
    answers.push_back(asking_.ask(variation));
  }
  aloneFlaky_ = areMixed(answers);
  auto failing = llvm::find_if(answers, [](auto &a) { return a.failed(); });
  alone_ = failing == answers.end() ? answers.front() : *failing;
  found_.add("Judged by the reference alone, by the derived bound",
             answers.size() > 2 ? tally(answers) : alone_.text());
  for (const Answer *answer : {&alone_, &asked_})
    if (const llvm::json::Object *wrong =
            answer->outcome.facts.getObject("wrong");
        wrong && !found_.wrong)
      found_.addWrong(*wrong);
  byBound_ = asked_;
  if (asking_.options().rule == "bound")
    return;
  variation = {};
  variation.rule = "bound";
  byBound_ = asking_.ask(variation);
  found_.add("By the derived bound in place of rule " + asking_.options().rule,
             byBound_.text());
}

void ProblemTriage::tryFastReferences() {
  const verify::RunOptions &run = asking_.options();
  std::vector<std::string> names = run.trust;
  if (names.empty())
    for (const engine::EngineRow &row : engine::engineTable())
      if (row.trusted && engine::whyUnavailable(row.name).empty())
        names.push_back(row.name);
  std::string text;
  for (const std::string &name : names) {
    if (!run.fastReference || name == "reference")
      continue;
    if (name == run.engine) {
      if (alone_.failed() && !run.trust.empty())
        wrongReferences_.push_back(name);
      continue;
    }
    Variation variation;
    variation.engine = name;
    variation.fastReference = false;
    variation.rule = "bound";
    Answer answer = asking_.ask(variation);
    text += (text.empty() ? "" : "; ") + name + " " + answer.text();
    if (answer.failed())
      wrongReferences_.push_back(name);
    else if (answer.passed())
      rightReferences_.push_back(name);
  }
  if (!text.empty())
    found_.add("The fast references on trial themselves", text);
}

/// Runs each engine and records the results; adds the names of those that pass
/// to `passing`.
std::string ProblemTriage::variations(
    llvm::ArrayRef<std::pair<std::string, Variation>> list,
    std::vector<std::string> *passing) {
  std::string text;
  for (const auto &[name, variation] : list) {
    Answer answer = asking_.ask(variation);
    if (!answer.exists || answer.outcome.status == Status::Unimplemented ||
        answer.outcome.status == Status::InvalidArguments ||
        answer.outcome.status == Status::Skipped)
      continue;
    text +=
        (text.empty() ? "" : "; ") + name + " " + nameOf(answer.outcome.status);
    if (passing && answer.passed())
      passing->push_back(name);
  }
  return text;
}

void ProblemTriage::tryEngines() {
  std::string text;
  for (const engine::EngineRow &row : engine::engineTable()) {
    if (*row.argument || row.name == asking_.options().engine ||
        llvm::is_contained(wrongReferences_, row.name) ||
        !engine::whyUnavailable(row.name).empty())
      continue;
    bool isKnown = llvm::is_contained(rightReferences_, row.name);
    Variation variation;
    variation.engine = row.name;
    variation.fastReference = false;
    variation.rule = "bound";
    Answer answer;
    if (isKnown)
      answer.outcome.status = Status::Passed;
    else
      answer = asking_.ask(variation);
    bool isWitness = llvm::StringRef(row.name) != "reference";
    if (answer.passed() && isWitness)
      rightEngines_.push_back(row.name);
    else if (answer.failed())
      wrongEngines_.push_back(row.name);
    else if (!answer.passed())
      continue;
    text += (text.empty() ? "" : "; ") + std::string(row.name) + " " +
            nameOf(answer.outcome.status);
  }
  if (!text.empty())
    found_.add("Other engines on the same problem", text);
}

void ProblemTriage::tryTypes() {
  if (!asking_.problem().driver->hasTypes)
    return;
  std::vector<std::pair<std::string, Variation>> list;
  for (const char *types : {"f32", "bf16", "f16", "f64", "s8:s8:s32"}) {
    Variation variation;
    variation.words = asking_.with({std::string("--dt=") + types});
    variation.fastReference = false;
    variation.rule = "bound";
    list.emplace_back(types, variation);
  }
  found_.add("Types", variations(list));
}

void ProblemTriage::tryFormats() {
  if (!asking_.problem().driver->hasTags)
    return;
  std::vector<std::pair<std::string, Variation>> list;
  for (const char *tag : {"abx", "axb", "ba"}) {
    Variation variation;
    std::string name = tag;
    variation.words =
        asking_.with({"--stag=" + name, "--wtag=" + name, "--dtag=" + name});
    variation.fastReference = false;
    variation.rule = "bound";
    list.emplace_back(name, variation);
  }
  std::string text = variations(list);
  if (!text.empty())
    found_.add("Memory formats", text);
}

void ProblemTriage::tryThreads() {
  std::vector<std::pair<std::string, Variation>> list;
  for (int threads : {1, 2, 3}) {
    Variation variation;
    variation.threads = threads;
    variation.fastReference = false;
    variation.rule = "bound";
    list.emplace_back(std::to_string(threads), variation);
  }
  std::vector<std::string> passing;
  std::string text = variations(list, &passing);
  if (!passing.empty() && passing.size() < list.size() && !isFlaky_)
    text += ": it depends on the number of threads";
  found_.add("Threads", text);
}

void ProblemTriage::tryInstructionSets() {
  std::vector<std::pair<std::string, Variation>> list;
  for (auto [name, onednn] :
       {std::pair("baseline", "SSE41"), std::pair("avx2", "AVX2"),
        std::pair("avx512", "AVX512_CORE")}) {
    Variation variation;
    variation.environment = {{"ASSAY_ISA", name},
                             {"ONEDNN_MAX_CPU_ISA", onednn}};
    variation.fastReference = false;
    variation.rule = "bound";
    list.emplace_back(name, variation);
  }
  std::vector<std::string> passing;
  std::string text = variations(list, &passing);
  if (!passing.empty() && passing.size() < list.size() && !isFlaky_)
    text += ": it depends on the instruction set";
  found_.add("Instruction sets", text);
}

/// The evidence in favour of the reference, in words.
static std::string witnesses(llvm::ArrayRef<std::string> right) {
  if (right.empty())
    return "no other engine could be asked";
  return "the reference agrees with " + llvm::join(right, ", ") +
         " on this problem";
}

void ProblemTriage::decide() {
  if (!isFlaky_)
    return decideRepeated();
  bool engineFails = alone_.failed();
  if (engineFails && aloneFlaky_)
    return say(Side::Engine, "it is not deterministic: by the reference's "
                             "judgement it fails in some runs and passes in "
                             "others");
  if (!engineFails && !wrongReferences_.empty())
    return say(Side::Reference,
               "the engine passes each time by the reference's judgement; "
               "the fast reference " +
                   llvm::join(wrongReferences_, ", ") + " does not");
  say(Side::Unsure, "the outcome changes from run to run, and the runs that "
                    "the reference judges alone do not show the same");
}

void ProblemTriage::decideRepeated() {
  bool hasRule = asking_.options().rule != "bound";
  bool judges = alone_.failed() || alone_.passed();
  if (!judges)
    return say(Side::Unsure,
               "the reference cannot tell on this data: " + alone_.text());
  if (hasRule && asked_.failed() && !byBound_.failed() && alone_.passed())
    return say(Side::Tolerance,
               "rule " + asking_.options().rule +
                   " is too tight: every element is within the bound of a "
                   "correct implementation");
  if (hasRule && asked_.passed() && byBound_.failed() && alone_.failed())
    return say(Side::Tolerance,
               "rule " + asking_.options().rule +
                   " is too loose: it accepts elements that no correct "
                   "implementation computes, and the engine computes them");
  if (asked_.passed() && alone_.passed() && !wrongReferences_.empty())
    return say(Side::Reference,
               "the engine passes; the fast reference " +
                   llvm::join(wrongReferences_, ", ") +
                   " fails when it is on trial itself, and `verify` turned to "
                   "the reference");
  if (asked_.passed() && alone_.passed())
    return say(Side::NotRepeated, "the failure could not be repeated");
  if (alone_.failed() && rightEngines_.empty() && wrongEngines_.size() >= 2)
    return say(Side::Unsure, "engines that have nothing in common (" +
                                 llvm::join(wrongEngines_, ", ") +
                                 ") fail too: the reference or the problem "
                                 "may be wrong");
  if (alone_.failed() && !wrongReferences_.empty())
    return say(Side::Both, "the engine fails by the reference's judgement, "
                           "and so does the fast reference " +
                               llvm::join(wrongReferences_, ", ") +
                               (asked_.passed() ? "; they agree on what is "
                                                  "wrong"
                                                : ""));
  if (alone_.failed())
    return say(Side::Engine,
               std::string(rightEngines_.empty() ? "likely: " : "sure: ") +
                   "it fails by the reference's judgement too; " +
                   witnesses(rightEngines_) +
                   (differs_ ? "; it is not deterministic" : ""));
  if (!wrongReferences_.empty())
    return say(Side::Reference,
               "the engine passes by the reference's judgement; the fast "
               "reference " +
                   llvm::join(wrongReferences_, ", ") + " fails there");
  say(Side::Unsure, "the engine fails beside the fast reference only, and the "
                    "fast reference passes when it is on trial itself");
}

llvm::Error ProblemTriage::writeProgram(const Problem &problem,
                                        llvm::StringRef engine) {
  llvm::Expected<verify::BoundProgram> bound = problem.driver->build(problem);
  if (!bound)
    return bound.takeError();
  llvm::Expected<std::vector<tensor::Tensor>> inputs =
      judge::fillProgram(*bound->program, bound->entry, judge::FillKind::Normal,
                         asking_.options().seed);
  if (!inputs)
    return inputs.takeError();
  for (size_t i = 0; i < inputs->size(); ++i)
    if (llvm::Error error =
            verify::applyBinding(bound->inputs[i], (*inputs)[i]))
      return error;
  llvm::Expected<std::unique_ptr<EngineSubject>> subject =
      EngineSubject::create(engine, options_.threads,
                            asking_.options().timeoutSeconds);
  if (!subject)
    return subject.takeError();
  ThreadPool pool(options_.threads);
  judge::Trial trial(**subject, pool, options_.budgetSeconds);
  llvm::Expected<judge::Reduction> reduction =
      judge::reduce({bound->program, bound->entry, std::move(*inputs)}, trial);
  if (!reduction)
    return reduction.takeError();
  for (const judge::ReducedTest &test : reduction->tests) {
    llvm::SmallString<128> path(options_.folder);
    llvm::sys::path::append(
        path,
        "smallest" +
            (found_.files.empty() ? std::string()
                                  : std::to_string(found_.files.size() + 1)) +
            ".mlir");
    if (llvm::Error error = judge::writeTest(test, path))
      return error;
    found_.files.push_back(path.str().str());
    found_.add("What the smallest test shows", test.sentence);
  }
  return llvm::Error::success();
}

/// Makes the smallest problem, in words, and as a test if the engine can run it
/// as part of a program.
llvm::Error ProblemTriage::makeSmall() {
  bool isReference = found_.side == Side::Reference;
  if (found_.side != Side::Engine && found_.side != Side::Both &&
      !(isReference && !wrongReferences_.empty()))
    return llvm::Error::success();
  Variation variation;
  variation.fastReference = false;
  variation.rule = "bound";
  variation.engine =
      isReference ? wrongReferences_.front() : asking_.options().engine;
  double budget =
      asked_.outcome.status == Status::Timeout ? 0 : options_.budgetSeconds / 2;
  Smallest smallest = smallestWords(asking_, variation, budget);
  if (!smallest.answer.failed())
    return llvm::Error::success();
  found_.smallest = smallest.answer.repro;
  found_.add("The smallest problem that fails in the same way",
             llvm::join(smallest.variation.words, " ") + ": " +
                 smallest.answer.text());
  if (options_.folder.empty() || asking_.problem().driver->readsFile)
    return llvm::Error::success();
  std::optional<Problem> problem = readProblem(smallest.variation.words);
  return problem ? writeProgram(*problem, variation.engine)
                 : llvm::Error::success();
}

llvm::Expected<Diagnosis> ProblemTriage::run() {
  if (!repeat()) {
    say(Side::NotRepeated, "the problem is not run: " + asked_.text());
    return std::move(found_);
  }
  withoutFastReference();
  tryFastReferences();
  if (asked_.failed() || alone_.failed()) {
    tryEngines();
    if (asked_.outcome.status != Status::Timeout) {
      tryTypes();
      tryFormats();
      tryThreads();
      tryInstructionSets();
    }
  }
  decide();
  if (llvm::Error error = makeSmall())
    return error;
  return std::move(found_);
}

llvm::Expected<Diagnosis> triage::triageProblem(const Problem &problem,
                                                const TriageOptions &options) {
  if (llvm::Error error = makeFolder(options.folder))
    return error;
  return ProblemTriage(problem, options).run();
}
