// The plan of a program is one step: the executable that the plugin compiled
// from it.
#include "assay/engine/pjrt/PjrtEngine.h"

#include "assay/engine/Isolate.h"
#include "assay/engine/pjrt/PluginClient.h"
#include "assay/program/Types.h"

#include <cstring>

namespace assay::engine {

using program::StepContext;
using tensor::Tensor;
using tensor::TensorType;

namespace {
class PluginStep final : public program::Step {
public:
  PluginStep(std::shared_ptr<PluginClient> client,
             pjrt::LoadedExecutable *executable,
             std::vector<TensorType> results)
      : client_(std::move(client)), executable_(executable),
        results_(std::move(results)) {}
  ~PluginStep() override { client_->destroy(executable_); }

  llvm::Error run(StepContext &context) const override {
    std::vector<Tensor> arguments;
    for (size_t i = 0; i < context.operandCount(); ++i) {
      llvm::Expected<Tensor> dense = context.dense(i);
      if (!dense)
        return dense.takeError();
      arguments.push_back(std::move(*dense));
    }
    llvm::Expected<std::vector<Tensor>> made =
        client_->run(executable_, arguments, results_);
    if (!made)
      return made.takeError();
    for (size_t i = 0; i < made->size(); ++i)
      std::memcpy(context.out(i).mutableBytes(), (*made)[i].bytes(),
                  static_cast<size_t>((*made)[i].denseBytes()));
    ++context.run.engineSteps;
    return llvm::Error::success();
  }

private:
  std::shared_ptr<PluginClient> client_;
  pjrt::LoadedExecutable *executable_;
  std::vector<TensorType> results_;
};

class PjrtEngine final : public Engine {
public:
  PjrtEngine(std::string name,
             std::shared_ptr<const program::StepCompiler> rest,
             std::shared_ptr<PluginClient> client)
      : Engine(std::move(name), std::move(rest)), client_(std::move(client)) {}

  llvm::Expected<Compiled> compile(const OperationRequest &) const override {
    return Refusal{assay::ErrorCode::Unsupported,
                   "a PJRT plugin takes whole programs"};
  }

  llvm::Expected<std::unique_ptr<program::Plan>>
  makePlan(std::shared_ptr<const program::Program> program,
           const PlanRequest &request) const override {
    llvm::Expected<mlir::func::FuncOp> function =
        program->function(request.entry);
    if (!function)
      return function.takeError();
    std::vector<TensorType> results;
    for (mlir::Type type : function->getResultTypes()) {
      llvm::Expected<TensorType> made = program::tensorTypeOf(type);
      if (!made)
        return made.takeError();
      results.push_back(std::move(*made));
    }
    llvm::Expected<pjrt::LoadedExecutable *> executable =
        client_->compile(*program, *function);
    if (!executable)
      return executable.takeError();
    auto step = std::make_unique<PluginStep>(client_, *executable, results);
    return wholeProgramPlan(std::move(program), *function, results,
                            std::move(step));
  }

private:
  std::shared_ptr<PluginClient> client_;
};
} // namespace

llvm::Expected<std::unique_ptr<Engine>>
makePjrtEngine(llvm::StringRef plugin,
               std::shared_ptr<const program::StepCompiler> rest) {
  llvm::Expected<std::shared_ptr<PluginClient>> client =
      PluginClient::load(plugin);
  if (!client)
    return client.takeError();
  return std::make_unique<PjrtEngine>(("pjrt:" + plugin).str(), std::move(rest),
                                      std::move(*client));
}

} // namespace assay::engine
