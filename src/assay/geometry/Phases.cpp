// Tap q of the window at position o meets place o * stride + q * dilation - low
// of the dilated input. That is an element of the input if it is a multiple of
// the input's dilation d. With g = gcd(stride, d), this depends only on o mod d
// / g.
#include "assay/geometry/Phases.h"

#include "assay/support/Math.h"

#include <numeric>

namespace assay::geometry {

static int64_t floorDiv(int64_t a, int64_t b) {
  return a >= 0 ? a / b : -ceilDiv(-a, b);
}

PhasedAxis PhasedAxis::of(const Axis &whole) {
  PhasedAxis axis;
  axis.in = whole.in, axis.out = whole.out, axis.kernel = whole.kernel;
  int64_t spread = whole.baseDilation,
          common = std::gcd(whole.stride, spread);
  axis.inStep = whole.stride / common;
  axis.outStep = spread / common;
  bool any = false;
  for (int64_t r = 0; r < axis.outStep; ++r) {
    Phase &phase = axis.phases.emplace_back();
    phase.positions = ceilDiv(std::max<int64_t>(0, axis.out - r), axis.outStep);
    for (int64_t q = 0; q < axis.kernel; ++q) {
      int64_t x = r * whole.stride + q * whole.dilation - whole.low,
              offset = floorDiv(x, spread);
      if (offset * spread != x)
        continue;
      phase.taps.push_back({whole.entry(q), offset});
      axis.leastOffset = any ? std::min(axis.leastOffset, offset) : offset;
      axis.greatestOffset =
          any ? std::max(axis.greatestOffset, offset) : offset;
      any = true;
    }
  }
  return axis;
}

PhasedAxes phasedAxes(const Windows &windows) {
  Axes3 axes = windows.three();
  return {PhasedAxis::of(axes[0]), PhasedAxis::of(axes[1]),
          PhasedAxis::of(axes[2])};
}

} // namespace assay::geometry
