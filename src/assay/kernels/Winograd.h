/// The transforms of Winograd's convolution with windows of 3 x 3: a tile of
/// m x m results needs (m + 2)^2 products per pair of channels instead of 9 m^2.
/// Formula:  Y = A' [ (G g G') * (B' d B) ] A,  * element by element, summed over channels
/// Source:   S. Winograd, "Arithmetic Complexity of Computations", 1980, ch. V; points 0, 1,
///           -1 and infinity for m = 2, also 2 and -2 for m = 4 (A. Lavin and S. Gray, "Fast
///           Algorithms for Convolutional Neural Networks", CVPR 2016)
/// Rounding errors grow with the tile: a result's bound counts all products of
/// its tile, not only those of its window.
#pragma once

#include <cstdint>

namespace assay::kernels {

/// The results per side of a tile: 2 or 4.
struct WinogradTile {
  int64_t results = 2;
  int64_t side() const { return results + 2; } ///< of the image's part for a
                                               ///< tile
  int64_t points() const { return side() * side(); }
};

/// Transforms the pixels of one tile, given by their addresses, row by row,
/// with `channels` channels each. Point p of channel c is written to out[p *
/// pointStride + c]. Threads, here and below: re-entrant.
void winogradImage(WinogradTile tile, const float *const *pixels,
                   int64_t channels, float *out, int64_t pointStride);

/// Transforms one input channel's taps, row by row, `tapStride` elements apart,
/// with `columns` output channels each. Point p of column j is written to out[p
/// * pointStride + j].
void winogradFilter(WinogradTile tile, const float *taps, int64_t tapStride,
                    int64_t columns, float *out, int64_t pointStride);

/// Transforms the sums of one tile's points to results: results[r][j] for
/// `columns` columns j.
void winogradResult(WinogradTile tile, const float *sums, int64_t pointStride,
                    int64_t columns, float *const *results);

/// The greatest magnitude of `count` numbers; infinity if one is not finite, 0
/// if there are none.
float largestMagnitude(const float *numbers, int64_t count);

} // namespace assay::kernels
