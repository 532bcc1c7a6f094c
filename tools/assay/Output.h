/// What the commands on dumps share: parsing with CLI11, and text to a file or
/// standard output.
#pragma once

#include "Commands.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

#include <CLI/CLI.hpp>
#include <optional>

namespace assay::tools {

/// The flags that every command which computes takes.
struct CommonFlags {
  int threads = 0;
  bool quiet = false;
  std::string json;

  void add(CLI::App &app);
};

/// Parses; a value is the exit code to return at once (help, or a usage error
/// that has been printed).
std::optional<ExitCode> parse(CLI::App &app,
                              llvm::ArrayRef<const char *> arguments);

/// Writes text made by `print` to a file that appears only when complete, or to
/// standard output for "-".
llvm::Error writeText(llvm::StringRef path,
                      llvm::function_ref<void(llvm::raw_ostream &)> print);
llvm::Error writeJson(llvm::StringRef path, const llvm::json::Value &value);

} // namespace assay::tools
