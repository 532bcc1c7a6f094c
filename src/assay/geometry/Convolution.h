/// Windows in several dimensions, and the convolution that multiplies them with a filter: sizes and positions, no
/// data. Shared by reference, judge, verify, kernels and engines.
#pragma once

#include "assay/geometry/Axis.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <cstddef>

namespace assay::geometry {

using Sizes = llvm::SmallVector<int64_t, 6>;
/// Depth, height and width.
using Axes3 = std::array<Axis, 3>;

/// Dimensions that windows slide over, the outermost first.
struct Windows {
  llvm::SmallVector<Axis, 4> axes;

  Sizes sizes(int64_t Axis::*of) const;
  int64_t count(int64_t Axis::*of) const;
  int64_t inPositions() const { return count(&Axis::in); }
  int64_t positions() const { return count(&Axis::out); }
  int64_t taps() const { return count(&Axis::kernel); }
  /// Whether there are zeros between the input's elements.
  bool hasDilatedInput() const;
  bool isReversed() const; ///< in some dimension
  /// Whether each position sees only the input's element at the same position.
  bool isPointwise() const;
  bool all(int64_t Axis::*of, int64_t value) const; ///< in every axis
  /// The last dimensions are height and width; missing ones get one element. For at most three dimensions.
  Axes3 three() const;

  /// Advances a tap's index in row-major order; false after the last. `rank`: only that many leading dimensions.
  bool nextTap(llvm::MutableArrayRef<int64_t> tap, size_t rank) const;
  bool nextTap(llvm::MutableArrayRef<int64_t> tap) const {
    return nextTap(tap, axes.size());
  }
  /// The index of window (&Axis::out) or tap (&Axis::kernel) number `linear`, counted row-major.
  void unflatten(int64_t linear, int64_t Axis::*of,
                 llvm::MutableArrayRef<int64_t> index) const;
  /// The element, counted row-major, under tap `tap` of window `at`; -1 if there is none.
  int64_t elementAt(llvm::ArrayRef<int64_t> at,
                    llvm::ArrayRef<int64_t> tap) const {
    int64_t element = 0;
    for (size_t d = 0; d < axes.size(); ++d) {
      int64_t x = axes[d].element(at[d], tap[d]);
      if (x < 0)
        return -1;
      element = element * axes[d].in + x;
    }
    return element;
  }
};

/// A convolution. Operands are ordered as [batch, spatial, feature] (the input) and [output feature, spatial, input
/// feature] (the kernel).
struct Convolution : Windows {
  int64_t batch = 1, features = 1, outFeatures = 1; ///< of input and result
  int64_t featureGroups = 1, batchGroups = 1;
  Sizes lhsOrder, rhsOrder; ///< the operands' dimensions in the order above
  Sizes outStrides; ///< in elements, for batch, spatial, feature of the result

  int64_t groups() const { return std::max(featureGroups, batchGroups); }
  int64_t groupIn() const { return features / featureGroups; }
  int64_t groupOut() const { return outFeatures / groups(); }

  /// Gathers one row [taps, groupIn]: the window of position `at` in batch entry `n`, features from `feature` on;
  /// zero outside the input. Units: `width` is the bytes of an element. Threads: re-entrant.
  void gather(const std::byte *input, int64_t n, llvm::ArrayRef<int64_t> at,
              int64_t feature, int64_t width, std::byte *row) const;

  /// The forward convolution whose filter gradient this convolution computes: batch and features are exchanged, and
  /// so are the kernel and the result.
  Convolution forwardOfGradient() const;
};

} // namespace assay::geometry
