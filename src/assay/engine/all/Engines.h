/// Makes an engine by its name, for every command. It is separate from the
/// interface, so that components that only use engines do not link them.
#pragma once

#include "assay/engine/Engine.h"
#include "assay/engine/Host.h"

namespace assay::engine {

/// The engine with this name in Engines.def ("native", "plugin:PATH"), in a
/// worker process if the options request it. Errors: NotFound with the known
/// names, or with the places where its module was searched.
llvm::Expected<std::unique_ptr<Engine>>
makeEngine(llvm::StringRef name, const EngineOptions &options = {});

/// For the worker process: a host of programs for one of Assay's own engines;
/// null for another name.
std::unique_ptr<Host> makeProgramHost(llvm::StringRef name);

} // namespace assay::engine
