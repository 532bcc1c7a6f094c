/// One dimension of windows that slide over a line of elements: convolutions, pools, their gradients. Only this file
/// computes which element a tap of a window meets.
#pragma once

#include <algorithm>
#include <cstdint>

namespace assay::geometry {

/// The elements are `baseDilation` places apart on the line; the first one is at place `low`.
/// Formula: tap t of window p is at place p * stride + t * dilation of the line.
/// By default, one window sees one element.
struct Axis {
  int64_t in = 1, out = 1, kernel = 1; ///< elements, windows, taps of a window
  int64_t stride = 1, dilation = 1, baseDilation = 1;
  int64_t low = 0;       ///< padding before the first element; negative:
                         ///< leading elements are cropped
  bool reversed = false; ///< tap t is entry kernel - 1 - t of the filter

  friend bool operator==(const Axis &, const Axis &) = default;

  /// The element at a place of the line, or -1 in the padding and between two elements.
  int64_t elementAt(int64_t place) const {
    int64_t x = place - low;
    if (baseDilation != 1) { // a division would dominate the cost
      if (x % baseDilation != 0)
        return -1;
      x /= baseDilation;
    }
    return x >= 0 && x < in ? x : -1;
  }
  int64_t element(int64_t window, int64_t tap) const {
    return elementAt(window * stride + tap * dilation);
  }
  /// The window whose tap `tap` meets an element, or -1. Requires baseDilation 1.
  int64_t window(int64_t element, int64_t tap) const {
    int64_t place = element + low - tap * dilation;
    return place >= 0 && place % stride == 0 && place / stride < out
               ? place / stride
               : -1;
  }
  /// The entry of the filter for a tap.
  int64_t entry(int64_t tap) const { return reversed ? kernel - 1 - tap : tap; }

  /// The number of places from a window's first tap to its last.
  int64_t reach() const { return kernel == 0 ? 0 : (kernel - 1) * dilation + 1; }
  /// The number of places that `count` neighbouring windows cover.
  int64_t span(int64_t count) const {
    return (count - 1) * stride + (kernel - 1) * dilation + 1;
  }
  /// The number of places from the first element to the last.
  int64_t extent() const { return in == 0 ? 0 : (in - 1) * baseDilation + 1; }
  /// The padding after the last element that results in `out` windows; negative where trailing elements are cropped.
  int64_t high() const { return span(out) - extent() - low; }
  /// The number of windows for a given padding after the last element.
  int64_t windows(int64_t padding) const {
    int64_t places = low + extent() + padding;
    return places < reach() || places <= 0 ? 0 : (places - reach()) / stride + 1;
  }

  /// How many taps of a window meet elements.
  int64_t tapsInside(int64_t window) const {
    int64_t count = 0;
    for (int64_t tap = 0; tap < kernel; ++tap)
      count += element(window, tap) >= 0;
    return count;
  }
  /// The windows [first, last) whose tap meets an element: p * stride + shift. Requires baseDilation 1.
  struct Range {
    int64_t first, last, shift;
  };
  Range windowsInside(int64_t tap) const {
    int64_t shift = tap * dilation - low, room = in - shift,
            first = shift >= 0 ? 0 : (stride - 1 - shift) / stride,
            last = room <= 0 ? 0 : std::min(out, (room + stride - 1) / stride);
    return {first, std::max(first, last), shift};
  }

  /// Whether each window sees only the element at its own place.
  bool isPointwise() const {
    return kernel == 1 && in == out && stride == 1 && low == 0 &&
           baseDilation == 1;
  }
  /// The windows for the gradient of the input, which slide over the gradient of the result. Transposing twice
  /// returns the original axis.
  Axis transposed() const {
    return {out, in, kernel, baseDilation, dilation, stride, reach() - 1 - low, !reversed};
  }
  /// The windows for the gradient of the filter: the filter's entries become the results, and the gradient of the
  /// result becomes the filter. Exchanging twice returns the original axis.
  Axis exchanged() const {
    return {in, kernel, out, dilation, stride, baseDilation, low, reversed};
  }
};

} // namespace assay::geometry
