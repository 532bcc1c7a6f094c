/// What the commands on dumps share: text to a file or standard output.
#pragma once

#include "Options.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

#include <optional>

namespace assay::tools {

/// parseArguments under its short name.
inline std::optional<ExitCode> parse(CLI::App &app, llvm::ArrayRef<const char *> arguments) {
  return parseArguments(app, arguments);
}

/// Writes text made by `print` to a file that appears only when complete, or to
/// standard output for "-".
llvm::Error writeText(llvm::StringRef path,
                      llvm::function_ref<void(llvm::raw_ostream &)> print);
llvm::Error writeJson(llvm::StringRef path, const llvm::json::Value &value);

} // namespace assay::tools
