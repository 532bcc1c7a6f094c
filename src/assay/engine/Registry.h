/// The table of engines and where their modules are.
#pragma once

#include "assay/support/Error.h"

#include <string>
#include <vector>

namespace assay::engine {

struct EngineRow {
  const char *name, *module;
  bool trusted;
  const char *description;
};
llvm::ArrayRef<EngineRow> engineTable();

/// What a worker loads for the engine `name` ("onednn", "plugin:PATH"): a path,
/// or "builtin:NAME". Errors: NotFound with the known names, or with the
/// folders that were searched.
llvm::Expected<std::string> resolveEngine(llvm::StringRef name);

/// Whether the engine can be loaded here at all (its module and the libraries
/// behind it exist); empty = yes, else why.
std::string whyUnavailable(llvm::StringRef name);

} // namespace assay::engine
