#include "assay/verify/session/Session.h"
#include "assay/verify/Requests.h"
#include "assay/verify/ShowProgram.h"
#include "assay/verify/properties/Ask.h"
#include "assay/verify/session/Running.h"

using namespace assay;
using namespace assay::verify;
using engine::Guard;
using engine::Placement;
using engine::WorkerResult;

static bool isChecked(Mode mode) {
  return mode == Mode::Correctness || mode == Mode::CorrectnessAndPerformance;
}
static bool isTimed(Mode mode) {
  return mode == Mode::Run || mode == Mode::Performance ||
         mode == Mode::CorrectnessAndPerformance;
}

engine::Worker *Session::testedEngine(const RunOptions &run, double bytes,
                                      Outcome &outcome) {
  if (llvm::Error error = resources_.makeReady(bytes)) {
    end(Status::Skipped, std::move(error), outcome);
    return nullptr;
  }
  llvm::Expected<engine::Worker *> tested = resources_.worker(run.engine, run);
  if (tested)
    return *tested;
  end(Status::InvalidArguments, tested.takeError(), outcome);
  return nullptr;
}

/// Tensors touch the end of their pages in one round and the start in the next,
/// and no two rounds begin with the same numbers in unwritten memory.
Status Session::runRound(Trial &trial, const Round &round, size_t number,
                         std::vector<Placement> &places,
                         engine::Worker &tested, Outcome &outcome) {
  const RunOptions &run = *trial.problem.options;
  if (llvm::Error error = trial.fill(round)) {
    end(run.inputs.empty() ? Status::Skipped : Status::InvalidArguments,
        std::move(error), outcome);
    return outcome.status;
  }
  engine::Unwritten unwritten = engine::unwrittenOf(number);
  if (llvm::Error error =
          put(trial, number % 2 ? Guard::AtStart : Guard::AtEnd, unwritten,
              resources_)
              .moveInto(places)) {
    end(Status::Skipped, std::move(error), outcome);
    return outcome.status;
  }
  Status status;
  {
    Resources::Timer timer(resources_, "execute");
    status = execute(places, unwritten, round.name(), run, tested, outcome);
  }
  if (status == Status::Passed)
    status = trial.judge(round, outcome);
  if ((status == Status::Passed || status == Status::Mistrusted) &&
      !areGapsIntact(trial.results(), resources_.memory(), unwritten, outcome))
    return Status::Failed;
  return status;
}

void Session::check(Trial &trial, engine::Worker &tested, Outcome &outcome) {
  std::vector<Placement> places;
  size_t done = 0;
  for (std::optional<Round> round; outcome.status == Status::Passed &&
                                   (round = trial.round(done));
       ++done)
    outcome.status = runRound(trial, *round, done, places, tested, outcome);
  if (outcome.status == Status::Passed)
    outcome.status = trial.conclude(outcome);
  outcome.status = watchMemory(places, *trial.problem.options, outcome.status,
                               tested, outcome);
}

void Session::time(Trial &trial, double createSeconds, int64_t index,
                   engine::Worker &tested, Outcome &outcome) {
  bool isGiven = !trial.problem.options->inputs.empty();
  if (llvm::Error error =
          trial.fill({isGiven ? FillKind::Given : FillKind::Normal, 0}))
    return refuse(std::move(error), outcome);
  llvm::Expected<std::vector<Placement>> places =
      put(trial, Guard::AtStart, engine::Unwritten::Marks, resources_);
  if (!places)
    return refuse(places.takeError(), outcome);
  outcome.status = timing_.run(trial, std::move(*places), createSeconds, index,
                               tested, outcome);
}

void Session::runPlanned(const PlannedProblem &planned, int64_t index,
                         Outcome &outcome) {
  llvm::Expected<std::unique_ptr<Trial>> made = trialOf(planned, resources_);
  if (!made)
    return refuse(made.takeError(), outcome);
  Trial &trial = **made;
  const RunOptions &run = *trial.problem.options;
  outcome.reason = trial.nothingToCheck();
  if (!outcome.reason.empty()) {
    outcome.status = Status::Skipped;
    return;
  }
  engine::Worker *tested = testedEngine(run, trial.bytes(), outcome);
  if (!tested)
    return;
  if (llvm::Error error = trial.readInputs())
    return end(Status::InvalidArguments, std::move(error), outcome);
  tested->prepare();
  if (isChecked(run.mode))
    trial.prepareExpected();
  WorkerResult created;
  if (!create(trial, resources_.threads(), *tested, resources_, created,
              outcome))
    return;
  bool isTaken = readTaken(trial.problem, created, outcome);
  if (isTaken && run.mode == Mode::Initialize)
    outcome.status = Status::Initialized;
  if (isTaken && isChecked(run.mode))
    check(trial, *tested, outcome);
  if (isTaken && isTimed(run.mode) && outcome.status == Status::Passed)
    time(trial, created.seconds, index, *tested, outcome);
  destroy(*tested, outcome);
  resources_.giveMemoryBack();
  trial.close(outcome);
}

void Session::runProperties(const PlannedProblem &planned, Outcome &outcome) {
  const RunOptions &run = *planned.problem.options;
  if (run.mode != Mode::Correctness) {
    outcome.status = Status::InvalidArguments;
    outcome.reason = "properties are checked in mode C";
    return;
  }
  PropertyRuns runs(planned, resources_);
  const ProgramCase &c = runs.base();
  if (c.resultElements() == 0) {
    outcome.status = Status::Skipped;
    outcome.reason = "there are no results, or they have no elements";
    return;
  }
  engine::Worker *tested = testedEngine(run, 8 * c.spannedBytes(), outcome);
  if (!tested)
    return;
  runs.use(*tested);
  askProperties(runs, outcome);
  destroy(*tested, outcome);
}

Outcome Session::run(const Problem &problem, int64_t index) {
  auto start = std::chrono::steady_clock::now();
  Outcome outcome;
  bool lists = problem.options->mode == Mode::List;
  if (!problem.unimplemented.empty()) {
    outcome.status = Status::Unimplemented;
    outcome.reason = problem.unimplemented;
  } else if (!problem.invalid.empty()) {
    outcome.status = Status::InvalidArguments;
    outcome.reason = problem.invalid;
  } else if (lists && !problem.options->showProgram) {
    outcome.status = Status::Listed;
  } else if (auto planned = planner_.plan(problem)) {
    std::string shown =
        problem.options->showProgram
            ? llvm::StringRef(showProgram(problem, (*planned)->bound))
                  .rtrim()
                  .str()
            : "";
    if (lists)
      outcome.status = Status::Listed;
    else if (!problem.options->properties.empty())
      runProperties(**planned, outcome);
    else
      runPlanned(**planned, index, outcome);
    if (!shown.empty())
      outcome.before.insert(outcome.before.begin(), shown);
  } else {
    refuse(planned.takeError(), outcome);
  }
  outcome.milliseconds = std::chrono::duration<double, std::milli>(
                             std::chrono::steady_clock::now() - start)
                             .count();
  return outcome;
}
