/// Windows that see the elements of one dimension up to their own, or from it on:
/// running sums and the like, computed in one pass along that dimension.
#pragma once

#include "assay/geometry/Convolution.h"

#include <optional>

namespace assay::geometry {

struct Scan {
  int64_t length = 1; ///< of the dimension
  int64_t inner = 1;  ///< elements between two neighbours in it
  bool isReversed = false; ///< from the last element on

  /// Nullopt: the windows are others.
  static std::optional<Scan> of(const Windows &windows);
  /// The element, counted row-major, that a line meets in a step.
  int64_t elementAt(int64_t line, int64_t step) const {
    int64_t place = isReversed ? length - 1 - step : step;
    return (line / inner * length + place) * inner + line % inner;
  }
};

} // namespace assay::geometry
