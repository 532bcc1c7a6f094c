/// Integer arithmetic for sizes, tiles and blocks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace assay {

/// The least integer >= a / b; a >= 0, b > 0.
constexpr int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
/// The least multiple of b that is >= a.
constexpr int64_t roundUp(int64_t a, int64_t b) { return ceilDiv(a, b) * b; }
/// The product of a range of numbers; 1 for none.
template <typename Range> constexpr int64_t product(const Range &numbers) {
  int64_t result = 1;
  for (int64_t number : numbers)
    result *= number;
  return result;
}
/// ceilDiv in f64, in which cost models and features are computed; b below 1
/// counts as 1.
inline double ceilRatio(double a, double b) {
  return std::ceil(a / std::max(b, 1.0));
}

} // namespace assay
