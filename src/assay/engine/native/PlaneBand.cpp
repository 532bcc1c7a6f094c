// Loops over rows are part of each clone, so that steps of two are compiled to
// the widest shuffles of the processor.
#include "assay/engine/native/PlaneBand.h"

#include "assay/kernels/outer/Clones.h"
#include "assay/support/Math.h"

#include <algorithm>
#include <cstring>

namespace assay::engine {

/// Copies a row in parts of `Size` bytes, the last of which ends at the end of
/// the row.
template <size_t Size>
static ASSAY_INLINE void copyParts(const std::byte *from, int64_t bytes,
                                   std::byte *to) {
  constexpr auto kSize = static_cast<int64_t>(Size);
  for (int64_t at = 0; at + kSize < bytes; at += kSize)
    std::memcpy(to + at, from + at, Size);
  std::memcpy(to + bytes - kSize, from + bytes - kSize, Size);
}

/// Rows are short: a function call for each would take longer than the copy.
static ASSAY_INLINE void copyRow(const std::byte *from, int64_t bytes,
                                 std::byte *to) {
  if (bytes >= 64)
    copyParts<64>(from, bytes, to);
  else if (bytes >= 16)
    copyParts<16>(from, bytes, to);
  else
    for (int64_t i = 0; i < bytes; ++i)
      to[i] = from[i];
}

template <typename Word>
static ASSAY_INLINE void copyTyped(PlaneRows<const std::byte> from,
                                   PlaneRows<std::byte> to, int64_t rows,
                                   int64_t columns) {
  for (int64_t row = 0; row < rows; ++row) {
    const auto *in = reinterpret_cast<const Word *>(from.first) + row * from.pitch;
    auto *out = reinterpret_cast<Word *>(to.first) + row * to.pitch;
    if (from.step == 1 && to.step == 1)
      copyRow(reinterpret_cast<const std::byte *>(in),
              columns * int64_t(sizeof(Word)), reinterpret_cast<std::byte *>(out));
    else if (from.step == 2 && to.step == 1)
      for (int64_t i = 0; i < columns; ++i)
        out[i] = in[2 * i];
    else
      for (int64_t i = 0; i < columns; ++i)
        out[i * to.step] = in[i * from.step];
  }
}

/// Interleaves rows of even columns and of odd ones.
template <typename Word>
static ASSAY_INLINE void joinTyped(PlaneRows<const std::byte> even,
                                   PlaneRows<const std::byte> odd,
                                   PlaneRows<std::byte> to, int64_t rows,
                                   int64_t columns) {
  for (int64_t row = 0; row < rows; ++row) {
    const auto *a = reinterpret_cast<const Word *>(even.first) + row * even.pitch,
               *b = reinterpret_cast<const Word *>(odd.first) + row * odd.pitch;
    auto *out = reinterpret_cast<Word *>(to.first) + row * to.pitch;
    for (int64_t i = 0; i < columns / 2; ++i)
      out[2 * i] = a[i], out[2 * i + 1] = b[i];
    if (columns % 2)
      out[columns - 1] = a[columns / 2];
  }
}

ASSAY_CLONES void joinRows(int64_t size, PlaneRows<const std::byte> even,
                           PlaneRows<const std::byte> odd,
                           PlaneRows<std::byte> to, int64_t rows,
                           int64_t columns) {
  if (size == 4)
    joinTyped<uint32_t>(even, odd, to, rows, columns);
  else
    joinTyped<uint16_t>(even, odd, to, rows, columns);
}

ASSAY_CLONES void copyRows(int64_t size, PlaneRows<const std::byte> from,
                           PlaneRows<std::byte> to, int64_t rows,
                           int64_t columns) {
  if (size == 4)
    copyTyped<uint32_t>(from, to, rows, columns);
  else if (size == 2)
    copyTyped<uint16_t>(from, to, rows, columns);
  else
    copyTyped<uint8_t>(from, to, rows, columns);
}

PlaneBand::PlaneBand(std::array<int64_t, 2> plane, std::array<int64_t, 2> low,
                     std::array<int64_t, 2> size, int64_t step)
    : plane_(plane), low_(low), size_(size), step_(step),
      stripe_(ceilDiv(size[1], step)) {
  int64_t row = std::max<int64_t>(0, -low[0]),
          end = std::min(plane[0], size[0] - low[0]);
  rows_ = std::max<int64_t>(0, end - row);
  for (int64_t stripe = 0; stripe < step; ++stripe) {
    // Band column stripe + k * step is the row's column stripe + k * step - low.
    int64_t behind = low[1] - stripe,
            first = ceilDiv(std::max<int64_t>(behind, 0), step),
            column = first * step - behind,
            count = std::min(stripe_ - first, ceilDiv(plane[1] - column, step));
    if (column < plane[1] && count > 0)
      stripes_.push_back({row * plane[1] + column,
                          place(row + low[0], stripe + first * step), count});
  }
}

void PlaneBand::fill(int64_t size, const std::byte *plane,
                     std::byte *band) const {
  for (const Stripe &stripe : stripes_)
    copyRows(size, {plane + stripe.plane * size, plane_[1], step_},
             {band + stripe.band * size, pitch(), 1}, rows_, stripe.columns);
}

} // namespace assay::engine
