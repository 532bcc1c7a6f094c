/// One dimension of windows that slide over a line of elements: convolutions, pools, their gradients. The only
/// place that knows which element a window's tap meets.
#pragma once

#include <algorithm>
#include <cstdint>

namespace assay::geometry {

/// The elements are `baseDilation` apart in a line, `low` places after its beginning.
/// Formula: window p sees with tap t the place p * stride + t * dilation of the line.
/// Defaults are a single element that a single window sees.
struct Axis {
  int64_t in = 1, out = 1, kernel = 1; ///< elements, windows, taps of a window
  int64_t stride = 1, dilation = 1, baseDilation = 1;
  int64_t low = 0;       ///< padding before the first element; negative: elements that no window sees
  bool reversed = false; ///< tap t is entry kernel - 1 - t of the filter

  friend bool operator==(const Axis &, const Axis &) = default;

  /// The element at a place of the line, or -1: padding, or between two elements.
  int64_t elementAt(int64_t place) const {
    int64_t x = place - low;
    if (baseDilation != 1) { // divisions take longer than all the rest
      if (x % baseDilation != 0)
        return -1;
      x /= baseDilation;
    }
    return x >= 0 && x < in ? x : -1;
  }
  int64_t element(int64_t window, int64_t tap) const {
    return elementAt(window * stride + tap * dilation);
  }
  /// The window that sees an element with a tap, or -1. baseDilation is 1.
  int64_t window(int64_t element, int64_t tap) const {
    int64_t place = element + low - tap * dilation;
    return place >= 0 && place % stride == 0 && place / stride < out
               ? place / stride
               : -1;
  }
  /// Which entry of the filter a tap is.
  int64_t entry(int64_t tap) const { return reversed ? kernel - 1 - tap : tap; }

  /// Places that a window sees, those between its taps included.
  int64_t reach() const { return kernel == 0 ? 0 : (kernel - 1) * dilation + 1; }
  /// Places that `count` windows in a row see.
  int64_t span(int64_t count) const {
    return (count - 1) * stride + (kernel - 1) * dilation + 1;
  }
  /// Places from the first element to the last.
  int64_t extent() const { return in == 0 ? 0 : (in - 1) * baseDilation + 1; }
  /// The padding after the last element that makes `out` windows; negative where the last elements are in none.
  int64_t high() const { return span(out) - extent() - low; }
  /// Windows that fit with such a padding.
  int64_t windows(int64_t padding) const {
    int64_t places = low + extent() + padding;
    return places < reach() || places <= 0 ? 0 : (places - reach()) / stride + 1;
  }

  /// The taps of a window that meet elements.
  int64_t tapsInside(int64_t window) const {
    int64_t count = 0;
    for (int64_t tap = 0; tap < kernel; ++tap)
      count += element(window, tap) >= 0;
    return count;
  }
  /// The windows [first, last) that meet elements with a tap: element p * stride + shift. baseDilation is 1.
  struct Range {
    int64_t first, last, shift;
  };
  Range windowsInside(int64_t tap) const {
    int64_t shift = tap * dilation - low, room = in - shift,
            first = shift >= 0 ? 0 : (stride - 1 - shift) / stride,
            last = room <= 0 ? 0 : std::min(out, (room + stride - 1) / stride);
    return {first, std::max(first, last), shift};
  }

  /// Each window sees the element at its own place, and no other.
  bool isPointwise() const {
    return kernel == 1 && in == out && stride == 1 && low == 0 &&
           baseDilation == 1;
  }
  /// The windows of the gradient of the input, which slide over the gradient of the result: the axis whose own
  /// transpose this is.
  Axis transposed() const {
    return {out, in, kernel, baseDilation, dilation, stride, reach() - 1 - low, !reversed};
  }
  /// The windows of the gradient of the filter: its entries are the results, the gradient of the result is the
  /// filter. And back again.
  Axis exchanged() const {
    return {in, kernel, out, dilation, stride, baseDilation, low, reversed};
  }
};

} // namespace assay::geometry
