/// Sums over the taps of a window, for each channel separately or in small
/// groups, for images whose channels are contiguous: the parts of a depthwise
/// convolution (and of the gradient of its filter). The caller gives the places
/// of the taps in a table of addresses, so that one code serves any stride,
/// dilation and padding.
#pragma once

#include "assay/kernels/jit/Jit.h"

namespace assay::kernels {

/// Groups of several channels are computed here too, up to these sizes. With
/// more inputs the image would be copied too often; with more outputs a product
/// fills its vectors.
inline constexpr int64_t kMostThinInputs = 2, kMostThinOutputs = 15;
/// Whether a group has as many outputs as inputs and fits half of a vector:
/// nothing is copied then, and a product would leave the other half empty.
inline bool areSpread(int64_t inputs, int64_t outputs, int64_t lanes) {
  return inputs == outputs && inputs > 1 && lanes % (2 * inputs) == 0;
}

/// The type of the filter and the sums: f32 even for bytes.
inline DataType depthwiseSums(DataType input) {
  DataType sums = accumulatorOf(input);
  return sums == DataType::S32 ? DataType::F32 : sums;
}

/// The properties by which a kernel is chosen.
struct DepthwiseProblem {
  DataType input = DataType::F32; ///< filter and sums: depthwiseSums(input)
  int64_t channels = 1;
  int64_t positions = 1;  ///< in a row
  int64_t columnStep = 1; ///< entries of the table from one position to the
                          ///< next
  /// The taps in a line of the window, the entries from one tap to the next,
  /// and the number of lines.
  int64_t lineTaps = 1, tapStep = 1, lines = 1;
  /// The channels of a group, all of which each of its sums runs over; 1: each
  /// channel separately. `only`: the one input of each group that its channels
  /// are multiplied with, or -1.
  int64_t inputs = 1, only = -1;
  /// The type of the result if it is not that of the sums: the type that they
  /// are rounded to (bf16, f16; for bytes s32).
  std::optional<DataType> output = std::nullopt;
  DataType outputType() const { return output.value_or(depthwiseSums(input)); }
  /// The number of products per tap.
  int64_t summed() const { return only < 0 ? inputs : 1; }
};

/// A register block that differs from the rule's; 0: as the rule chooses.
struct DepthwiseChoice {
  int vectors = 0, positions = 0; ///< of channels; at most this many, divided
                                  ///< evenly
};

/// One row of positions.
/// Formula:  out[p, c] = round(sum_t,i image(t, p)[c - c % inputs + i] *
///           filter[t * inputs + i, c])   (t ascending)
///           where image(t, p) is the address at byte
///           runOffsets[t / run] + 8 * (tapStep * (t % run) + columnStep * p) of
///           `table`, and run is the kernel's runTaps(); with `only`, i has
///           that value and the filter has one row for each tap
/// Units:    strides in elements; the filter's rows are dense, from channel 0
/// Threads:  re-entrant; writes only the requested channels
struct DepthwiseRow {
  const std::byte *const *table = nullptr;
  llvm::ArrayRef<int64_t> runOffsets; ///< at least one
  const std::byte *filter = nullptr;  ///< [taps, inputs, channels]
  std::byte *out = nullptr; ///< address of the first requested channel
  int64_t outStride = 0;    ///< between positions
};

/// A register block of positions x vectors of channels, compiled and checked.
/// The last block of a row is moved back so that it ends at the end of the row:
/// positions in two blocks are computed twice, with the same results.
class Depthwise {
public:
  /// Why these types have no kernel on this processor, or nullopt.
  static std::optional<Refusal> supports(const DepthwiseProblem &problem,
                                         const Isa &isa);
  /// Errors: Unsupported (see supports); those of Jit::get.
  static llvm::Expected<Depthwise> prepare(const DepthwiseProblem &problem,
                                           Jit &jit,
                                           const DepthwiseChoice &choice = {});

  /// The number of taps that are adjacent in the table: a divisor of the
  /// problem's lineTaps.
  int64_t runTaps() const { return runTaps_; }
  /// The number of channels that one call of run() computes, at most all of
  /// them.
  int64_t blockChannels() const { return blockChannels_; }
  /// Computes channels [first, first + blockChannels()) at every position.
  void run(const DepthwiseRow &row, int64_t first) const;

private:
  DepthwiseProblem problem_;
  MicroFunction function_ = nullptr;
  int64_t runTaps_ = 1, blockPositions_ = 1, blockChannels_ = 1;
};

} // namespace assay::kernels
