/// One pass over one tensor that computes the numbers of `summary`. Parts may
/// be accumulated separately and merged in index order; the bits do not depend
/// on threads or processor.
///
/// Finite elements only (complex: their moduli); the others are counted by class.
///   mean, std  from block means (Chan, Golub, LeVeque 1979); population std
///   norm       sqrt(sum x^2)
///   quantile   from a histogram over the upper 16 bits of x as f32: exact for
///              types of up to 16 bits, else within 2^-7 of the value, the same
///              in every run. |x| above f32's largest counts as that value.
/// The standard deviation is sqrt(M2 / n), which does not cancel.
#pragma once

#include "assay/numerics/PairAccumulator.h"

#include <vector>

namespace assay::numerics {

/// An extreme element: flat index (-1: none), value, and the element's bytes
/// (exact where f64 is not).
struct ExtremeElement {
  int64_t index = -1;
  double value = 0;
  std::array<std::byte, 16> element{};
};

class TensorStatistics {
public:
  explicit TensorStatistics(ElementType type) : type_(type) {}

  /// Adds n elements; firstIndex is the flat index of the first.
  void accumulate(const void *data, int64_t n, int64_t firstIndex);
  /// Adds the statistics of elements of the same type at higher indices.
  void merge(const TensorStatistics &later);

  ElementType type() const { return type_; }
  int64_t count() const { return count_; }
  int64_t finite() const { return finite_; }
  int64_t nan() const { return nan_; }
  int64_t plusInf() const { return plusInf_; }
  int64_t minusInf() const { return minusInf_; }
  int64_t zeros() const { return zeros_; } ///< of either sign
  int64_t subnormals() const {
    return subnormals_;
  } ///< in the tensor's own format; 0 for other kinds
  const ExtremeElement &smallest() const { return smallest_; }
  const ExtremeElement &largest() const { return largest_; }
  double mean() const {
    return mean_;
  } ///< NaN when no element is finite; so are all below
  double standardDeviation() const; ///< of the population
  double norm() const;
  double rms() const;
  /// The smallest histogram value that is >= at least a share q of the finite
  /// elements; q in [0, 1]. 0 and 1 return the exact extremes.
  double quantile(double q) const;
  /// Frees the data that only quantile() needs (512 KB for all but small
  /// tensors). Do not call quantile() afterwards.
  void dropQuantiles();

private:
  struct Block;
  void addBlock(const std::byte *data, int n, int64_t firstIndex);
  int removeNonFinite(Block &block, int n);
  void addExtremes(const Block &block, int n, int64_t firstIndex);
  void countBins(const int32_t *bins, size_t n);
  void makeHistogram();

  ElementType type_;
  int64_t count_ = 0, finite_ = 0, nan_ = 0, plusInf_ = 0, minusInf_ = 0,
          zeros_ = 0, subnormals_ = 0;
  ExtremeElement smallest_, largest_;
  double mean_ = std::numeric_limits<double>::quiet_NaN();
  CompensatedSum deviations_, squares_; // sum (x - mean)^2, sum x^2
  // Counted by the upper half of the f32. A small tensor keeps a list of bins,
  // because a histogram would take longer to clear than to fill.
  std::vector<int32_t> few_;
  std::vector<int64_t> histogram_; // empty while the list suffices
};

/// The statistics of the whole tensor, in chunks of fixed size spread over the
/// pool; without a pool, on the calling thread.
TensorStatistics statisticsOf(ElementType type, const void *data, int64_t n,
                              ThreadPool *pool = nullptr);

} // namespace assay::numerics
