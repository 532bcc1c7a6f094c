/// The engines that live in the program, for the worker process: `reference`
/// and `native`.
#pragma once

#include "assay/engine/Plugin.h"

namespace assay::verify {

engine::PluginFunctions builtinEngine(llvm::StringRef name);

} // namespace assay::verify
