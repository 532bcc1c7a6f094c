/// Splits the positions of a convolution's result over a dilated input into
/// phases. Every f-th position along a dimension meets the input's elements
/// (not the zeros between them) with the same taps of the window. So each phase
/// is a convolution of the undilated input.
#pragma once

#include "assay/geometry/Convolution.h"

#include <vector>

namespace assay::geometry {

/// One spatial dimension. A tap of a phase meets, at position phase + p *
/// outStep of the result, the input's element p * inStep + tap.offset (which
/// may be outside).
struct PhasedAxis {
  struct Tap {
    int64_t index;  ///< index of the tap in the filter's memory
    int64_t offset; ///< offset into the input
  };
  struct Phase {
    int64_t positions = 0;
    std::vector<Tap> taps; ///< offsets ascend by equal steps
  };
  int64_t in = 1, out = 1, kernel = 1;
  int64_t inStep = 1, outStep = 1;
  /// The smallest and largest offset of all taps; 0 if there are none.
  int64_t leastOffset = 0, greatestOffset = 0;
  std::vector<Phase> phases; ///< one for each of outStep phases

  static PhasedAxis of(const Axis &whole);

  /// The number of positions of the first phase, which is the longest.
  int64_t positions() const { return phases.front().positions; }
  /// The number of elements from the first to the last that `count`
  /// neighbouring positions meet.
  int64_t span(int64_t count) const {
    return (count - 1) * inStep + greatestOffset - leastOffset + 1;
  }
};

/// Depth, height and width.
using PhasedAxes = std::array<PhasedAxis, 3>;
/// For at most three dimensions; missing leading ones get one element.
PhasedAxes phasedAxes(const Windows &windows);

} // namespace assay::geometry
