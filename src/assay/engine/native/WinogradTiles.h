/// A convolution of windows of 3 x 3 decomposed into Winograd's tiles: their size, the
/// product of their points, and how many a piece of work takes.
#pragma once

#include "assay/engine/native/ConvAlgorithm.h"
#include "assay/kernels/Winograd.h"
#include "assay/kernels/WindowProduct.h"

#include <array>

namespace assay::engine {

/// Image and result are stored as [entry, row, column, channel], dense.
struct WinogradTiles {
  kernels::WinogradTile tile;
  geometry::Convolution w; ///< of two dimensions
  int64_t filterStart = 0;                   ///< elements
  tensor::Shape filterStrides; ///< of [row, column, channel, out channel]
  int64_t tileRows = 1, tileColumns = 1;   ///< of an entry
  int64_t pieceRows = 1, pieceColumns = 1; ///< tiles of a piece of work
  /// Panels of the products: [panel of out channels][point].
  std::optional<kernels::WindowProduct> product;
  /// There are enough results to be worth the transform of a filter that is new at each run.
  bool takesNewFilters = false;

  tensor::Shape filterShape() const { return {3, 3, w.features, w.outFeatures}; }
  int64_t allRows() const { return w.batch * tileRows; }
  int64_t pieceTiles() const { return pieceRows * pieceColumns; }
  int64_t panels() const { return product->panels() / tile.points(); }
  /// Distances from one tile to the next: of its channels (tiles a multiple of 1 KiB
  /// apart share lines of the first-level cache), and of a panel's sums.
  int64_t rowElements() const { return w.features + (w.features % 256 ? 0 : 16); }
  int64_t sumElements() const {
    return tile.points() * product->panelColumns() + 16;
  }
  int64_t pointBytes() const { return tile.points() * w.features * 4; } ///< of a tile
  /// The memory of a piece: points, sums, and a place for results that are not needed.
  int64_t workBytes() const {
    return 4 * (pieceTiles() * (tile.points() * rowElements() + sumElements()) +
                product->panelColumns());
  }
  /// Products of magnitudes in image and filter below this overflow nowhere: a point is
  /// at most 100 pixels, its filter one element, a result 300 sums.
  double mostProduct() const { return 0x1p127 / (3e4 * 36 * double(w.features)); }
};

/// Why the operation has no tiles: another window, type or layout, or NumericOptions that do not
/// allow them.
std::optional<Refusal> refusalOfWinograd(const ConvRequest &request);
/// What the better size of tiles costs; 0 where NumericOptions ask for them.
double costOfWinograd(const ConvRequest &request);
/// The tiles of that size, their product compiled. Errors: those of the product.
llvm::Expected<WinogradTiles> winogradTiles(const ConvRequest &request);

} // namespace assay::engine
