/// Statistics of one tensor's values: the numbers of `assay summary`.
#pragma once

#include "assay/formats/Hdf5Reader.h"
#include "assay/numerics/Statistics.h"

#include <array>

namespace assay::trace {

/// Percentiles that a summary shows.
inline constexpr std::array<double, 5> kPercents = {1, 5, 50, 95, 99};

/// The moments and counts of numerics/Statistics.h, percentiles and the hash.
/// Formula:  percentile p = the value of rank ceil(p/100 * n) of the finite
///           ones; exact for types of up to 16 bits, for wider ones up to 2^22
///           elements and above that over an even sample of that size
///           (`sampled`)
struct TensorFigures {
  numerics::TensorStatistics values{numerics::ElementType()};
  std::array<double, kPercents.size()> percentiles{};
  bool sampled = false;
  std::string hash; ///< XXH3-128 of the bytes
};

/// Reads the dataset window by window, so memory stays bounded. Threads:
/// re-entrant.
llvm::Expected<TensorFigures> figuresOf(const formats::Hdf5Reader &file,
                                        const formats::Hdf5Dataset &dataset);

/// The same on elements in memory (dense, native).
TensorFigures figuresOf(const tensor::Tensor &tensor);

/// Minimum and maximum as text: integers exactly, floats with `digits`
/// significant digits; empty without finite values.
std::string minText(const TensorFigures &figures, int digits);
std::string maxText(const TensorFigures &figures, int digits);

} // namespace assay::trace
