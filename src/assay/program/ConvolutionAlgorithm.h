/// The option --alg: how convolutions may be computed.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

#include <optional>

namespace assay::program {

/// Direct: as the sums of the definition; Winograd: by Winograd's transforms
/// wherever an engine can; Auto: by the faster of the two. The error of the
/// transforms is bounded by all inputs of a tile of results, not by the
/// products of each sum.
enum class ConvolutionAlgorithm : uint8_t { Direct, Winograd, Auto };

/// The names that benchdnn uses: "direct", "wino", "auto".
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
