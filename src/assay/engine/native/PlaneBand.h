/// A plane of an image in the layout that kernels of columns read, and copies
/// of rows with a step between elements.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::engine {

/// Rows of elements; pitch (from row to row) and step (within a row) count
/// elements.
template <typename Byte> struct PlaneRows {
  Byte *first;
  int64_t pitch, step = 1;
};

/// Elements of 1, 2 or 4 bytes.
void copyRows(int64_t size, PlaneRows<const std::byte> from,
              PlaneRows<std::byte> to, int64_t rows, int64_t columns);
/// Interleaves rows of even columns and of odd ones to dense rows; elements of
/// 2 or 4 bytes.
void joinRows(int64_t size, PlaneRows<const std::byte> even,
              PlaneRows<const std::byte> odd, PlaneRows<std::byte> to,
              int64_t rows, int64_t columns);

/// The limit of elements of a band: beyond it, its padding or dilation is far
/// greater than the plane, or its planes fit no cache.
inline constexpr double kMostBandElements = 1 << 22;

/// A padded plane: `low` is the padding before the plane's first row and column
/// (negative: the plane begins before the band), `size` the rows and columns.
/// Columns that are `step` apart are adjacent, in stripes.
class PlaneBand {
public:
  PlaneBand() = default;
  PlaneBand(std::array<int64_t, 2> plane, std::array<int64_t, 2> low,
            std::array<int64_t, 2> size, int64_t step);
  const std::array<int64_t, 2> &low() const { return low_; }
  int64_t elements() const { return size_[0] * pitch(); }
  int64_t pitch() const { return stripe_ * step_; } ///< distance from row to
                                                    ///< row
  /// The offset of a row's column, in elements.
  int64_t place(int64_t row, int64_t column) const {
    return row * pitch() + column % step_ * stripe_ + column / step_;
  }
  /// Copies the plane into a band that already has its padding.
  void fill(int64_t size, const std::byte *plane, std::byte *band) const;

private:
  /// The part of a plane in a stripe: its start in both, and its columns, in
  /// elements.
  struct Stripe {
    int64_t plane, band, columns;
  };

  std::array<int64_t, 2> plane_{}, low_{}, size_{};
  int64_t step_ = 1, stripe_ = 0, rows_ = 0; ///< rows of the plane in the band
  std::vector<Stripe> stripes_;
};

} // namespace assay::engine
