/// The plan of a program on the engine that the user asked for: one place for `assay run` and `assay test`.
#pragma once

#include "assay/engine/native/NativeCompiler.h"

#include "llvm/ADT/StringRef.h"

namespace assay::tools {

/// What `--engine` and `--fast-ref` say. `native` is shared by all plans of a process: kernels are made once.
struct EngineChoice {
  std::string engine = "reference", fastRef = "auto";
  std::shared_ptr<engine::NativeContext> native = std::make_shared<engine::NativeContext>();
};

/// A plan of the engine `choice.engine` (`reference` or `native`). The reference hands products that would take it more
/// than about a millisecond to the kernels unless fastRef is `off` (or `false`) or a shadow is wanted. Errors: those of
/// program::buildPlan.
llvm::Expected<std::unique_ptr<program::Plan>> makeEnginePlan(const EngineChoice &choice,
                                                              std::shared_ptr<const program::Program> program,
                                                              const program::PlanOptions &options);

} // namespace assay::tools
