// In the worker: a program is parsed and planned by create, executed by run.
// Arguments are views of the shared, read-only tensors; results are copied into
// the outputs.
#include "assay/verify/program/ProgramEngine.h"
#include "assay/engine/native/NativeCompiler.h"
#include "assay/program/Executor.h"
#include "assay/program/Types.h"
#include "assay/reference/Reference.h"
#include "llvm/Support/JSON.h"

#include <chrono>
#include <cstring>

using namespace assay;
using namespace assay::verify;
using tensor::Buffer;
using tensor::Tensor;
using tensor::TensorType;

class verify::ProgramKernel {
public:
  ProgramKernel(std::unique_ptr<program::Plan> plan,
                std::vector<TensorType> inputs, int threads)
      : plan(std::move(plan)), inputs(std::move(inputs)), pool(threads) {}
  std::unique_ptr<program::Plan> plan;
  std::vector<TensorType> inputs;
  ThreadPool pool;
  double seconds = 0;
};

static llvm::Expected<ProgramKernel *> create(const assay_problem_t &problem,
                                              bool native) {
  llvm::Expected<llvm::json::Value> json =
      llvm::json::parse(problem.problem_json);
  if (!json)
    return json.takeError();
  const llvm::json::Object &object = *json->getAsObject();
  std::string entry = object.getString("entry").value_or("").str();
  llvm::Expected<std::shared_ptr<const program::Program>> program =
      program::Program::parse(object.getString("program").value_or(""),
                              object.getString("file").value_or("program"));
  if (!program)
    return program.takeError();
  program::PlanOptions options;
  options.entry = entry;
  llvm::Expected<std::unique_ptr<program::Plan>> plan =
      native ? engine::buildNativePlan(
                   *program,
                   engine::NativeCompiler(
                       std::make_shared<engine::NativeContext>()),
                   options)
             : program::buildPlan(*program, reference::ReferenceCompiler(),
                                  options);
  if (!plan)
    return plan.takeError();
  llvm::Expected<mlir::func::FuncOp> function = (*program)->function(entry);
  if (!function)
    return function.takeError();
  std::vector<TensorType> inputs;
  for (mlir::Type type : function->getArgumentTypes()) {
    llvm::Expected<TensorType> tensorType = program::tensorTypeOf(type);
    if (!tensorType)
      return tensorType.takeError();
    inputs.push_back(*tensorType);
  }
  return new ProgramKernel(std::move(*plan), std::move(inputs),
                           problem.threads);
}

ProgramKernel *verify::createProgramKernel(const assay_problem_t &problem,
                                           bool native, int &code,
                                           std::string &why) {
  llvm::Expected<ProgramKernel *> kernel = create(problem, native);
  if (kernel) {
    code = ASSAY_PLUGIN_OK;
    return *kernel;
  }
  ErrorText text = takeError(kernel.takeError());
  why = text.message;
  code = text.code == ErrorCode::Unsupported ? ASSAY_PLUGIN_UNSUPPORTED
                                             : ASSAY_PLUGIN_INVALID;
  return nullptr;
}

int verify::runProgramKernel(ProgramKernel &kernel,
                             const assay_tensor_t *inputs,
                             const assay_tensor_t *outputs, std::string &why) {
  std::vector<Tensor> arguments;
  static const auto kOwner = std::make_shared<const int>(0);
  for (size_t i = 0; i < kernel.inputs.size(); ++i) {
    int64_t bytes = kernel.inputs[i].element.storageBytes();
    for (int64_t size : kernel.inputs[i].shape)
      bytes *= size;
    llvm::Expected<Tensor> view = Tensor::fromBuffer(
        kernel.inputs[i], Buffer::view(inputs[i].data, bytes, kOwner));
    if (!view) {
      why = takeError(view.takeError()).message;
      return ASSAY_PLUGIN_FAILED;
    }
    arguments.push_back(std::move(*view));
  }
  program::RunContext context(kernel.pool);
  std::string printed;
  llvm::raw_string_ostream sink(printed);
  context.printStream = &sink;
  auto start = std::chrono::steady_clock::now();
  llvm::Expected<std::vector<program::Value>> results =
      program::execute(*kernel.plan, arguments, context);
  kernel.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  if (!results) {
    why = takeError(results.takeError()).message;
    return ASSAY_PLUGIN_FAILED;
  }
  for (size_t i = 0; i < results->size(); ++i) {
    llvm::Expected<Tensor> dense = (*results)[i].tensor().dense();
    if (!dense) {
      why = takeError(dense.takeError()).message;
      return ASSAY_PLUGIN_FAILED;
    }
    std::memcpy(outputs[i].data, dense->bytes(),
                static_cast<size_t>(dense->denseBytes()));
  }
  return ASSAY_PLUGIN_OK;
}

double verify::lastSeconds(const ProgramKernel &kernel) {
  return kernel.seconds;
}
void verify::destroyProgramKernel(ProgramKernel *kernel) { delete kernel; }
