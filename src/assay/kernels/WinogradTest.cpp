// Winograd's transforms against the convolution that they compute, in exact
// arithmetic: on small integers every number of a 2 x 2 tile is a multiple of
// 1/4.
#include "assay/kernels/Winograd.h"

#include "assay/support/Random.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <vector>

using namespace assay::kernels;

namespace {
constexpr int64_t kMost = 40; ///< channels
constexpr float kUntouched = -77;

/// The pixels, taps and results of a tile; the channels of each are contiguous.
class OneTile {
public:
  OneTile(int64_t results, int64_t channels)
      : tile_{results}, channels_(channels) {
    for (int64_t i = 0; i < tile_.points() * kMost; ++i)
      pixels_.push_back(float(assay::CounterRandom(0, 0).integer(uint64_t(i), -5, 5)));
    for (int64_t i = 0; i < 9 * kMost; ++i)
      taps_.push_back(float(assay::CounterRandom(0, 1).integer(uint64_t(i), -3, 3)));
  }
  std::vector<float> results() const;
  double expected(int64_t y, int64_t x, int64_t channel) const;

private:
  WinogradTile tile_;
  int64_t channels_;
  std::vector<float> pixels_, taps_;
};
} // namespace

std::vector<float> OneTile::results() const {
  auto all = static_cast<size_t>(tile_.points() * kMost);
  std::vector<float> points(all), filter(all), results(all, kUntouched);
  std::vector<const float *> pixels;
  std::vector<float *> places;
  for (int64_t p = 0; p < tile_.points(); ++p)
    pixels.push_back(pixels_.data() + p * kMost);
  for (int64_t r = 0; r < tile_.results * tile_.results; ++r)
    places.push_back(results.data() + r * kMost);
  winogradImage(tile_, pixels.data(), channels_, points.data(), kMost);
  winogradFilter(tile_, taps_.data(), kMost, channels_, filter.data(), kMost);
  for (size_t i = 0; i < all; ++i)
    points[i] *= filter[i];
  winogradResult(tile_, points.data(), kMost, channels_, places.data());
  return results;
}

double OneTile::expected(int64_t y, int64_t x, int64_t channel) const {
  double sum = 0;
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 3; ++j)
      sum += double(pixels_[static_cast<size_t>(
                 ((y + i) * tile_.side() + x + j) * kMost + channel)]) *
             double(taps_[static_cast<size_t>((i * 3 + j) * kMost + channel)]);
  return sum;
}

TEST(Winograd, TilesAreTheConvolution) {
  for (int64_t side : {2, 4})
    for (int64_t channels : {1, 7, 16, 33, 40}) {
      SCOPED_TRACE(testing::Message() << side << " x " << channels);
      OneTile tile(side, channels);
      std::vector<float> results = tile.results();
      // Sums of nine products of at most 15; tiles of 4 divide by 6 and 24.
      const double most = side == 2 ? 0 : 1e-3;
      for (int64_t r = 0; r < side * side; ++r) {
        for (int64_t c = 0; c < channels; ++c)
          EXPECT_NEAR(results[static_cast<size_t>(r * kMost + c)],
                      tile.expected(r / side, r % side, c), most);
        if (channels < kMost) {
          EXPECT_EQ(results[static_cast<size_t>(r * kMost + channels)], kUntouched);
        }
      }
    }
}

TEST(Winograd, TheLargestMagnitudeSeesSignsAndWhatIsNotFinite) {
  std::vector<float> numbers(100, 0.0f);
  EXPECT_EQ(largestMagnitude(numbers.data(), 0), 0);
  EXPECT_EQ(largestMagnitude(numbers.data(), 100), 0);
  numbers[63] = -4, numbers[99] = 3;
  EXPECT_EQ(largestMagnitude(numbers.data(), 100), 4);
  EXPECT_EQ(largestMagnitude(numbers.data(), 63), 0);
  for (float special : {std::numeric_limits<float>::quiet_NaN(),
                        -std::numeric_limits<float>::infinity()}) {
    numbers[17] = special;
    EXPECT_TRUE(std::isinf(largestMagnitude(numbers.data(), 100)));
  }
}
