/// Converts windows of a plane to a matrix, and back, so that a convolution
/// becomes a matrix product.
#pragma once

#include "assay/kernels/Problem.h"

#include <array>

namespace assay::engine {

/// Two grids over a plane of up to three dimensions. Row r and column c of the
/// matrix stand for the plane's element
///   x[d] = r[d] * rowStep[d] + c[d] * columnStep[d] - low[d]
/// which is 0 outside of the image. Rows and columns are counted row-major.
struct UnfoldGrid {
  using Sizes = std::array<int64_t, 3>;
  Sizes plane{1, 1, 1}, rows{1, 1, 1}, columns{1, 1, 1};
  Sizes rowStep{1, 1, 1}, columnStep{1, 1, 1}, low{0, 0, 0};

  static int64_t count(const Sizes &sizes) {
    return sizes[0] * sizes[1] * sizes[2];
  }
  int64_t rowCount() const { return count(rows); }
  /// The number of lines of columns, into which unfold() and fold() can be
  /// divided.
  int64_t lines() const { return columns[0] * columns[1]; }
  /// Whether there is one row, which is the plane itself.
  bool isPlane() const;
};

/// Writes the columns of lines [firstLine, lastLine) of every row, dense.
/// Units: `width` is the bytes of an element. Threads: re-entrant.
void unfold(const UnfoldGrid &grid, int64_t width, const void *plane,
            int64_t firstLine, int64_t lastLine, void *matrix);

/// Adds all rows of the matrix to the plane's elements that they stand for.
/// Types: f32, f64, s32 (which wraps). Threads: re-entrant.
void fold(const UnfoldGrid &grid, kernels::DataType type, const void *matrix,
          void *plane);

} // namespace assay::engine
