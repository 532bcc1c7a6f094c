/// A convolution as the choice of its kernel sees it: direction, sizes,
/// window. Channels are contiguous in image and result (NHWC), channels come
/// last in the filter (HWIO). Plain data; nothing here knows how it is computed.
#pragma once

#include "assay/kernels/Problem.h"

#include <array>
#include <map>

namespace assay::kernels {

/// Which of its three tensors is computed from the other two.
enum class ConvDirection : uint8_t { Forward, BackwardData, BackwardWeights };
/// "conv_fwd" "conv_bwd_data" "conv_bwd_weight": the words of --op.
const char *toString(ConvDirection direction);
std::optional<ConvDirection> parseConvDirection(llvm::StringRef text);

/// Sizes are those of the forward convolution, whatever is computed. Sides are
/// depth, height, width; missing ones are 1.
/// Formula:  out[n, p, o] = sum over taps t, channels c of the group of
///           image[n, p * stride + t * dilation - low, c] * filter[t, c, o]
struct ConvProblem {
  using Sides = std::array<int64_t, 3>;
  ConvDirection direction = ConvDirection::Forward;
  DataType type = DataType::F32; ///< of all three tensors
  int64_t batch = 1, channels = 1, outChannels = 1, groups = 1;
  Sides image{1, 1, 1}, filter{1, 1, 1}, result{1, 1, 1}, stride{1, 1, 1},
      dilation{1, 1, 1}, low{0, 0, 0}; ///< low: padding before the image
  int threads = 1;

  friend bool operator==(const ConvProblem &, const ConvProblem &) = default;

  static int64_t count(const Sides &sides) {
    return sides[0] * sides[1] * sides[2];
  }
  int64_t taps() const { return count(filter); }
  int64_t positions() const { return count(result); }
  int64_t groupIn() const { return channels / groups; }
  int64_t groupOut() const { return outChannels / groups; }
  /// Each position sees only the image's pixel at its own place.
  bool isPointwise() const;
  double flops() const;
  /// Bytes of image, filter and result, each counted once.
  double bytes() const;
  uint64_t hash() const;
  /// "mb2ic64ih56oc64oh56kh3ph1": parseConvProblem reads it. Width and depth are
  /// named where they are not the height's.
  std::string words() const;
};

/// "conv_fwd f32 nhwc mb2ic64ih56oc64oh56kh3ph1 t1".
std::string toString(const ConvProblem &problem);

/// A descriptor's words with their numbers.
struct ConvWords {
  /// The sizes along one dimension; width and depth are the height's unless they are named.
  struct Side {
    int64_t image, filter, stride, pad, dilation;
  };
  std::map<std::string, int64_t> numbers;

  bool names(const std::string &word) const { return numbers.count(word) > 0; }
  int64_t of(const std::string &word, int64_t otherwise) const {
    auto found = numbers.find(word);
    return found == numbers.end() ? otherwise : found->second;
  }
  /// Depth, height or width: 0 to 2.
  Side side(size_t number) const;
};

/// The words of a descriptor such as "mb2ic64ih56oc64kh3ph1", as benchdnn writes
/// them: g mb ic id ih iw oc od oh ow kd kh kw sd sh sw pd ph pw dd dh dw, each
/// with a number. Errors: InvalidArgument
llvm::Expected<ConvWords> parseConvWords(llvm::StringRef text);

/// A problem from such a descriptor: width and depth are the height's unless
/// they are named, what is left out is one (two images), the result's sizes
/// follow from the rest; where they are named, the padding after the image is
/// what they say. A command line of MIOpen's driver ("conv -n 2 -c 64 -H 56 ...",
/// with the name of the driver or without) is read as well; its -F, where it is
/// one direction, is not: `direction` says it.
/// Errors: InvalidArgument (an unknown word, sizes that do not fit)
llvm::Expected<ConvProblem> parseConvProblem(llvm::StringRef text,
                                             ConvDirection direction,
                                             DataType type = DataType::F32,
                                             int threads = 1);

/// Refuses sizes below 1 and sizes that do not fit, or whose product overflows.
/// Errors: InvalidArgument
std::optional<Refusal> validate(const ConvProblem &problem);

} // namespace assay::kernels
