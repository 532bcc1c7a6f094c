/// The engine of a name: the one function that every command calls. It is
/// separate from the interface, so that components that only use engines link
/// none.
#pragma once

#include "assay/engine/Engine.h"
#include "assay/engine/Host.h"

namespace assay::engine {

/// The engine that Engines.def has under `name` ("native", "plugin:PATH"), in a
/// worker process when the options say so. Errors: NotFound with the known
/// names, or with where its module was looked for.
llvm::Expected<std::unique_ptr<Engine>>
makeEngine(llvm::StringRef name, const EngineOptions &options = {});

/// For the worker process: a host of programs on one of Assay's own engines;
/// null for another name.
std::unique_ptr<Host> makeProgramHost(llvm::StringRef name);

} // namespace assay::engine
