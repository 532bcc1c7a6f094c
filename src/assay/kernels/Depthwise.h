/// Sums over the taps of a window, for each channel by itself or in groups of a few,
/// for images whose channels are contiguous: the parts of a depthwise convolution (and
/// of the gradient of its filter). The caller says where each tap is by a
/// table of addresses, so that any stride, dilation and padding is the same code
/// here.
#pragma once

#include "assay/kernels/jit/Jit.h"

namespace assay::kernels {

/// Groups of several channels are computed here too, up to this size: with more inputs the image
/// is copied too often, with more outputs products fill their vectors.
inline constexpr int64_t kMostThinInputs = 2, kMostThinOutputs = 15;
/// Groups with as many outputs as inputs that fit half of a vector: nothing is copied,
/// and products would leave the other half empty.
inline bool areSpread(int64_t inputs, int64_t outputs, int64_t lanes) {
  return inputs == outputs && inputs > 1 && lanes % (2 * inputs) == 0;
}

/// The type of filter and sums: f32 for bytes too.
inline DataType depthwiseSums(DataType input) {
  DataType sums = accumulatorOf(input);
  return sums == DataType::S32 ? DataType::F32 : sums;
}

/// The properties that a kernel is chosen by.
struct DepthwiseProblem {
  DataType input = DataType::F32; ///< filter and sums: depthwiseSums(input)
  int64_t channels = 1;
  int64_t positions = 1;  ///< of a row
  int64_t columnStep = 1; ///< entries of the table between positions
  /// Taps of a line of the window, `tapStep` entries from one to the next, and how
  /// many lines there are.
  int64_t lineTaps = 1, tapStep = 1, lines = 1;
  /// Channels of a group, each a sum over all of them; 1: each for itself. `only`: the
  /// one input of each group that its channels are multiplied with, or -1.
  int64_t inputs = 1, only = -1;
  /// The type of the result: that of the sums, or what they are rounded to (bf16,
  /// f16; for bytes s32).
  std::optional<DataType> output = std::nullopt;
  DataType outputType() const { return output.value_or(depthwiseSums(input)); }
  /// Products of a tap.
  int64_t summed() const { return only < 0 ? inputs : 1; }
};

/// A register block other than the rule's; 0: by the rule.
struct DepthwiseChoice {
  int vectors = 0, positions = 0; ///< of channels; at most, cut evenly
};

/// One row of positions.
/// Formula:  out[p, c] = round(sum_t,i image(t, p)[c - c % inputs + i] *
///           filter[t * inputs + i, c])   (t ascending)
///           where image(t, p) is the address at byte
///           runOffsets[t / run] + 8 * (tapStep * (t % run) + columnStep * p) of
///           `table`, and run the kernel's runTaps(); with `only`, i is that and
///           the filter has one row for each tap
/// Units:    strides in elements; the filter's rows are dense, from channel 0
/// Threads:  re-entrant; writes only the channels that were requested
struct DepthwiseRow {
  const std::byte *const *table = nullptr;
  llvm::ArrayRef<int64_t> runOffsets; ///< at least one
  const std::byte *filter = nullptr;  ///< [taps, inputs, channels]
  std::byte *out = nullptr; ///< of the first channel that was requested of run()
  int64_t outStride = 0;    ///< between positions
};

/// A register block of positions x vectors of channels, compiled and checked.
/// The last block of a row is moved back so that it ends where the row does:
/// positions under two blocks are computed twice, to the same numbers.
class Depthwise {
public:
  /// Why these types have no kernel on this processor, or nullopt.
  static std::optional<Refusal> supports(const DepthwiseProblem &problem,
                                         const Isa &isa);
  /// Errors: Unsupported (see supports); those of Jit::get.
  static llvm::Expected<Depthwise> prepare(const DepthwiseProblem &problem,
                                           Jit &jit,
                                           const DepthwiseChoice &choice = {});

  /// Taps that are adjacent in the table: a divisor of the problem's lineTaps.
  int64_t runTaps() const { return runTaps_; }
  /// Channels that one call of run() computes: never more than there are.
  int64_t blockChannels() const { return blockChannels_; }
  /// Channels [first, first + blockChannels()) of every position.
  void run(const DepthwiseRow &row, int64_t first) const;

private:
  DepthwiseProblem problem_;
  MicroFunction function_ = nullptr;
  int64_t runTaps_ = 1, blockPositions_ = 1, blockChannels_ = 1;
};

} // namespace assay::kernels
