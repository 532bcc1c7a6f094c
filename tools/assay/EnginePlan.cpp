// The plan of a program on the engine that --engine and --fast-ref ask for.
#include "EnginePlan.h"

using namespace assay;

CLI::Validator tools::engineNames() {
  return CLI::Validator(
      [](std::string &name) {
        llvm::StringRef text(name);
        bool known = text == "reference" || text == "native" ||
                     text == "onednn" || text.starts_with("plugin:");
        return known
                   ? std::string()
                   : "no engine '" + name +
                         "'; there are reference, native, onednn, plugin:PATH";
      },
      "reference|native|onednn|plugin:PATH");
}

llvm::Error tools::prepareEngine(EngineChoice &choice) {
  if (choice.engine == "reference" || choice.engine == "native")
    return llvm::Error::success();
  auto made = verify::OffloadCompiler::create(
      choice.engine, ThreadPool(choice.threads).threads(), choice.maxSeconds);
  if (!made)
    return made.takeError();
  choice.offload = std::move(*made);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<program::Plan>>
tools::makeEnginePlan(const EngineChoice &choice,
                      std::shared_ptr<const program::Program> program,
                      const program::PlanOptions &options) {
  if (choice.offload)
    return program::buildPlan(std::move(program), *choice.offload, options);
  bool native = choice.engine == "native",
       fast = choice.fastRef == "auto" || choice.fastRef == "true";
  if (!native && (!fast || options.shadow))
    return program::buildPlan(std::move(program),
                              reference::ReferenceCompiler(), options);
  engine::NativeOptions nativeOptions;
  // Below this the reference takes less than about a millisecond.
  nativeOptions.minimumWork = native ? 0 : 4e6;
  nativeOptions.fuse = native;
  engine::NativeCompiler compiler(choice.native, nativeOptions);
  std::function<bool(mlir::Operation *)> wanted;
  if (choice.materialise)
    wanted = [](mlir::Operation *) { return true; };
  return engine::buildNativePlan(std::move(program), compiler, options,
                                 std::move(wanted));
}
