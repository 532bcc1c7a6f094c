/// How the positions of a convolution's result see the elements of a dilated
/// input: in phases. Every f-th position along a dimension meets the input's
/// elements (not the zeros between them) with the same taps of the window, so
/// that each phase is a convolution of the input as it is.
#pragma once

#include "assay/geometry/Convolution.h"

#include <vector>

namespace assay::geometry {

/// One spatial dimension. Position phase + p * outStep of the result sees, with
/// a tap of that phase, the input's element p * inStep + tap.offset (which may
/// be outside).
struct PhasedAxis {
  struct Tap {
    int64_t index;  ///< in the filter's memory
    int64_t offset; ///< into the input
  };
  struct Phase {
    int64_t positions = 0;
    std::vector<Tap> taps; ///< offsets ascend by equal steps
  };
  int64_t in = 1, out = 1, kernel = 1;
  int64_t inStep = 1, outStep = 1;
  /// The extremes over all taps; 0 if there are none.
  int64_t leastOffset = 0, greatestOffset = 0;
  std::vector<Phase> phases; ///< outStep of them

  static PhasedAxis of(const Axis &whole);

  /// Positions of the longest phase, the first.
  int64_t positions() const { return phases.front().positions; }
  /// Elements that this many positions in a row see, those between them
  /// included.
  int64_t span(int64_t count) const {
    return (count - 1) * inStep + greatestOffset - leastOffset + 1;
  }
};

/// Depth, height and width.
using PhasedAxes = std::array<PhasedAxis, 3>;
/// At most three dimensions, the missing ones of one element in front.
PhasedAxes phasedAxes(const Windows &windows);

} // namespace assay::geometry
