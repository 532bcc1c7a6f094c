/// A convolution with the properties that the choice of its kernel needs:
/// direction, sizes, window. Channels are contiguous in image and result
/// (NHWC), and last in the filter (HWIO). Plain data that says nothing about
/// how the convolution is computed.
#pragma once

#include "assay/kernels/Problem.h"

#include <array>
#include <map>

namespace assay::kernels {

/// The tensor that is computed from the other two.
enum class ConvDirection : uint8_t { Forward, BackwardData, BackwardWeights };
/// "conv_fwd" "conv_bwd_data" "conv_bwd_weight": the values of --op.
const char *toString(ConvDirection direction);
std::optional<ConvDirection> parseConvDirection(llvm::StringRef text);

/// Sizes are always those of the forward convolution. The order of sides is
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
  /// Whether each position reads only the image's pixel at the same place.
  bool isPointwise() const;
  double flops() const;
  /// Bytes of image, filter and result, each counted once.
  double bytes() const;
  uint64_t hash() const;
  /// "mb2ic64ih56oc64oh56kh3ph1", as parseConvProblem reads it. Width and depth
  /// are named where they differ from the height.
  std::string words() const;
};

/// "conv_fwd f32 nhwc mb2ic64ih56oc64oh56kh3ph1 t1".
std::string toString(const ConvProblem &problem);

/// A descriptor's words with their numbers.
struct ConvWords {
  /// The sizes along one dimension; width and depth are those of the height
  /// unless they are named.
  struct Side {
    int64_t image, filter, stride, pad, dilation;
  };
  std::map<std::string, int64_t> numbers;

  bool names(const std::string &word) const { return numbers.count(word) > 0; }
  int64_t of(const std::string &word, int64_t otherwise) const {
    auto found = numbers.find(word);
    return found == numbers.end() ? otherwise : found->second;
  }
  /// The side with that number; 0 to 2: depth, height, width.
  Side side(size_t number) const;
};

/// Parses the words of a descriptor such as "mb2ic64ih56oc64kh3ph1", as
/// benchdnn writes them: g mb ic id ih iw oc od oh ow kd kh kw sd sh sw pd ph
/// pw dd dh dw, each with a number. Errors: InvalidArgument
llvm::Expected<ConvWords> parseConvWords(llvm::StringRef text);

/// Parses a problem from such a descriptor. Width and depth are those of the
/// height unless they are named; other missing sizes are one (two images). The
/// result's sizes follow from the rest; if they are named, they determine the
/// padding after the image. A command line of MIOpen's driver ("conv -n 2 -c 64
/// -H 56 ...", with or without the name of the driver) is also accepted, but
/// the value of its -F is not used: `direction` has that role.
/// Errors: InvalidArgument (an unknown word, sizes that do not fit)
llvm::Expected<ConvProblem> parseConvProblem(llvm::StringRef text,
                                             ConvDirection direction,
                                             DataType type = DataType::F32,
                                             int threads = 1);

/// Refuses sizes below 1, sizes that do not fit together, and sizes whose
/// product overflows. Errors: InvalidArgument
std::optional<Refusal> validate(const ConvProblem &problem);

} // namespace assay::kernels
