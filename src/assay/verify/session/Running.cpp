#include "assay/verify/session/Running.h"

using namespace assay;
using namespace assay::verify;
using engine::WorkerResult;

Status verify::statusOf(WorkerResult::Kind kind) {
  switch (kind) {
  case WorkerResult::Kind::Ok:
    return Status::Passed;
  case WorkerResult::Kind::Unsupported:
  case WorkerResult::Kind::NotHere:
  case WorkerResult::Kind::NoMemory:
    return Status::Skipped;
  case WorkerResult::Kind::Invalid:
    return Status::InvalidArguments;
  case WorkerResult::Kind::Failed:
    return Status::Failed;
  case WorkerResult::Kind::Crashed:
    return Status::Crashed;
  case WorkerResult::Kind::Timeout:
    return Status::Timeout;
  }
  return Status::Failed;
}

void verify::refuse(llvm::Error error, Outcome &outcome) {
  ErrorText text = takeError(std::move(error));
  outcome.status = text.code == ErrorCode::ResourceLimit ? Status::Skipped
                   : text.code == ErrorCode::Unsupported
                       ? Status::Unimplemented
                       : Status::InvalidArguments;
  outcome.reason = text.message;
}

void verify::end(Status status, llvm::Error error, Outcome &outcome) {
  outcome.status = status;
  outcome.reason = takeError(std::move(error)).message;
}

bool verify::create(Trial &trial, int threads, engine::Worker &tested,
                    Resources &resources, WorkerResult &created,
                    Outcome &outcome) {
  Resources::Timer timer(resources, "create");
  llvm::Expected<engine::ProblemDescription> described =
      trial.describe(threads);
  if (!described) {
    refuse(described.takeError(), outcome);
    return false;
  }
  created = tested.create(*described);
  outcome.status = statusOf(created.kind);
  outcome.reason = created.reason;
  notePrinted(created, *trial.problem.options, outcome);
  trial.take(created, outcome);
  return created.kind == WorkerResult::Kind::Ok;
}

llvm::Expected<std::vector<engine::Placement>>
verify::put(Trial &trial, engine::Guard guard, engine::Unwritten unwritten,
            Resources &resources) {
  std::vector<engine::Placement> places = trial.place(guard);
  if (llvm::Error error = resources.arena().grow(engine::endOf(places)))
    return error;
  Resources::Timer timer(resources, "fill");
  trial.write(unwritten);
  return places;
}

void verify::notePrinted(const WorkerResult &result, const RunOptions &run,
                         Outcome &outcome) {
  outcome.printed += result.printed;
  if (run.verbosity >= 2)
    outcome.showsAllPrinted = true;
}

void verify::noteWrong(llvm::StringRef data, llvm::StringRef result,
                       llvm::ArrayRef<int64_t> dims, int64_t failures,
                       int64_t elements, llvm::StringRef pattern,
                       llvm::ArrayRef<judge::WorstPoint> worst, Outcome &outcome) {
  llvm::json::Object wrong = judge::failureJson(dims, pattern, worst);
  wrong["data"] = data.str();
  wrong["result"] = result.str();
  wrong["failures"] = failures;
  wrong["elements"] = elements;
  outcome.facts["wrong"] = std::move(wrong);
}

Status verify::execute(llvm::ArrayRef<engine::Placement> places,
                       engine::Unwritten unwritten, llvm::StringRef data,
                       const RunOptions &run, engine::Worker &tested,
                       Outcome &outcome) {
  engine::RunRequest request{
      static_cast<uint32_t>(places.size()), 0, 0, 0, 0, 0};
  request.unwritten = unwritten;
  WorkerResult result = tested.run(request, places);
  notePrinted(result, run, outcome);
  if (result.kind == WorkerResult::Kind::Ok)
    return Status::Passed;
  outcome.reason = result.reason;
  outcome.after.push_back(("  while running on " + data + " data").str());
  switch (result.kind) {
  case WorkerResult::Kind::Crashed:
  case WorkerResult::Kind::Timeout:
  case WorkerResult::Kind::NoMemory: // not a fault, as when the kernel is made
    return statusOf(result.kind);
  default:
    return Status::Failed;
  }
}

Status verify::watchMemory(llvm::ArrayRef<engine::Placement> places,
                           const RunOptions &run, Status status,
                           engine::Worker &tested, Outcome &outcome) {
  if (status != Status::Passed && status != Status::Executed)
    return status;
  WorkerResult result = tested.watchMemory(places);
  notePrinted(result, run, outcome);
  if (result.kind != WorkerResult::Kind::Ok) {
    outcome.reason = result.reason;
    outcome.after.push_back("  in a further call on the same data");
    return statusOf(result.kind);
  }
  outcome.facts["watched_calls"] = result.watchedCalls;
  outcome.facts["memory_growth_bytes"] = result.grownBytes;
  if (result.grownBytes == 0)
    return status;
  outcome.reason =
      llvm::formatv("its memory grows by {0} in each call",
                    sizeText(static_cast<double>(result.grownBytes)))
          .str();
  outcome.after.push_back(
      llvm::formatv("  counted after each of {0} calls on the same data; the "
                    "kernel gives back nothing of it",
                    result.watchedCalls)
          .str());
  return Status::Failed;
}

void verify::destroy(engine::Worker &tested, Outcome &outcome) {
  WorkerResult result = tested.destroy();
  bool good = outcome.status == Status::Passed ||
              outcome.status == Status::Executed ||
              outcome.status == Status::Mistrusted ||
              outcome.status == Status::Initialized;
  if (result.kind == WorkerResult::Kind::Ok || !good)
    return;
  outcome.status = statusOf(result.kind);
  outcome.reason = result.reason;
  outcome.after.push_back("  while the engine destroyed its kernel");
}
