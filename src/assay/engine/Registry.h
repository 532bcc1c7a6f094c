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

  /// As a user spells it: "native", "plugin:PATH".
  std::string spelling() const;
};
llvm::ArrayRef<EngineRow> engineTable();

/// "onednn, native, reference, plugin:PATH": for messages and help texts.
std::string engineSpellings(llvm::StringRef separator = ", ");

/// A row of the table and the argument that a name gave it.
struct EngineName {
  size_t row; ///< of engineTable()
  std::string argument;
};

/// Errors: NotFound with the known names.
llvm::Expected<EngineName> parseEngineName(llvm::StringRef name);

/// The part after `pjrt:` in the name of an engine that is a device's
/// plugin: its file and options; nothing for other names.
std::optional<std::string> pjrtPlugin(llvm::StringRef name);

/// True for engines that run a problem's program: Assay's own, and PJRT plugins;
/// the others get the problem as words. False for a name that no engine
/// has.
bool takesPrograms(llvm::StringRef name);

/// What a worker loads for the engine `name` ("onednn", "plugin:PATH"): a path,
/// or "builtin:NAME". Errors: those of parseEngineName; NotFound with the
/// folders that were searched.
llvm::Expected<std::string> resolveEngine(llvm::StringRef name);

/// Whether the engine can be loaded here at all (its module and the libraries
/// that it needs exist); empty = yes, else why.
std::string whyUnavailable(llvm::StringRef name);

} // namespace assay::engine
