/// Versions of VHLO as artifacts record them.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <array>
#include <optional>
#include <string>

namespace assay::vhlo {

struct Version {
  std::array<unsigned, 3> parts;

  /// Parses "1.9.0" or "1.9"; nullopt for other text.
  static std::optional<Version> parse(llvm::StringRef text);
  std::string text() const;
  /// The version of MLIR bytecode in which such an artifact is written.
  int64_t bytecodeVersion() const;

  friend auto operator<=>(const Version &, const Version &) = default;
};

/// The first version that is guaranteed to stay readable, and the last one
/// whose operations are in Ops.def.
inline constexpr Version kOldest{{0, 9, 0}}, kNewest{{1, 22, 0}};
/// The version of an artifact whose program does not require a later one.
inline constexpr Version kUsual{{1, 0, 0}};

} // namespace assay::vhlo
