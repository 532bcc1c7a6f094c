/// A way of computing a convolution as data: the algorithm and its parameters.
/// Its name parses back, so that data sets and models refer to kernels by
/// text.
#pragma once

#include "assay/kernels/Machine.h"
#include "assay/kernels/conv/ConvProblem.h"
#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <vector>

namespace assay::kernels {

/// What computes a convolution; docs/native.md says where each is used.
///   Rule       the native engine's own order of algorithms
///   Windows    register blocks over windows in place in a padded piece of the
///              image, phase by phase where the image is dilated
///   Rows       windows gathered into rows, rows times the filter; a window of one
///              element is read in place
///   Channels   each channel for itself (depthwise), by a table of addresses
///   Columns    gradient of the filter: windows gathered as columns, times the
///              gradient's rows
///   GroupColumns  the same for groups of a few channels, or an image of few, nothing
///              gathered
enum class ConvAlgorithm : uint8_t {
  Rule,
  Windows,
  Rows,
  Channels,
  Columns,
  GroupColumns
};
const char *toString(ConvAlgorithm algorithm);
const char *describe(ConvAlgorithm algorithm);

/// Gradients of a filter whose windows are not gathered (GroupedFilterGradient.cpp):
/// channels of a group (wider ones fill whole products), or of an image without groups.
/// An image with few channels (RGB, a microphone's) always; with more where ruleFor says so.
inline constexpr int64_t kMostGroupChannels = 48, kMostImageChannels = 256,
                         kFewImageChannels = 8;
inline bool takesGroupColumns(int64_t groups, int64_t groupIn, int64_t groupOut,
                              bool isPointwise) {
  return groups == 1 ? groupIn <= kMostImageChannels && !isPointwise
                     : std::max(groupIn, groupOut) <= kMostGroupChannels;
}

/// 0 leaves a field to the algorithm's own rule.
struct ConvConfig {
  ConvAlgorithm algorithm = ConvAlgorithm::Rule;
  /// The register block: vectors of output channels, and the most positions (a
  /// line is cut into blocks of equal height up to this).
  int32_t vectors = 0, positions = 0;
  /// What a piece of work keeps in the second-level cache, KiB. Windows: the band
  /// of the image; Rows, Columns: the gathered windows; Channels: rows of the image.
  int32_t workKb = 0;
  /// KiB of the filter that stay in a cache while all lines pass over them
  /// (Windows).
  int32_t filterKb = 0;
  /// Columns of gathered windows that are made together (Columns).
  int32_t columns = 0;
  /// A row of the window is one tap (Windows): 1 yes, 2 no.
  int32_t together = 0;

  friend bool operator==(const ConvConfig &, const ConvConfig &) = default;

  /// "windows_v2p14_w512_f0_t0", "rows_v3_w256", "columns_w4096_c1152", ...
  std::string name() const;
};

/// The reverse of name(). Errors: InvalidArgument
llvm::Expected<ConvConfig> parseConvConfig(llvm::StringRef name);

/// Every configuration for a direction on this machine, in a fixed order.
std::vector<ConvConfig> convKernels(ConvDirection direction,
                                    const Machine &machine);

/// Why the configuration is not for the problem, or nullopt. Only by sizes;
/// nothing is compiled.
std::optional<Refusal> supports(const ConvProblem &problem,
                                const ConvConfig &config,
                                const Machine &machine);

/// The configuration that the native engine's rules amount to.
ConvConfig ruleFor(const ConvProblem &problem, const Machine &machine);

/// How many of the choices differ; algorithm, register block and the rest count one
/// each.
int differences(const ConvConfig &a, const ConvConfig &b);

} // namespace assay::kernels
