// A running reduction as JAX writes it (jnp.cumsum): a window as long as the
// dimension, with padding on one side for all but one of its elements.
#include "assay/geometry/Scan.h"

namespace assay::geometry {

std::optional<Scan> Scan::of(const Windows &windows) {
  Scan scan;
  for (const Axis &axis : windows.axes) {
    if (axis.isPointwise()) {
      scan.inner *= axis.in;
      continue;
    }
    bool isWhole = axis.kernel == axis.in && axis.out == axis.in &&
                   axis.stride == 1 && axis.dilation == 1 &&
                   axis.baseDilation == 1 && !axis.reversed;
    if (!isWhole || scan.length > 1 ||
        (axis.low != 0 && axis.low != axis.in - 1))
      return std::nullopt;
    scan = {axis.in, 1, axis.low == 0};
  }
  if (scan.length < 2)
    return std::nullopt;
  return scan;
}

} // namespace assay::geometry
