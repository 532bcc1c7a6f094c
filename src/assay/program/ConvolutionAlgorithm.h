/// The word --alg: how convolutions may be computed.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

#include <optional>

namespace assay::program {

/// As the sums that it is; by Winograd's transforms wherever an engine can; or by whichever is
/// faster. Errors of the transforms are bound by all that a tile of results sees, not by the
/// products of each sum.
enum class ConvolutionAlgorithm : uint8_t { Direct, Winograd, Auto };

/// "direct" "wino" "auto", as benchdnn says.
inline const char *toString(ConvolutionAlgorithm algorithm) {
  static constexpr const char *kWords[] = {"direct", "wino", "auto"};
  return kWords[static_cast<int>(algorithm)];
}
inline std::optional<ConvolutionAlgorithm>
parseConvolutionAlgorithm(llvm::StringRef word) {
  return llvm::StringSwitch<std::optional<ConvolutionAlgorithm>>(word)
      .Case("direct", ConvolutionAlgorithm::Direct)
      .Case("wino", ConvolutionAlgorithm::Winograd)
      .Case("auto", ConvolutionAlgorithm::Auto)
      .Default(std::nullopt);
}

} // namespace assay::program
