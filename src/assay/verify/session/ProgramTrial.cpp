#include "assay/verify/session/ProgramTrial.h"
#include "assay/judge/program/CommonForms.h"
#include "assay/judge/program/ProgramFill.h"
#include "assay/reference/Physical.h"
#include "assay/verify/Requests.h"
#include "assay/verify/session/Running.h"

using namespace assay;
using namespace assay::verify;
using engine::Placement;
using tensor::Tensor;

/// Adds the judge's verdict to the outcome.
static void report(const ProgramCase &c, judge::ProgramVerdict &verdict,
                   llvm::StringRef data, bool first, int verbosity,
                   Outcome &outcome) {
  outcome.judge = verdict.judge;
  for (auto &[key, value] : verdict.facts)
    outcome.facts[key] = std::move(value);
  if (verbosity > 0) {
    if (first && !verdict.noBound.empty())
      outcome.before.push_back(std::move(verdict.noBound));
    llvm::append_range(outcome.before, verdict.notes);
  }
  if (verdict.status == judge::Status::Passed)
    return;
  outcome.reason = verdict.reason;
  for (size_t i = 0; i < verdict.results.size(); ++i)
    if (const judge::JudgedResult &judged = verdict.results[i];
        judged.status != judge::Status::Passed)
      noteWrong(data, judged.name, c.tensors[c.inputs + i].type.shape,
                judged.failures, judged.elements, judged.pattern, judged.worst,
                outcome);
  for (std::string &finding : verdict.findings)
    outcome.after.push_back(std::move(finding));
}

/// A single round runs twice, so that both guards are tried.
static std::vector<Round> roundsOf(const ProgramCase &c) {
  const RunOptions &run = *c.problem->options;
  std::vector<Round> rounds;
  for (FillKind kind : fillsOf(run))
    for (int i = 0,
             draws = judge::drawsOf(*c.bound->program, c.bound->entry, kind);
         i < draws; ++i)
      rounds.push_back({kind, i});
  if (!run.inputs.empty())
    return {{FillKind::Given, 0}, {FillKind::Given, 0}};
  if (rounds.size() == 1 || c.inputs == 0)
    rounds = {rounds[0], rounds[0]};
  return rounds;
}

bool Tally::isOnlyEdges(llvm::ArrayRef<Round> rounds) {
  return llvm::all_of(rounds, [](const Round &round) {
    return judge::asksDefinedOnly(round.kind);
  });
}

void Tally::add(const Round &round, const judge::ProgramVerdict &verdict,
                int64_t elements) {
  if (judge::asksDefinedOnly(round.kind) && !onlyEdges_)
    return;
  mistrusted_ |= !onlyEdges_ && verdict.status == judge::Status::Mistrusted;
  decided_ += verdict.decided;
  total_ += elements;
}

Status Tally::status(Outcome &outcome) const {
  outcome.facts["decided_fraction"] =
      total_ ? static_cast<double>(decided_) / static_cast<double>(total_)
             : 0.0;
  if (onlyEdges_ ? decided_ == 0 && total_ > 0
                 : judge::tooFewDecided(decided_, total_)) {
    outcome.reason = judge::undecidedText(decided_, total_);
    return Status::Mistrusted;
  }
  return mistrusted_ ? Status::Mistrusted : Status::Passed;
}

static judge::ProgramJudgeOptions judgeOptions(const ProgramCase &c) {
  const RunOptions &run = *c.problem->options;
  judge::ProgramJudgeOptions options{c.bound->entry, run.rule,
                                     run.timeoutSeconds};
  options.exactDivision = run.exactDivision;
  return options;
}

ProgramTrial::ProgramTrial(ProgramCase c, Resources &resources)
    : Trial(*c.problem), c_(std::move(c)), resources_(resources),
      rounds_(roundsOf(c_)), tally_(Tally::isOnlyEdges(rounds_)),
      judge_(c_.bound->program, judgeOptions(c_), resources.pool()) {
  if (problem.options->engine == "native")
    judge::allowFoldedScales(*c_.bound->program, /*argumentsStay=*/false);
}

/// Includes the values, shadows and bounds that the reference keeps.
double ProgramTrial::bytes() const { return 16 * c_.spannedBytes(); }

std::string ProgramTrial::nothingToCheck() const {
  return c_.bound->outputs.empty()
             ? "the program has no results; `assay test` runs its checks"
         : c_.resultElements() == 0 ? "the results have no elements"
                                  : "";
}

llvm::Expected<engine::ProblemDescription>
ProgramTrial::describe(int threads) const {
  return describeProgram(c_, threads);
}

void ProgramTrial::take(const engine::WorkerResult &created, Outcome &outcome) {
  alignment_ = created.alignment;
  c_.kept = keptNumbers(created);
  if (created.kind == engine::WorkerResult::Kind::Unsupported)
    outcome.reason = "driver " + c_.driver + " by engine " +
                     problem.options->engine +
                     (created.reason.empty() ? "" : ": " + created.reason);
}

std::optional<Round> ProgramTrial::round(size_t done) {
  if (done >= rounds_.size())
    return std::nullopt;
  return rounds_[done];
}

llvm::Error ProgramTrial::fill(const Round &round) {
  return fillArguments(c_, round.kind, round.draw).moveInto(inputs_);
}

std::vector<Placement> ProgramTrial::place(engine::Guard guard) {
  return places_ = verify::place(c_, guard, alignment_);
}

void ProgramTrial::write(engine::Unwritten unwritten) {
  writeData(c_, places_, inputs_, resources_.memory(), unwritten,
            resources_.pool());
}

std::vector<ResultMemory> ProgramTrial::results() const {
  std::vector<ResultMemory> results;
  for (size_t i = c_.inputs; i < c_.tensors.size(); ++i) {
    const ProgramCase::Item &item = c_.tensors[i];
    results.push_back({item.role, item.type.element, item.type.shape,
                       item.strides, item.spanBytes, &places_[i]});
  }
  return results;
}

std::vector<std::vector<std::byte>> ProgramTrial::denseResults() const {
  std::vector<std::vector<std::byte>> copies, results;
  for (auto [at, item] : llvm::zip(
           resultsAt(c_, places_, resources_.memory(), copies,
                     resources_.pool()),
           llvm::ArrayRef(c_.tensors).drop_front(c_.inputs))) {
    const auto *bytes = static_cast<const std::byte *>(at.bytes);
    results.emplace_back(bytes, bytes + item.elements() *
                                            item.type.element.storageBytes());
  }
  return results;
}

llvm::Error ProgramTrial::ask(judge::ProgramJudge &judge,
                              llvm::ArrayRef<Tensor> inputs,
                              judge::Demands demands, llvm::StringRef data,
                              judge::ProgramVerdict &verdict) {
  std::vector<std::vector<std::byte>> copies;
  std::vector<judge::ProgramResult> results = resultsAt(
      c_, places_, resources_.memory(), copies, resources_.pool());
  verdict = judge.judge(results, data);
  if (!c_.bound->alternative || verdict.status != judge::Status::Failed)
    return llvm::Error::success();
  judge::ProgramJudge other(c_.bound->alternative, judgeOptions(c_),
                            resources_.pool());
  if (llvm::Error error = other.prepare(inputs, demands))
    return error;
  judge::ProgramVerdict otherwise = other.judge(results, data);
  if (otherwise.status != judge::Status::Failed)
    verdict = std::move(otherwise);
  return llvm::Error::success();
}

llvm::Error ProgramTrial::expect(judge::Demands demands) {
  Resources::Timer timer(resources_, "expected");
  return judge_.prepare(inputs_, demands);
}

Status ProgramTrial::judge(const Round &round, Outcome &outcome) {
  judge::Demands demands = judge::demandsOf(round.kind, c_.kept);
  auto refused = [&](llvm::Error error) {
    refuse(addContext(std::move(error), "the reference"), outcome);
    return outcome.status;
  };
  if (!(prepared_ == round)) { // equal rounds have equal data
    prepared_.reset();
    if (llvm::Error error = expect(demands))
      return refused(std::move(error));
    prepared_ = round;
  }
  Resources::Timer timer(resources_, "compare");
  judge::ProgramVerdict verdict;
  if (llvm::Error error =
          ask(judge_, inputs_, demands, round.name(), verdict))
    return refused(std::move(error));
  if (demands.definedOnly && verdict.status == judge::Status::Mistrusted)
    verdict.status = judge::Status::Passed; // the tally counts the open results
  report(c_, verdict, round.name(), isFirst_, problem.options->verbosity,
         outcome);
  isFirst_ = false;
  if (verdict.status == judge::Status::Failed)
    return Status::Failed;
  tally_.add(round, verdict, c_.resultElements());
  return Status::Passed;
}

TimedProblem ProgramTrial::timed(std::vector<Placement> &places) const {
  TimedProblem timed;
  timed.inputs = c_.inputs;
  timed.isJudged = c_.previous < 0;
  for (const ProgramCase::Item &item : c_.tensors)
    timed.isJudged &= item.shared < 0;
  for (size_t i = 0; i < c_.tensors.size(); ++i) {
    const ProgramCase::Item &item = c_.tensors[i];
    (i < c_.inputs ? timed.inputBytes : timed.outputBytes) +=
        static_cast<double>(
            numerics::packedBytes(item.type.element, item.elements()));
    if (timed.isJudged && (i >= c_.inputs || item.isDense))
      places[i].freshBytes = item.spanBytes;
  }
  return timed;
}

llvm::Expected<std::vector<Tensor>> ProgramTrial::inputsNow() const {
  std::vector<Tensor> inputs(inputs_);
  for (size_t i = 0; i < c_.inputs; ++i) {
    const ProgramCase::Item &item = c_.tensors[i];
    if (!item.isDense)
      continue; // never drawn again
    llvm::Expected<Tensor> now = Tensor::allocate(item.type);
    if (!now)
      return now.takeError();
    reference::loadPhysical(item.type,
                            resources_.at(places_[i]), item.strides,
                            now->mutableBytes(), &resources_.pool());
    inputs[c_.arguments[i]] = std::move(*now);
  }
  return inputs;
}

bool ProgramTrial::judgeTimed(Outcome &outcome) {
  llvm::Expected<std::vector<Tensor>> inputs = inputsNow();
  if (!inputs) {
    outcome.reason = takeError(inputs.takeError()).message;
    return false;
  }
  judge::ProgramJudge judge(c_.bound->program, judgeOptions(c_),
                            resources_.pool());
  if (llvm::Error error = judge.prepare(*inputs)) {
    outcome.judge = "nobody: " + takeError(std::move(error)).message;
    return true; // a result that cannot be judged is not wrong
  }
  judge::ProgramVerdict verdict;
  if (llvm::Error error = ask(judge, *inputs, {}, "timed", verdict))
    llvm::consumeError(std::move(error)); // the first verdict stands
  report(c_, verdict, "timed", true, 0, outcome);
  return verdict.status != judge::Status::Failed;
}
