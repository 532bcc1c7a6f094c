/// The flags that choose an engine, for every command that runs programs.
#pragma once

#include "assay/engine/Engine.h"

#include <CLI/CLI.hpp>

namespace assay::tools {

/// Accepts the names in Engines.def.
CLI::Validator engineNames();

/// The values of --engine, --fast-ref and --isolate.
struct EngineChoice {
  std::string name = "reference", fastRef = "auto";
  bool isolated = false;
  std::string dumpPasses; ///< of engine native; a command adds the flag itself

  void addTo(CLI::App &app);
  /// The engine for all plans of the process. `threads` and `maxSeconds` apply
  /// to a worker process. Errors: NotFound.
  llvm::Expected<std::unique_ptr<engine::Engine>> make(int threads,
                                                       double maxSeconds) const;
};

} // namespace assay::tools
