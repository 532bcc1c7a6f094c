// A variation is made with command-line arguments, so that the repro line
// repeats exactly what was run.
#include "assay/triage/Asking.h"
#include "assay/verify/Reader.h"

#include <cstdlib>

using namespace assay;
using namespace assay::triage;
using verify::Outcome;
using verify::Problem;
using verify::RunOptions;
using verify::Status;

bool Answer::failed() const {
  return exists && (outcome.status == Status::Failed ||
                    outcome.status == Status::Crashed ||
                    outcome.status == Status::Timeout);
}

std::string Answer::text() const {
  if (!exists)
    return "no such problem";
  std::string text = nameOf(outcome.status);
  if (!outcome.reason.empty())
    text += " (" + outcome.reason + ")";
  return text;
}

std::optional<Problem> triage::readProblem(llvm::ArrayRef<std::string> words) {
  std::vector<const char *> pointers;
  for (const std::string &word : words)
    pointers.push_back(word.c_str());
  std::optional<Problem> problem;
  int64_t count = 0;
  verify::Reader reader({}, [&](Problem read) {
    problem = std::move(read);
    ++count;
    return llvm::Error::success();
  });
  if (llvm::Error error = reader.readArguments(pointers)) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  if (count != 1 || !problem->invalid.empty() ||
      !problem->unimplemented.empty())
    return std::nullopt;
  return problem;
}

Asking::Asking(const Problem &problem, int threads)
    : problem_(problem), threads_(threads) {
  problem_.name.clear();
  words_.push_back("--" + std::string(problem.driver->name));
  for (const verify::BatchWord &word :
       verify::batchWords(verify::reproText(problem_, /*canonical=*/false)))
    words_.push_back(word.text);
}
Asking::~Asking() = default;

std::vector<std::string> Asking::with(std::vector<std::string> knobs) const {
  std::vector<std::string> words = words_;
  words.insert(words.end() - 1, knobs.begin(), knobs.end());
  return words;
}

namespace {
/// Sets environment variables, and restores them when it is destroyed.
class Environment {
public:
  explicit Environment(const std::map<std::string, std::string> &values) {
    for (const auto &[name, value] : values) {
      const char *old = std::getenv(name.c_str());
      old_[name] = old ? std::optional<std::string>(old) : std::nullopt;
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  ~Environment() {
    for (const auto &[name, value] : old_)
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
  }
  Environment(const Environment &) = delete;

private:
  std::map<std::string, std::optional<std::string>> old_;
};
} // namespace

Answer Asking::ask(const Variation &variation) {
  Answer answer;
  Problem problem = problem_;
  if (!variation.words.empty()) {
    std::optional<Problem> other = readProblem(variation.words);
    if (!other) {
      answer.exists = false;
      return answer;
    }
    problem = std::move(*other);
  }
  auto options = std::make_shared<RunOptions>(*problem_.options);
  options->mode = verify::Mode::Correctness;
  options->verbosity = 0;
  if (!variation.engine.empty()) {
    options->engine = variation.engine;
    options->engineGiven = true;
  }
  if (!variation.rule.empty())
    options->rule = variation.rule;
  options->fastReference &= variation.fastReference;
  problem.options = options;
  problem.repro = verify::reproText(*options) + "--" + problem.driver->name +
                  " " + verify::reproText(problem, /*canonical=*/false);
  answer.repro = "assay verify " + problem.repro;
  int threads = variation.threads > 0 ? variation.threads : threads_;
  bool isFresh = variation.fresh || variation.threads > 0 ||
                 !variation.environment.empty();
  Environment environment(variation.environment);
  verify::SessionOptions session;
  session.threads = threads;
  session.memoryLimitBytes = options->maxMemoryBytes;
  if (isFresh) {
    answer.outcome = verify::Session(session).run(problem);
    return answer;
  }
  if (!kept_)
    kept_ = std::make_unique<verify::Session>(session);
  answer.outcome = kept_->run(problem);
  return answer;
}
