/// The table of engines and where their modules are.
#pragma once

#include "assay/support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace assay::engine {

struct EngineRow {
  const char *name;
  const char *argument; ///< the part after the name: "PATH" of "plugin:PATH"
  const char *module;
  bool trusted;
  const char *description;

  /// The user's spelling: "native", "plugin:PATH".
  std::string spelling() const;
};
llvm::ArrayRef<EngineRow> engineTable();

/// "onednn, native, reference, plugin:PATH": for messages and help texts.
std::string engineSpellings(llvm::StringRef separator = ", ");

/// A row of the table and the argument in an engine's name.
struct EngineName {
  size_t row; ///< of engineTable()
  std::string argument;
};

/// Parses an engine's name. Errors: NotFound with the known names.
llvm::Expected<EngineName> parseEngineName(llvm::StringRef name);

/// The part after `pjrt:` in the name of an engine that is a device's plugin:
/// its file and options; nullopt for other names.
std::optional<std::string> pjrtPlugin(llvm::StringRef name);

/// True for engines that run a problem's program: Assay's own, and PJRT
/// plugins. The others receive the problem as text. False for an unknown name.
bool takesPrograms(llvm::StringRef name);

/// The module that a worker loads for the engine `name` ("onednn",
/// "plugin:PATH"): a path, or "builtin:NAME". Errors: those of parseEngineName;
/// NotFound with the folders that were searched.
llvm::Expected<std::string> resolveEngine(llvm::StringRef name);

/// Why the engine cannot be loaded here (its module or a library that it needs
/// is missing); empty: it can.
std::string whyUnavailable(llvm::StringRef name);

} // namespace assay::engine
