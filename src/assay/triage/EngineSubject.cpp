// One plan and one run per question. Assay's own engines run the whole program
// in the worker. Engines of other libraries are offered the parts that `verify`
// can express; they took part in the run if they accepted any.
#include "assay/triage/EngineSubject.h"
#include "assay/engine/all/Engines.h"
#include "assay/program/Executor.h"
#include "assay/verify/Offers.h"

using namespace assay;
using namespace assay::triage;
using engine::WorkerResult;
using judge::Ending;
using judge::SubjectRun;

llvm::Expected<std::unique_ptr<EngineSubject>>
EngineSubject::create(llvm::StringRef name, int threads,
                      double timeoutSeconds) {
  engine::EngineOptions options;
  options.isolated = true;
  options.threads = threads;
  options.timeoutSeconds = timeoutSeconds;
  options.recogniser = verify::offersFor;
  llvm::Expected<std::unique_ptr<engine::Engine>> made =
      engine::makeEngine(name, options);
  if (!made)
    return made.takeError();
  return std::unique_ptr<EngineSubject>(
      new EngineSubject(name.str(), std::move(*made), threads));
}

SubjectRun EngineSubject::failed(llvm::Error error) const {
  ErrorText text = takeError(std::move(error));
  SubjectRun run;
  run.text = text.message;
  WorkerResult::Kind kind = engine_->lastWorkerResult();
  if (text.code != ErrorCode::Mismatch)
    run.ending = Ending::Refused; // the program, or a limit, is the cause
  else if (kind == WorkerResult::Kind::Crashed)
    run.ending = Ending::Crashed;
  else if (kind == WorkerResult::Kind::Timeout)
    run.ending = Ending::Hung;
  else
    run.ending = Ending::Failed;
  return run;
}

SubjectRun EngineSubject::run(std::shared_ptr<const program::Program> program,
                              llvm::ArrayRef<tensor::Tensor> inputs) {
  engine::PlanRequest request;
  request.keepsArguments = false;
  llvm::Expected<std::unique_ptr<program::Plan>> plan =
      engine_->makePlan(std::move(program), request);
  if (!plan)
    return failed(plan.takeError());
  program::RunContext context(pool_);
  std::string printed;
  llvm::raw_string_ostream sink(printed);
  context.printStream = &sink;
  llvm::Expected<std::vector<program::Value>> results =
      program::execute(**plan, inputs, context);
  if (!results)
    return failed(results.takeError());
  SubjectRun run;
  run.tookPart = context.engineSteps > 0;
  for (program::Value &value : *results) {
    llvm::Expected<tensor::Tensor> dense =
        value.isTensor()
            ? value.tensor().dense()
            : makeError(ErrorCode::Unsupported, "a result is not a tensor");
    if (!dense)
      return failed(dense.takeError());
    run.results.push_back(std::move(*dense));
  }
  return run;
}
