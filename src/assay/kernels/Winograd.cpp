// Transforms one dimension at a time, on vectors of channels: columns of the
// tile into an array that stays in the first-level cache, then its rows to
// their places.
#include "assay/kernels/Winograd.h"

#include "assay/kernels/outer/Clones.h"

#include <bit>
#include <cstring>
#include <limits>

namespace assay::kernels {

namespace {
constexpr int64_t kMostPoints = 36;

/// Transforms one dimension directly, without products with the matrices.
template <int Results> struct Image;
template <int Results> struct Filter;
template <int Results> struct Result;

template <> struct Image<2> {
  static constexpr int kIn = 4, kOut = 4;
  template <typename V> static ASSAY_INLINE void run(const V *d, V *out) {
    out[0] = d[0] - d[2], out[1] = d[1] + d[2];
    out[2] = d[2] - d[1], out[3] = d[1] - d[3];
  }
};

template <> struct Filter<2> {
  static constexpr int kIn = 3, kOut = 4;
  template <typename V> static ASSAY_INLINE void run(const V *g, V *out) {
    V even = (g[0] + g[2]) * 0.5f, odd = g[1] * 0.5f;
    out[0] = g[0], out[1] = even + odd, out[2] = even - odd, out[3] = g[2];
  }
};

template <> struct Result<2> {
  static constexpr int kIn = 4, kOut = 2;
  template <typename V> static ASSAY_INLINE void run(const V *s, V *out) {
    out[0] = s[0] + s[1] + s[2], out[1] = s[1] - s[2] - s[3];
  }
};

template <> struct Image<4> {
  static constexpr int kIn = 6, kOut = 6;
  template <typename V> static ASSAY_INLINE void run(const V *d, V *out) {
    V even = d[4] - d[2] * 4.0f, odd = d[3] - d[1] * 4.0f, near = d[4] - d[2],
      far = (d[3] - d[1]) * 2.0f;
    out[0] = d[0] * 4.0f - d[2] * 5.0f + d[4];
    out[1] = even + odd, out[2] = even - odd;
    out[3] = near + far, out[4] = near - far;
    out[5] = d[1] * 4.0f - d[3] * 5.0f + d[5];
  }
};

template <> struct Filter<4> {
  static constexpr int kIn = 3, kOut = 6;
  template <typename V> static ASSAY_INLINE void run(const V *g, V *out) {
    V even = (g[0] + g[2]) * (-1 / 6.0f), odd = g[1] * (-1 / 6.0f),
      wide = g[0] * (1 / 24.0f) + g[2] * (1 / 6.0f), half = g[1] * (1 / 12.0f);
    out[0] = g[0] * 0.25f;
    out[1] = even + odd, out[2] = even - odd;
    out[3] = wide + half, out[4] = wide - half;
    out[5] = g[2];
  }
};

template <> struct Result<4> {
  static constexpr int kIn = 6, kOut = 4;
  template <typename V> static ASSAY_INLINE void run(const V *s, V *out) {
    V even1 = s[1] + s[2], even2 = s[3] + s[4], odd1 = s[1] - s[2],
      odd2 = s[3] - s[4];
    out[0] = s[0] + even1 + even2, out[1] = odd1 + odd2 * 2.0f;
    out[2] = even1 + even2 * 4.0f, out[3] = odd1 + odd2 * 8.0f + s[5];
  }
};

/// Transforms as many channels as V holds, from `c` on, of squares of kIn x kIn
/// places to squares of kOut x kOut places.
template <typename V, typename T>
ASSAY_INLINE void transformAt(const float *const *from, int64_t c,
                              float *const *to) {
  V between[T::kOut][T::kIn];
  for (int x = 0; x < T::kIn; ++x) {
    V column[T::kIn], made[T::kOut];
    for (int y = 0; y < T::kIn; ++y)
      std::memcpy(&column[y], from[y * T::kIn + x] + c, sizeof(V));
    T::run(column, made);
    for (int y = 0; y < T::kOut; ++y)
      between[y][x] = made[y];
  }
  for (int y = 0; y < T::kOut; ++y) {
    V made[T::kOut];
    T::run(between[y], made);
    for (int x = 0; x < T::kOut; ++x)
      std::memcpy(to[y * T::kOut + x] + c, &made[x], sizeof(V));
  }
}

template <typename T>
ASSAY_INLINE void transform(const float *const *from, int64_t channels,
                            float *const *to) {
  int64_t c = 0;
  for (; c + kLanes <= channels; c += kLanes)
    transformAt<Lanes, T>(from, c, to);
  for (; c < channels; ++c)
    transformAt<float, T>(from, c, to);
}

/// Places of the points of a square, `stride` apart.
template <typename Float> struct Places {
  Float *at[kMostPoints];
  Places(Float *first, int64_t stride, int64_t points) {
    for (int64_t p = 0; p < points; ++p)
      at[p] = first + p * stride;
  }
};
} // namespace

ASSAY_CLONES void winogradImage(WinogradTile tile, const float *const *pixels,
                                int64_t channels, float *out,
                                int64_t pointStride) {
  const Places<float> points(out, pointStride, tile.points());
  if (tile.results == 2)
    transform<Image<2>>(pixels, channels, points.at);
  else
    transform<Image<4>>(pixels, channels, points.at);
}

ASSAY_CLONES void winogradFilter(WinogradTile tile, const float *taps,
                                 int64_t tapStride, int64_t columns, float *out,
                                 int64_t pointStride) {
  const Places<const float> from(taps, tapStride, 9);
  const Places<float> points(out, pointStride, tile.points());
  if (tile.results == 2)
    transform<Filter<2>>(from.at, columns, points.at);
  else
    transform<Filter<4>>(from.at, columns, points.at);
}

ASSAY_CLONES void winogradResult(WinogradTile tile, const float *sums,
                                 int64_t pointStride, int64_t columns,
                                 float *const *results) {
  const Places<const float> points(sums, pointStride, tile.points());
  if (tile.results == 2)
    transform<Result<2>>(points.at, columns, results);
  else
    transform<Result<4>>(points.at, columns, results);
}

ASSAY_CLONES float largestMagnitude(const float *numbers, int64_t count) {
  constexpr uint32_t kInfinity = 0x7f800000;
  const auto *words = reinterpret_cast<const uint32_t *>(numbers);
  uint32_t most = 0; // magnitudes have the order of their bits
  for (int64_t i = 0; i < count; ++i) {
    uint32_t magnitude = words[i] & 0x7fffffff;
    most = magnitude > most ? magnitude : most;
  }
  return most > kInfinity ? std::numeric_limits<float>::infinity()
                          : std::bit_cast<float>(most);
}

} // namespace assay::kernels
