// The plan of a program on the engine that --engine and --fast-ref ask for.
#include "EnginePlan.h"

using namespace assay;

llvm::Expected<std::unique_ptr<program::Plan>> tools::makeEnginePlan(const EngineChoice &choice,
                                                                     std::shared_ptr<const program::Program> program,
                                                                     const program::PlanOptions &options) {
  bool native = choice.engine == "native", fast = choice.fastRef == "auto" || choice.fastRef == "true";
  if (!native && (!fast || options.shadow))
    return program::buildPlan(std::move(program), reference::ReferenceCompiler(), options);
  engine::NativeOptions nativeOptions;
  // Below this the reference takes less than about a millisecond.
  nativeOptions.minimumWork = native ? 0 : 4e6;
  nativeOptions.fuse = native;
  engine::NativeCompiler compiler(choice.native, nativeOptions);
  return engine::buildNativePlan(std::move(program), compiler, options);
}
