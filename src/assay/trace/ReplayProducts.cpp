// The inner products of replayed Linear modules: a file of its own, since it is
// the one hot loop of a replay and compiled with -O3. Sixteen fixed lanes keep
// the bits the same on every processor.
#include "assay/trace/ReplayProducts.h"
#include "assay/support/TargetClones.h"

#include <cstdint>

namespace assay::trace {

ASSAY_CLONES
void innerProducts(const double *x, int64_t rows, int64_t width,
                   const double *w, double *products) {
  constexpr int64_t kLanes = 16;
  for (int64_t r = 0; r < rows; ++r) {
    const double *row = x + r * width;
    double lanes[kLanes] = {};
    int64_t k = 0;
    for (; k + kLanes <= width; k += kLanes)
      for (int64_t l = 0; l < kLanes; ++l)
        lanes[l] += row[k + l] * w[k + l];
    double sum = 0;
    for (; k < width; ++k)
      sum += row[k] * w[k];
    for (double lane : lanes)
      sum += lane;
    products[r] = sum;
  }
}

} // namespace assay::trace
