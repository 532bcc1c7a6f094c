/// A way of computing a convolution as data: the algorithm and its parameters.
/// Its name can be parsed, so that data sets and models refer to kernels by
/// text.
#pragma once

#include "assay/kernels/Machine.h"
#include "assay/kernels/conv/ConvProblem.h"
#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <vector>

namespace assay::kernels {

/// What computes a convolution (ConvAlgorithms.def; docs/native.md says where each is used).
/// Rule: the native engine chooses.
enum class ConvAlgorithm : uint8_t {
  Rule,
#define ASSAY_CONV_ALGORITHM(id, name, isTuned, description) id,
#include "assay/kernels/conv/ConvAlgorithms.def"
#undef ASSAY_CONV_ALGORITHM
};
const char *toString(ConvAlgorithm algorithm);
const char *describe(ConvAlgorithm algorithm);

/// Gradients of a filter whose windows are not gathered (GroupColumnsConvolution.cpp):
/// channels of a group (wider ones fill whole products), or of an image without groups.
/// An image with few channels (RGB, a microphone's) always; with more where ruleFor says so.
inline constexpr int64_t kMostGroupChannels = 48, kMostImageChannels = 256,
                         kFewImageChannels = 8;
inline bool takesGroupColumns(int64_t groups, int64_t groupIn, int64_t groupOut,
                              bool isPointwise) {
  return groups == 1 ? groupIn <= kMostImageChannels && !isPointwise
                     : std::max(groupIn, groupOut) <= kMostGroupChannels;
}

/// Why a product of gathered windows, of a group, is not worth its kernel; null: it is.
inline const char *refusalOfRows(int64_t depth, int64_t columns) {
  return depth < 8     ? "rows of windows are shorter than 8 elements"
         : columns < 4 ? "a group has fewer than 4 channels to compute"
                       : nullptr;
}

/// Lines of fewer positions leave register blocks of windows empty.
inline constexpr int64_t kFewestLinePositions = 4;

/// 0 leaves a field to the algorithm's own rule.
struct ConvConfig {
  ConvAlgorithm algorithm = ConvAlgorithm::Rule;
  /// The register block: vectors of output channels, and the most positions (a
  /// line is divided into blocks of equal height up to this).
  int32_t vectors = 0, positions = 0;
  /// KiB of data that a piece of work keeps in the second-level cache. Windows:
  /// the band of the image; Rows, Columns: the gathered windows; Channels: rows
  /// of the image.
  int32_t workKb = 0;
  /// KiB of the filter that stay in a cache while all lines are multiplied with
  /// them (Windows).
  int32_t filterKb = 0;
  /// The number of columns of gathered windows that are made together
  /// (Columns).
  int32_t columns = 0;
  /// Whether a row of the window is one tap (Windows): 1 yes, 2 no.
  int32_t together = 0;

  friend bool operator==(const ConvConfig &, const ConvConfig &) = default;

  /// "windows_v2p14_w512_f0_t0", "rows_v3_w256", "columns_w4096_c1152", ...
  std::string name() const;
};

/// Parses a name(). Errors: InvalidArgument
llvm::Expected<ConvConfig> parseConvConfig(llvm::StringRef name);

/// Every configuration for a direction on this machine, in a fixed order.
std::vector<ConvConfig> convKernels(ConvDirection direction,
                                    const Machine &machine);

/// Why the configuration is not for the problem, or nullopt. Only by sizes;
/// nothing is compiled. Algorithms without parameters take other layouts.
std::optional<Refusal> supports(const ConvProblem &problem,
                                const ConvConfig &config,
                                const Machine &machine);

/// The time of a tuned algorithm that takes the problem, with the parameters of its rule, as a
/// multiple of that of windows or columns: where measured rules put it, not how far.
double costOf(const ConvProblem &problem, ConvAlgorithm algorithm,
              const Machine &machine);

/// The algorithm of the lowest cost, with the parameters of its rule.
ConvConfig ruleFor(const ConvProblem &problem, const Machine &machine);

/// The number of choices that differ; the algorithm, the register block and
/// each other field count as one.
int differences(const ConvConfig &a, const ConvConfig &b);

} // namespace assay::kernels
