// A program is planned once and run many times; arguments are not copied.
#include "assay/engine/all/LoadedProgram.h"
#include "assay/program/DynamicStep.h"
#include "assay/program/Executor.h"
#include "assay/support/MemorySize.h"

namespace assay::engine {

static llvm::Error addTypes(mlir::TypeRange types,
                            std::vector<tensor::TensorType> &out) {
  for (mlir::Type type : types) {
    llvm::Expected<tensor::TensorType> tensorType =
        program::dynamicTypeOf(type);
    if (!tensorType)
      return tensorType.takeError();
    out.push_back(*tensorType);
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<LoadedProgram>>
LoadedProgram::create(std::shared_ptr<const program::Program> program,
                      const Options &options) {
  llvm::Expected<mlir::func::FuncOp> function =
      program->function(options.entry);
  if (!function)
    return function.takeError();
  std::unique_ptr<LoadedProgram> loaded(
      new LoadedProgram(options, options.maxMemory > 0 ? options.maxMemory
                                                       : defaultMemoryBytes()));
  if (llvm::Error error =
          addTypes(function->getArgumentTypes(), loaded->inputs_))
    return error;
  if (llvm::Error error =
          addTypes(function->getResultTypes(), loaded->outputs_))
    return error;
  EngineOptions engineOptions;
  engineOptions.fastReference = true;
  engineOptions.threads = options.threads;
  engineOptions.recogniser = options.recogniser;
  if (llvm::Error error =
          makeEngine(options.engine, engineOptions).moveInto(loaded->engine_))
    return error;
  PlanRequest request;
  request.entry = options.entry;
  request.functions = options.functions;
  auto algorithm = program::parseConvolutionAlgorithm(options.algorithm);
  if (!algorithm)
    return makeError(ErrorCode::InvalidArgument,
                     "algorithm '{0}' is unknown; expected direct, wino or auto",
                     options.algorithm);
  request.numeric.convolution = *algorithm;
  request.numeric.foldsScales = options.foldsScales;
  // Without this the caller may write to its arrays between two calls.
  request.keepsArguments = options.keepsArguments;
  if (llvm::Error error = loaded->engine_->makePlan(std::move(program), request)
                              .moveInto(loaded->plan_))
    return error;
  if (loaded->engine_->lastWorkerResult() == WorkerResult::Kind::Invalid)
    return makeError(ErrorCode::InvalidArgument,
                     "engine '{0}' does not load, or calls an operation of the "
                     "program invalid; `assay run --engine {0}` says why",
                     options.engine);
  return loaded;
}

llvm::Expected<std::vector<tensor::Tensor>>
LoadedProgram::run(llvm::ArrayRef<tensor::Tensor> arguments) {
  std::lock_guard<std::mutex> alone(mutex_);
  program::RunContext context(threads_);
  context.budget = std::make_shared<MemoryBudget>(maxMemory_);
  llvm::Expected<std::vector<program::Value>> values =
      program::execute(*plan_, arguments, context);
  if (!values)
    return values.takeError();
  for (const program::CheckResult &check : context.checks)
    if (!check.passed)
      return makeError(ErrorCode::Mismatch, "{0}: check failed: {1}",
                       check.location, check.message);
  std::vector<tensor::Tensor> results;
  for (const program::Value &value : *values) {
    llvm::Expected<tensor::Tensor> dense = value.tensor().dense();
    if (!dense)
      return dense.takeError();
    results.push_back(std::move(*dense));
  }
  return results;
}

} // namespace assay::engine
