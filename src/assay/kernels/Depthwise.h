/// Sums over the taps of a window, each channel for itself, for images whose
/// channels lie side by side: what a depthwise convolution (and the gradient of
/// its filter) is made of. Who calls it says where each tap lies by a table of
/// addresses, so that any stride, dilation and padding is the same code here.
#pragma once

#include "assay/kernels/jit/Jit.h"

namespace assay::kernels {

/// Groups of several channels go this way too, up to here: with more inputs the image
/// is copied too often, with more outputs products fill their vectors.
inline constexpr int64_t kMostThinInputs = 2, kMostThinOutputs = 15;

/// What a kernel is chosen for.
struct DepthwiseProblem {
  DataType input = DataType::F32; ///< filter and sums: accumulatorOf(input)
  int64_t channels = 1;
  int64_t positions = 1;  ///< of a row
  int64_t columnStep = 1; ///< entries of the table between positions
};

/// A register block other than the rule's; 0: by the rule.
struct DepthwiseChoice {
  int vectors = 0, positions = 0; ///< of channels; at most, cut evenly
};

/// One row of positions.
/// Formula:  out[p, c] = sum_t image(t, p)[c] * filter[t, c]   (t ascending)
///           where image(t, p) is the address at byte
///           tapOffsets[t] + 8 * columnStep * p of `table`
/// Units:    strides in elements; the filter's rows lie dense, from channel 0
/// Threads:  re-entrant; writes only the channels that it is asked for
struct DepthwiseRow {
  const std::byte *const *table = nullptr;
  llvm::ArrayRef<int64_t> tapOffsets; ///< at least one
  const std::byte *filter = nullptr;  ///< [taps, channels]
  std::byte *out = nullptr; ///< of the first channel that run() is asked for
  int64_t outStride = 0;    ///< between positions
};

/// A register block of positions x vectors of channels, compiled and checked.
/// The last block of a row is moved back so that it ends where the row does:
/// what lies under two blocks is computed twice, to the same numbers.
class Depthwise {
public:
  /// Why these types have no kernel on this processor, or nullopt.
  static std::optional<Refusal> supports(const DepthwiseProblem &problem,
                                         const Isa &isa);
  /// Errors: Unsupported (see supports); those of Jit::get.
  static llvm::Expected<Depthwise> prepare(const DepthwiseProblem &problem,
                                           Jit &jit,
                                           const DepthwiseChoice &choice = {});

  /// Channels that one call of run() computes: never more than there are.
  int64_t blockChannels() const { return blockChannels_; }
  /// Channels [first, first + blockChannels()) of every position.
  void run(const DepthwiseRow &row, int64_t first) const;

private:
  DepthwiseProblem problem_;
  MicroFunction function_ = nullptr;
  int64_t blockPositions_ = 1, blockChannels_ = 1;
};

} // namespace assay::kernels
