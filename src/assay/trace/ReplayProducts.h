/// Private to Replay.
#pragma once

#include <cstdint>

namespace assay::trace {

/// Formula: products[r] = sum_k x[r, k] * w[k]; f64, sixteen partial sums.
/// Shapes:  x [rows, width] row-major, w [width], products [rows]
void innerProducts(const double *x, int64_t rows, int64_t width,
                   const double *w, double *products);

} // namespace assay::trace
