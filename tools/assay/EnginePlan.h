/// The plan of a program on the engine that the user asked for: one place for
/// `assay run` and `assay test`.
#pragma once

#include "assay/engine/native/NativeCompiler.h"
#include "assay/verify/Offload.h"

#include "llvm/ADT/StringRef.h"

#include <CLI/CLI.hpp>

namespace assay::tools {

/// What `--engine` and `--fast-ref` say. `native` is shared by all plans of a
/// process: kernels are made once.
struct EngineChoice {
  std::string engine = "reference", fastRef = "auto";
  double maxSeconds =
      0; ///< an engine of another library hangs after this; 0: a minute
  int threads = 0; ///< 0: all cores; what an engine of another library is told
  std::shared_ptr<engine::NativeContext> native =
      std::make_shared<engine::NativeContext>();
  std::shared_ptr<verify::OffloadCompiler>
      offload;              ///< of another library; made by prepareEngine
  bool materialise = false; ///< an observer wants every operation's value: no
                            ///< step may cover several operations
};

/// CLI11's check of --engine: reference, native, onednn, plugin:PATH.
CLI::Validator engineNames();

/// To be called once before the first plan: finds and loads what the engine
/// needs. Errors: NotFound.
llvm::Error prepareEngine(EngineChoice &choice);

/// A plan of the engine `choice.engine`. `onednn` and `plugin:PATH` get the
/// products and convolutions (Offload.h). The reference hands products that
/// would take it more than about a millisecond to the kernels unless fastRef is
/// `off` (or `false`) or a shadow is wanted. Errors: those of
/// program::buildPlan.
llvm::Expected<std::unique_ptr<program::Plan>>
makeEnginePlan(const EngineChoice &choice,
               std::shared_ptr<const program::Program> program,
               const program::PlanOptions &options);

} // namespace assay::tools
