// Windows of a convolution. A row along the window's last dimension is a single
// copy where its elements are adjacent in the input (no dilation, no reversal,
// all features); otherwise each tap is looked up.
// Source: StableHLO specification, convolution.
#include "assay/geometry/Convolution.h"

#include "llvm/ADT/STLExtras.h"

#include <cassert>
#include <cstring>

namespace assay::geometry {

Sizes Windows::sizes(int64_t Axis::*of) const {
  Sizes result;
  for (const Axis &axis : axes)
    result.push_back(axis.*of);
  return result;
}

int64_t Windows::count(int64_t Axis::*of) const {
  int64_t product = 1;
  for (const Axis &axis : axes)
    product *= axis.*of;
  return product;
}

bool Windows::hasDilatedInput() const { return !all(&Axis::baseDilation, 1); }

bool Windows::isReversed() const {
  return llvm::any_of(axes, [](const Axis &axis) { return axis.reversed; });
}

bool Windows::isPointwise() const {
  return llvm::all_of(axes, [](const Axis &axis) { return axis.isPointwise(); });
}

bool Windows::all(int64_t Axis::*of, int64_t value) const {
  return llvm::all_of(axes, [&](const Axis &axis) { return axis.*of == value; });
}

Axes3 Windows::three() const {
  assert(axes.size() <= 3 && "more than depth, height and width");
  Axes3 result;
  std::copy(axes.begin(), axes.end(), result.end() - axes.size());
  return result;
}

void Windows::unflatten(int64_t linear, int64_t Axis::*of,
                        llvm::MutableArrayRef<int64_t> index) const {
  for (size_t d = axes.size(); d-- > 0; linear /= axes[d].*of)
    index[d] = linear % (axes[d].*of);
}

bool Windows::nextTap(llvm::MutableArrayRef<int64_t> tap, size_t rank) const {
  for (size_t d = rank; d-- > 0;) {
    if (++tap[d] < axes[d].kernel)
      return true;
    tap[d] = 0;
  }
  return false;
}

void Convolution::gather(const std::byte *input, int64_t n,
                         llvm::ArrayRef<int64_t> at, int64_t feature,
                         int64_t width, std::byte *row) const {
  size_t rank = axes.size();
  auto bytes = static_cast<size_t>(groupIn() * width);
  const std::byte *entry =
      input + (n * inPositions() * features + feature) * width;
  // Whether the window's last dimension is copied as one run.
  bool runs = rank > 0 && groupIn() == features && !axes.back().reversed &&
              axes.back().baseDilation == 1 && axes.back().dilation == 1;
  size_t looked = runs ? rank - 1 : rank;
  Sizes tap(rank, 0);
  do {
    int64_t element = 0;
    bool inside = true;
    for (size_t d = 0; d < looked && inside; ++d) {
      int64_t x = axes[d].element(at[d], axes[d].entry(tap[d]));
      inside = x >= 0;
      element = element * axes[d].in + x;
    }
    if (runs) {
      const Axis &last = axes.back();
      int64_t first = at[rank - 1] * last.stride - last.low,
              begin = std::clamp<int64_t>(-first, 0, last.kernel),
              end = std::clamp<int64_t>(last.in - first, begin, last.kernel);
      if (!inside)
        end = begin;
      std::memset(row, 0, static_cast<size_t>(begin) * bytes);
      if (end > begin)
        std::memcpy(row + static_cast<size_t>(begin) * bytes,
                    entry + (element * last.in + first + begin) * features * width,
                    static_cast<size_t>(end - begin) * bytes);
      std::memset(row + static_cast<size_t>(end) * bytes, 0,
                  static_cast<size_t>(last.kernel - end) * bytes);
      row += static_cast<size_t>(last.kernel) * bytes;
      continue;
    }
    if (inside)
      std::memcpy(row, entry + element * features * width, bytes);
    else
      std::memset(row, 0, bytes);
    row += bytes;
  } while (nextTap(tap, looked));
}

Convolution Convolution::forwardOfGradient() const {
  Convolution forward = *this;
  std::swap(forward.batch, forward.features);
  std::swap(forward.featureGroups, forward.batchGroups);
  for (Axis &axis : forward.axes)
    axis = axis.exchanged();
  return forward;
}

} // namespace assay::geometry
