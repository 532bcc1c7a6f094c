// One problem that is not a contraction, from its program to its outcome: create
// in the worker, then for each fill: arguments, run (guard pages behind the
// tensors in one run, in front of them in the next), the truth from the
// reference, judgement.
#include "assay/judge/program/ProgramFill.h"
#include "assay/judge/program/ProgramJudge.h"
#include "assay/reference/Physical.h"
#include "assay/support/Math.h"
#include "assay/verify/BindingValues.h"
#include "assay/verify/ProgramCase.h"
#include "assay/verify/Requests.h"
#include "assay/verify/SessionData.h"
#include "assay/verify/properties/Properties.h"

#include <algorithm>
#include <cstring>

using namespace assay;
using namespace assay::verify;
using engine::Guard;
using engine::Placement;
using engine::WorkerResult;
using tensor::Tensor;

/// Marks the bytes of the elements of a tensor that has gaps.
static std::vector<bool> elementBytes(const ProgramCase::Item &item) {
  std::vector<bool> mine(static_cast<size_t>(item.spanBytes), item.isDense);
  if (item.isDense)
    return mine;
  int64_t count = product(item.type.shape);
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, at = 0;
    for (size_t d = item.type.shape.size(); d-- > 0;) {
      at += rest % item.type.shape[d] * item.strides[d];
      rest /= item.type.shape[d];
    }
    numerics::ElementType type = item.type.element;
    int64_t width = type.storageBytes(),
            first = numerics::isPacked(type)
                        ? numerics::packedBytes(type, at + 1) - 1
                        : at * width;
    std::fill_n(mine.begin() + first, width, true);
  }
  return mine;
}

static bool gapsIntact(const ProgramCase &c, llvm::ArrayRef<Placement> places,
                       const std::byte *arena, engine::Unwritten unwritten,
                       Outcome &outcome) {
  for (size_t i = c.inputs; i < c.tensors.size(); ++i) {
    const ProgramCase::Item &item = c.tensors[i];
    const std::byte *region = arena + places[i].fileOffset;
    std::vector<bool> mine = elementBytes(item);
    for (int64_t at = 0; at < places[i].regionBytes; ++at) {
      int64_t inside = at - places[i].dataOffset;
      bool isMine = inside >= 0 && inside < item.spanBytes &&
                    mine[static_cast<size_t>(inside)];
      if (!isMine && region[at] != engine::unwrittenByte(
                                       at, unwritten,
                                       isSpoiltAsFloat(item.type.element))) {
        outcome.reason = "the engine wrote outside of '" + item.role + "'";
        return false;
      }
    }
  }
  return true;
}

static int64_t totalElements(const ProgramCase &c) {
  int64_t count = 0;
  for (size_t i = c.inputs; i < c.tensors.size(); ++i)
    count += c.tensors[i].elements();
  return count;
}

/// Puts the judge's verdict into the report.
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

namespace {
/// One run of the engine on one kind of data.
struct Round {
  FillKind kind;
  int draw = 0; ///< of data whose patterns take several tensors
  const char *name() const { return nameOf(kind); }
  bool operator==(const Round &) const = default;
};
} // namespace

static std::vector<Round> roundsOf(const ProgramCase &c) {
  const RunOptions &run = *c.problem->options;
  std::vector<Round> rounds;
  for (FillKind kind : fillsOf(run))
    for (int i = 0,
             draws = judge::drawsOf(*c.bound->program, c.bound->entry, kind);
         i < draws; ++i)
      rounds.push_back({kind, i});
  if (!run.inputs.empty())
    return {Round{FillKind::Given}, Round{FillKind::Given}};
  if (rounds.size() == 1 || c.inputs == 0)
    rounds = {rounds[0], rounds[0]};
  return rounds;
}

namespace {
/// What the rounds decide together. Data at the edges may leave much open: other
/// data, where there are some, say whether enough is decided.
class Tally {
public:
  explicit Tally(llvm::ArrayRef<Round> rounds)
      : onlyEdges_(llvm::all_of(rounds, [](const Round &round) {
          return judge::asksDefinedOnly(round.kind);
        })) {}
  void add(const Round &round, const judge::ProgramVerdict &verdict,
           int64_t elements) {
    if (judge::asksDefinedOnly(round.kind) && !onlyEdges_)
      return;
    mistrusted_ |= !onlyEdges_ && verdict.status == judge::Status::Mistrusted;
    decided_ += verdict.decided;
    total_ += elements;
  }
  /// Passed or Mistrusted, with the reason.
  Status status(Outcome &outcome) const {
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

private:
  bool onlyEdges_, mistrusted_ = false;
  int64_t decided_ = 0, total_ = 0;
};
} // namespace

Status Session::executeProgram(const ProgramCase &c,
                               llvm::ArrayRef<Placement> places, FillKind fill,
                               engine::Unwritten unwritten,
                               engine::Worker &tested, Outcome &outcome) {
  Timer timer(*this, "execute");
  engine::RunRequest request{
      static_cast<uint32_t>(places.size()), 0, 0, 0, 0, 0};
  request.unwritten = unwritten;
  WorkerResult result = tested.run(request, places);
  notePrinted(result, *c.problem, outcome);
  if (result.kind == WorkerResult::Kind::Ok)
    return Status::Passed;
  outcome.reason = result.reason;
  outcome.after.push_back(std::string("  while running on ") + nameOf(fill) +
                          " data");
  return result.kind == WorkerResult::Kind::Crashed    ? Status::Crashed
         : result.kind == WorkerResult::Kind::Timeout  ? Status::Timeout
         : result.kind == WorkerResult::Kind::NoMemory ? Status::Skipped
                                                       : Status::Failed;
}

static judge::ProgramJudgeOptions judgeOptions(const ProgramCase &c) {
  const RunOptions &run = *c.problem->options;
  judge::ProgramJudgeOptions options{c.bound->entry, run.rule,
                                     run.timeoutSeconds};
  options.exactDivision = run.exactDivision;
  return options;
}

/// Where the problem's words leave something open, the results may be those of
/// the other reading of them: as a whole, since a library decides it once.
static llvm::Error judgeOtherwise(const ProgramCase &c,
                                  llvm::ArrayRef<Tensor> inputs,
                                  judge::Demands demands,
                                  llvm::ArrayRef<judge::ProgramResult> results,
                                  llvm::StringRef data, ThreadPool &pool,
                                  judge::ProgramVerdict &verdict) {
  if (!c.bound->alternative || verdict.status != judge::Status::Failed)
    return llvm::Error::success();
  judge::ProgramJudge other(c.bound->alternative, judgeOptions(c), pool);
  if (llvm::Error error = other.prepare(inputs, demands))
    return error;
  judge::ProgramVerdict otherwise = other.judge(results, data);
  if (otherwise.status != judge::Status::Failed)
    verdict = std::move(otherwise);
  return llvm::Error::success();
}

Status Session::checkProgram(const ProgramCase &c, int alignment,
                             engine::Worker &tested, Outcome &outcome) {
  const RunOptions &run = *c.problem->options;
  std::vector<Round> rounds = roundsOf(c);
  std::vector<Placement> places;
  Tally tally(rounds);
  judge::ProgramJudge programJudge(c.bound->program, judgeOptions(c), pool_);
  std::vector<std::vector<std::byte>> copies;
  for (size_t i = 0; i < rounds.size(); ++i) {
    const auto &[round, unwritten] =
        std::pair(rounds[i], engine::unwrittenOf(i));
    judge::Demands demands = judge::demandsOf(round.kind, c.kept);
    llvm::Expected<std::vector<Tensor>> inputs =
        fillArguments(c, round.kind, round.draw);
    places = place(c, i % 2 ? Guard::AtStart : Guard::AtEnd, alignment);
    llvm::Error grown = arena_->grow(engine::endOf(places));
    if (!inputs || grown) {
      bool isGiven = !inputs && !run.inputs.empty();
      outcome.reason =
          takeError(llvm::joinErrors(inputs.takeError(), std::move(grown)))
              .message;
      return isGiven ? Status::InvalidArguments : Status::Skipped;
    }
    {
      Timer timer(*this, "fill");
      writeData(c, places, *inputs, arena_->data(), unwritten, pool_);
    }
    if (Status status =
            executeProgram(c, places, round.kind, unwritten, tested, outcome);
        status != Status::Passed)
      return status;
    if (i == 0 || !(round == rounds[i - 1])) {
      Timer timer(*this, "expected");
      if (llvm::Error error = programJudge.prepare(*inputs, demands)) {
        refuse(addContext(std::move(error), "the reference"), outcome);
        return outcome.status;
      }
    }
    Timer timer(*this, "compare");
    std::vector<judge::ProgramResult> results =
        resultsAt(c, places, arena_->data(), copies, pool_);
    judge::ProgramVerdict verdict = programJudge.judge(results, round.name());
    if (llvm::Error error = judgeOtherwise(c, *inputs, demands, results,
                                           round.name(), pool_, verdict)) {
      refuse(addContext(std::move(error), "the reference"), outcome);
      return outcome.status;
    }
    if (demands.definedOnly && verdict.status == judge::Status::Mistrusted)
      verdict.status = judge::Status::Passed; // the tally counts the open results
    report(c, verdict, round.name(), i == 0, run.verbosity, outcome);
    if (verdict.status == judge::Status::Failed)
      return Status::Failed;
    tally.add(round, verdict, totalElements(c));
    if (!gapsIntact(c, places, arena_->data(), unwritten, outcome))
      return Status::Failed;
  }
  return watchMemory(places, tested, *c.problem, tally.status(outcome),
                     outcome);
}

bool Session::judgeTimedProgram(const ProgramCase &c,
                                llvm::ArrayRef<Placement> places,
                                llvm::ArrayRef<Tensor> filled,
                                Outcome &outcome) {
  std::vector<Tensor> inputs(filled);
  for (size_t i = 0; i < c.inputs; ++i) {
    if (!places[i].freshBytes)
      continue;
    llvm::Expected<Tensor> now = Tensor::allocate(c.tensors[i].type);
    if (!now) {
      outcome.reason = takeError(now.takeError()).message;
      return false;
    }
    reference::loadPhysical(c.tensors[i].type,
                            arena_->data() + places[i].fileOffset +
                                places[i].dataOffset,
                            c.tensors[i].strides, now->mutableBytes(), &pool_);
    inputs[c.arguments[i]] = std::move(*now);
  }
  judge::ProgramJudge programJudge(c.bound->program, judgeOptions(c), pool_);
  if (llvm::Error error = programJudge.prepare(inputs)) {
    outcome.judge = "nobody: " + takeError(std::move(error)).message;
    return true; // a result that cannot be judged is not wrong
  }
  std::vector<std::vector<std::byte>> copies;
  std::vector<judge::ProgramResult> results =
      resultsAt(c, places, arena_->data(), copies, pool_);
  judge::ProgramVerdict verdict = programJudge.judge(results, "timed");
  if (llvm::Error error =
          judgeOtherwise(c, inputs, {}, results, "timed", pool_, verdict))
    llvm::consumeError(std::move(error)); // the first verdict stands
  report(c, verdict, "timed", true, 0, outcome);
  return verdict.status != judge::Status::Failed;
}

/// Modes R and P.
void Session::measureProgram(const ProgramCase &c, const WorkerResult &created,
                             engine::Worker &tested, Outcome &outcome) {
  llvm::Expected<std::vector<Tensor>> inputs =
      fillArguments(c, c.problem->options->inputs.empty() ? FillKind::Normal
                                                          : FillKind::Given);
  std::vector<Placement> places = place(c, Guard::AtStart, created.alignment);
  llvm::Error grown = arena_->grow(engine::endOf(places));
  if (!inputs || grown)
    return refuse(llvm::joinErrors(inputs.takeError(), std::move(grown)),
                  outcome);
  writeData(c, places, *inputs, arena_->data(), engine::Unwritten::Marks,
            pool_);
  TimedProblem timed;
  timed.problem = c.problem;
  timed.createSeconds = created.seconds;
  timed.inputs = c.inputs;
  bool isApart = c.previous < 0;
  for (const ProgramCase::Item &item : c.tensors)
    isApart &= item.shared < 0;
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    const ProgramCase::Item &item = c.tensors[i];
    (i < c.inputs ? timed.inputBytes : timed.outputBytes) +=
        static_cast<double>(
            numerics::packedBytes(item.type.element, item.elements()));
    if (isApart && (i >= c.inputs || item.isDense))
      places[i].freshBytes = item.spanBytes;
  }
  if (isApart && c.problem->options->mode != Mode::Run)
    timed.judge = [&](Outcome &judged) {
      return judgeTimedProgram(c, places, *inputs, judged);
    };
  outcome.status = timeRuns(timed, places, tested, outcome);
}

static double spannedBytes(const ProgramCase &c) {
  double bytes = 0;
  for (const ProgramCase::Item &item : c.tensors)
    bytes += static_cast<double>(item.spanBytes);
  return bytes;
}

Outcome Session::runProperties(const Problem &problem,
                               const BoundProgram &bound,
                               const Problem *found) {
  Outcome outcome;
  const RunOptions &run = *problem.options;
  if (run.mode != Mode::Correctness) {
    outcome.status = Status::InvalidArguments;
    outcome.reason = "properties are asked in mode C";
    return outcome;
  }
  ProgramCase c = programCase(problem, bound, found);
  if (bound.outputs.empty() || totalElements(c) == 0) {
    outcome.status = Status::Skipped;
    outcome.reason = "there are no results, or they have no elements";
    return outcome;
  }
  if (!fits(8 * spannedBytes(c), outcome.reason) ||
      !makeArena(outcome.reason)) {
    outcome.status = Status::Skipped;
    return outcome;
  }
  engine::Worker *tested = worker(run.engine, run, outcome.reason);
  if (!tested) {
    outcome.status = Status::InvalidArguments;
    return outcome;
  }
  Timer timer(*this, "properties");
  askProperties(
      {problem, bound, found, *tested, *arena_, pool_, options_.threads},
      outcome);
  checkDestroy(*tested, outcome);
  return outcome;
}

Outcome Session::runProgram(const Problem &problem, const BoundProgram &bound,
                            const Problem *found) {
  Outcome outcome;
  const RunOptions &run = *problem.options;
  ProgramCase c = programCase(problem, bound, found);
  if (bound.outputs.empty() || totalElements(c) == 0) {
    outcome.status = Status::Skipped;
    outcome.reason =
        bound.outputs.empty()
            ? "the program has no results; `assay test` runs its checks"
            : "the results have no elements";
    return outcome;
  }
  if (std::string why;
      !fits(16 * spannedBytes(c), why) ||
      !makeArena(why)) { // the reference keeps values, shadows and bounds
    outcome.status = Status::Skipped;
    outcome.reason = why;
    return outcome;
  }
  engine::Worker *tested = worker(run.engine, run, outcome.reason);
  if (!tested) {
    outcome.status = Status::InvalidArguments;
    return outcome;
  }
  WorkerResult created;
  {
    Timer timer(*this, "create");
    created = tested->create(describeProgram(c, options_.threads));
  }
  noteCreated(created, outcome);
  notePrinted(created, problem, outcome);
  if (created.kind == WorkerResult::Kind::Unsupported) {
    outcome.reason = std::string("driver ") + c.driver + " by engine " +
                     run.engine +
                     (created.reason.empty() ? "" : ": " + created.reason);
  }
  if (created.kind != WorkerResult::Kind::Ok)
    return outcome;
  if (!readTaken(problem, created, outcome)) {
    checkDestroy(*tested, outcome);
    return outcome;
  }
  c.kept = keptNumbers(created);
  if (run.mode == Mode::Initialize) {
    outcome.status = Status::Initialized;
    checkDestroy(*tested, outcome);
    return outcome;
  }
  if (run.mode == Mode::Correctness ||
      run.mode == Mode::CorrectnessAndPerformance)
    outcome.status = checkProgram(c, created.alignment, *tested, outcome);
  if (run.mode == Mode::Run || run.mode == Mode::Performance ||
      (run.mode == Mode::CorrectnessAndPerformance &&
       outcome.status == Status::Passed))
    measureProgram(c, created, *tested, outcome);
  checkDestroy(*tested, outcome);
  return outcome;
}
