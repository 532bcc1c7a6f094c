/// What one tensor's values look like: the numbers of `assay summary`.
#pragma once

#include "assay/tensor/Hdf5Reader.h"

#include <array>

namespace assay::trace {

/// Percentiles that a summary shows.
inline constexpr std::array<double, 5> kPercents = {1, 5, 50, 95, 99};

/// Statistics of the finite values (complex: of their magnitudes; booleans: of
/// 0 and 1). Formula:  mean = sum x / n, std = sqrt(sum (x - mean)^2 / n), norm
/// = sqrt(sum x^2), all sums in f64, blocks merged
///           as Chan, Golub and LeVeque (1983) do; percentile p = the value of
///           rank ceil(p/100 * n), exact up to 2^22 elements, above that over
///           an even sample of that size (`sampled`)
struct TensorStatistics {
  int64_t count = 0; ///< elements
  int64_t nan = 0, positiveInfinity = 0, negativeInfinity = 0, zero = 0,
          subnormal = 0;
  int64_t finite = 0;
  double min = 0, max = 0, mean = 0, std = 0, norm = 0;
  int64_t exactMin = 0,
          exactMax = 0; ///< of signed and unsigned integers (bits of a uint64)
  std::array<double, kPercents.size()> percentiles{};
  bool sampled = false;
  std::string hash; ///< XXH3-128 of the bytes
};

/// Reads the dataset window by window, so memory stays bounded. Threads:
/// re-entrant.
llvm::Expected<TensorStatistics>
statisticsOf(const tensor::Hdf5Reader &file,
             const tensor::Hdf5Dataset &dataset);

/// The same on elements in memory (dense, native).
TensorStatistics statisticsOf(const tensor::Tensor &tensor);

/// Minimum and maximum as text: integers exactly, floats with `digits`
/// significant digits; empty without finite values.
std::string minText(const TensorStatistics &statistics,
                    tensor::ElementType type, int digits);
std::string maxText(const TensorStatistics &statistics,
                    tensor::ElementType type, int digits);

} // namespace assay::trace
