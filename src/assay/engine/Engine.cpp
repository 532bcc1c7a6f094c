// The part of planning that all engines share. The plan builder asks for the
// step of each operation: the engine's if it has one, else the reference's.
#include "assay/engine/Engine.h"

#include "llvm/ADT/STLExtras.h"

namespace assay::engine {

/// The adapter through which the plan builder uses the engine.
class Engine::Compiler final : public program::StepCompiler {
public:
  explicit Compiler(const Engine &engine) : engine_(engine) {}

  llvm::Expected<std::unique_ptr<program::Step>>
  compile(const program::StepSpec &spec) const override {
    // The reference computes quantised tensors: to an engine they would look
    // like integers.
    auto quantized = [](const program::TensorType &type) {
      return type.element.quantization != nullptr;
    };
    if (llvm::any_of(spec.operands, quantized) ||
        llvm::any_of(spec.results, quantized))
      return engine_.rest().compile(spec);
    llvm::Expected<Compiled> compiled = engine_.compile({spec});
    if (!compiled)
      return compiled.takeError();
    if (auto *step = std::get_if<std::unique_ptr<program::Step>>(&*compiled))
      return std::move(*step);
    llvm::Expected<std::unique_ptr<program::Step>> step =
        engine_.rest().compile(spec);
    if (!step)
      return step;
    return engine_.keep(std::move(*step), std::get<Refusal>(*compiled));
  }

  std::unique_ptr<program::LaneFunction>
  compileLanes(mlir::Region &region, bool withShadow) const override {
    return engine_.rest().compileLanes(region, withShadow);
  }

  std::shared_ptr<const program::StepCompiler> atRunTime() const override {
    return engine_.rest_->atRunTime();
  }

private:
  const Engine &engine_;
};

Engine::~Engine() = default;

llvm::Expected<std::unique_ptr<program::Plan>>
Engine::makePlan(std::shared_ptr<const program::Program> program,
                 const PlanRequest &request) const {
  Compiler compiler(*this);
  return program::buildPlan(std::move(program), compiler, request);
}

} // namespace assay::engine
