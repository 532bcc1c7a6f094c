/// A convolution of an image whose channels are contiguous, divided into
/// phases, the product of each, and how much of the image a piece of work reads.
#pragma once

#include "assay/geometry/Phases.h"
#include "assay/engine/native/ConvAlgorithm.h"
#include "assay/kernels/WindowProduct.h"

namespace assay::engine {

/// One phase in each dimension, and its product.
struct WindowPhase {
  std::array<geometry::PhasedAxis::Phase, 3> axes;
  std::array<int64_t, 3> first{}; ///< its first position
  /// None where no tap meets an element: the result is 0.
  std::optional<kernels::WindowProduct> product;
  std::vector<int64_t> taps; ///< bytes from a window's beginning in a band
  std::vector<int64_t> filterStarts; ///< kernels::WindowFilter::starts
  int64_t packedOffset = 0;          ///< bytes into a group's panels
  int64_t positions() const {
    return axes[0].positions * axes[1].positions * axes[2].positions;
  }
};

/// A piece of the padded input, as the kernels read it: this many planes, rows
/// and columns; channels of each group side by side, filled up.
struct WindowBand {
  int64_t planes = 1, rows = 1, columns = 1;
  int64_t groupElements = 1, pixelBytes = 1; ///< of a group; of all of them
  int64_t rowBytes = 1, planeBytes = 1;      ///< from one to the next
  bool isInPlace = false; ///< it is a part of the image, nothing is copied
  numerics::ElementType element;
  int64_t bytes() const {
    constexpr double kGreat = 1e15; // far padding: nothing that is allocated
    double all = double(planes) * double(rows) * double(columns);
    return all * double(pixelBytes) > kGreat
               ? static_cast<int64_t>(kGreat)
               : planes * rows * columns * pixelBytes;
  }
};

/// Strides count elements.
struct ChannelsLast {
  geometry::Convolution w;
  geometry::PhasedAxes axes;
  std::vector<WindowPhase> phases;
  std::array<int64_t, 3> inStrides{}, outStrides{}, filterTaps{};
  int64_t inBatch = 0, outBatch = 0;
  Layout filter;
  int64_t filterOut = 0, filterIn = 0;
  kernels::TypePair types;
  numerics::ElementType in, sums, out;
  /// Positions of the longest phase that a piece of work computes, and what
  /// they read.
  std::array<int64_t, 3> piece{1, 1, 1};
  int64_t block = 1; ///< positions of a line that no piece parts
  WindowBand band;
  bool together = false;  ///< columns of a row of the window are one tap
  bool dense = false;     ///< whose channels are not filled up
  int64_t groupBytes = 0; ///< of the panels of one group

  /// The result is stored as [batch, depth, height, width, feature].
  bool hasDenseResult() const {
    int64_t next = w.outFeatures;
    for (size_t d = 3; d-- > 0;) {
      if (axes[d].out > 1 && outStrides[d] != next)
        return false;
      next *= axes[d].out;
    }
    return w.batch == 1 || outBatch == next;
  }

  /// Elements from the image's beginning to what the first position of a piece
  /// sees, padding counted.
  int64_t imageStart(int64_t entry,
                     const std::array<int64_t, 3> &position) const {
    int64_t start = entry * inBatch;
    for (size_t d = 0; d < 3; ++d)
      start +=
          (position[d] * axes[d].inStep + axes[d].leastOffset) * inStrides[d];
    return start;
  }

  /// The position of the filter's element (tap, 0, 0).
  int64_t filterStart(int64_t depth, int64_t row, int64_t column) const {
    return filter.offset + depth * filterTaps[0] + row * filterTaps[1] +
           column * filterTaps[2];
  }
};

/// Divides a convolution that these kernels take, and compiles them.
std::variant<ChannelsLast, Refusal> analyse(const ConvRequest &request);

} // namespace assay::engine
