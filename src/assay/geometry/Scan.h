/// Windows that see the elements of one dimension up to their own, or from
/// their own on: running sums and other reductions, computed in one pass along
/// that dimension.
#pragma once

#include "assay/geometry/Convolution.h"

#include <optional>

namespace assay::geometry {

struct Scan {
  int64_t length = 1; ///< size of the dimension
  int64_t inner = 1;  ///< distance of neighbours along it, in elements
  bool isReversed = false; ///< runs from the last element to the first

  /// Nullopt where the windows are not a running reduction.
  static std::optional<Scan> of(const Windows &windows);
  /// The element, counted row-major, that a line meets in a step.
  int64_t elementAt(int64_t line, int64_t step) const {
    int64_t place = isReversed ? length - 1 - step : step;
    return (line / inner * length + place) * inner + line % inner;
  }
};

} // namespace assay::geometry
