// Position o and the window's tap q meet at element o * stride + q * dilation -
// low of the dilated input: an element of the input where that is a multiple of
// its dilation d. With g = gcd(stride, d) this depends on o mod d / g only.
#include "assay/engine/native/Phases.h"

#include "assay/support/Math.h"

#include <algorithm>
#include <numeric>

namespace assay::engine {

static int64_t floorDiv(int64_t a, int64_t b) {
  return a >= 0 ? a / b : -ceilDiv(-a, b);
}

PhasedAxis PhasedAxis::of(const reference::ConvolutionWindows &w, size_t d) {
  PhasedAxis axis;
  axis.in = w.in[d], axis.out = w.out[d], axis.kernel = w.kernel[d];
  int64_t spread = w.lhsDilation[d], stride = w.strides[d],
          common = std::gcd(stride, spread);
  axis.inStep = stride / common;
  axis.outStep = spread / common;
  bool any = false;
  for (int64_t r = 0; r < axis.outStep; ++r) {
    Phase &phase = axis.phases.emplace_back();
    phase.positions = std::max<int64_t>(
        0, ceilDiv(std::max<int64_t>(0, axis.out - r), axis.outStep));
    for (int64_t q = 0; q < axis.kernel; ++q) {
      int64_t x = r * stride + q * w.rhsDilation[d] - w.low[d],
              offset = floorDiv(x, spread);
      if (offset * spread != x)
        continue;
      phase.taps.push_back({w.reversal[d] ? axis.kernel - 1 - q : q, offset});
      axis.leastOffset = any ? std::min(axis.leastOffset, offset) : offset;
      axis.greatestOffset =
          any ? std::max(axis.greatestOffset, offset) : offset;
      any = true;
    }
  }
  return axis;
}

PhasedAxis PhasedAxis::single() {
  PhasedAxis axis;
  axis.phases.push_back({1, {{0, 0}}});
  return axis;
}

PhasedAxes phasedAxes(const reference::ConvolutionWindows &w) {
  PhasedAxes axes{PhasedAxis::single(), PhasedAxis::single(),
                  PhasedAxis::single()};
  for (size_t d = 0; d < w.in.size(); ++d)
    axes[3 - w.in.size() + d] = PhasedAxis::of(w, d);
  return axes;
}

} // namespace assay::engine
