/// `--engine pjrt:PATH.so[,OPTION=VALUE]`: whole programs on a device's PJRT
/// plugin. Only a worker process makes this engine; other code uses the one
/// that isolates it (Isolate.h).
#pragma once

#include "assay/engine/Engine.h"

namespace assay::engine {

/// `plugin`: the part after `pjrt:`. Errors: those of PluginClient::load.
llvm::Expected<std::unique_ptr<Engine>>
makePjrtEngine(llvm::StringRef plugin,
               std::shared_ptr<const program::StepCompiler> rest);

} // namespace assay::engine
