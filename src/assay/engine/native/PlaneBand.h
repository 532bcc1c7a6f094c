/// A plane of an image as kernels of columns read it, and rows of elements copied a step
/// apart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::engine {

/// Rows of elements; pitch (from row to row) and step (in a row) count elements.
template <typename Byte> struct PlaneRows {
  Byte *first;
  int64_t pitch, step = 1;
};

/// Elements of 1, 2 or 4 bytes.
void copyRows(int64_t size, PlaneRows<const std::byte> from,
              PlaneRows<std::byte> to, int64_t rows, int64_t columns);
/// Rows of even columns and of odd ones to rows of both, dense; elements of 2 or 4 bytes.
void joinRows(int64_t size, PlaneRows<const std::byte> even,
              PlaneRows<const std::byte> odd, PlaneRows<std::byte> to,
              int64_t rows, int64_t columns);

/// A band with more elements is not used: its padding or dilation would be far greater than the plane,
/// or its planes would fit no cache.
inline constexpr double kMostBandElements = 1 << 22;

/// A plane, padded: `low` before the plane's first row and column (negative: the plane
/// begins before the band), `size` rows and columns. Columns `step` apart are adjacent,
/// in stripes.
class PlaneBand {
public:
  PlaneBand() = default;
  PlaneBand(std::array<int64_t, 2> plane, std::array<int64_t, 2> low,
            std::array<int64_t, 2> size, int64_t step);
  const std::array<int64_t, 2> &low() const { return low_; }
  int64_t elements() const { return size_[0] * pitch(); }
  int64_t pitch() const { return stripe_ * step_; } ///< from row to row
  /// The offset of a row's column, in elements.
  int64_t place(int64_t row, int64_t column) const {
    return row * pitch() + column % step_ * stripe_ + column / step_;
  }
  /// The plane into a band whose padding is there already.
  void fill(int64_t size, const std::byte *plane, std::byte *band) const;

private:
  /// What a stripe holds of a plane: where that begins in both; elements.
  struct Stripe {
    int64_t plane, band, columns;
  };

  std::array<int64_t, 2> plane_{}, low_{}, size_{};
  int64_t step_ = 1, stripe_ = 0, rows_ = 0; ///< rows of the plane in the band
  std::vector<Stripe> stripes_;
};

} // namespace assay::engine
