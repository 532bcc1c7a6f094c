/// The options that every computing command has, added to its CLI11 parser in
/// one place.
#pragma once

#include "Commands.h"
#include "assay/support/MemoryBudget.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>

namespace assay::tools {

struct CommonOptions {
  int threads = 0;       ///< 0: all cores
  std::string maxMemory; ///< "4G"; empty: 80 % of the machine's memory
  double maxSeconds = 0; ///< 0: no limit
  uint64_t seed = 0;
  bool quiet = false;
  std::string json; ///< a file, "-" for standard output, empty for none

  void addTo(CLI::App &app);
  /// Errors: InvalidArgument for a size that is not a number with an optional
  /// K, M, G, T.
  llvm::Expected<std::shared_ptr<MemoryBudget>> memoryBudget() const;
};

/// Parses; on --help or a usage error prints and gives the exit code.
std::optional<ExitCode> parseArguments(CLI::App &app,
                                       llvm::ArrayRef<const char *> arguments);

/// Writes text made by `print` to a file that appears only when complete, or to
/// standard output for "-".
llvm::Error writeText(llvm::StringRef path,
                      llvm::function_ref<void(llvm::raw_ostream &)> print);
/// The same for a JSON value, indented.
llvm::Error writeJson(llvm::StringRef path, const llvm::json::Value &value);

/// A one-line shell command: the words quoted where needed.
std::string shellCommand(llvm::ArrayRef<const char *> words);

} // namespace assay::tools
