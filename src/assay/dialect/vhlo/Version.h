/// Versions of VHLO, as artifacts carry them.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <array>
#include <optional>
#include <string>

namespace assay::vhlo {

struct Version {
  std::array<unsigned, 3> parts;

  /// "1.9.0" or "1.9"; nothing for other text.
  static std::optional<Version> parse(llvm::StringRef text);
  std::string text() const;
  /// The version of MLIR's bytecode in which such an artifact is written.
  int64_t bytecodeVersion() const;

  friend auto operator<=>(const Version &, const Version &) = default;
};

/// The first version that promises to stay readable, and the last one whose
/// operations Ops.def lists.
inline constexpr Version kOldest{{0, 9, 0}}, kNewest{{1, 22, 0}};
/// The version of an artifact whose program needs no later one.
inline constexpr Version kUsual{{1, 0, 0}};

} // namespace assay::vhlo
