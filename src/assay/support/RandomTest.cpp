#include "assay/support/Random.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace assay;

// Known answers published with the generator (Random123's kat_vectors for
// philox4x32-10).
TEST(Philox, MatchesThePublishedKnownAnswers) {
  std::array<uint32_t, 4> zero = philox4x32({0, 0, 0, 0}, {0, 0});
  EXPECT_EQ(zero, (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
                                           0x9b00dbd8}));
  std::array<uint32_t, 4> ones = philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u});
  EXPECT_EQ(ones, (std::array<uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6,
                                           0x6d5451fd}));
}

TEST(CounterRandom, NormalHasTheMomentsOfANormal) {
  CounterRandom random(1, 2);
  double sum = 0, squares = 0, fourth = 0;
  const int n = 200000;
  for (int i = 0; i < n; ++i) {
    double x = random.normal(i);
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  EXPECT_NEAR(sum / n, 0.0, 0.01);
  EXPECT_NEAR(squares / n, 1.0, 0.02);
  EXPECT_NEAR(fourth / n, 3.0, 0.1);
}

TEST(CounterRandom, IntegerCoversItsRangeIncludingTheEnds) {
  CounterRandom random(3, 4);
  int counts[5] = {};
  for (int i = 0; i < 50000; ++i)
    ++counts[random.integer(i, -2, 2) + 2];
  for (int count : counts)
    EXPECT_NEAR(count, 10000, 500);
  EXPECT_EQ(random.integer(7, 5, 5), 5);
}

TEST(CounterRandom, SeedsAndStreamsDiffer) {
  EXPECT_NE(CounterRandom(1, 0).bits(0), CounterRandom(2, 0).bits(0));
  EXPECT_NE(CounterRandom(1, 0).bits(0), CounterRandom(1, 1).bits(0));
}

// Words 0 and 1 of the known answer for counter 0 and key 0, low word first.
TEST(CounterRandom, BitsAndUniformAreTheGeneratorsFirstWords) {
  CounterRandom random(0, 0);
  EXPECT_EQ(random.bits(0), 0xe169c58d6627e8d5u);
  EXPECT_EQ(random.uniform(0),
            static_cast<double>(0xe169c58d6627e8d5u >> 11) * 0x1p-53);
  EXPECT_EQ(static_cast<uint64_t>(random.integer(0, INT64_MIN, INT64_MAX)),
            0xe169c58d6627e8d5u);
  // 0xe169c58d... / 2^64 is 0.8805, so this is 88.05 % of the way through the
  // range.
  EXPECT_EQ(random.integer(0, -500, 499), 380);
  EXPECT_EQ(random.integer(0, INT64_MAX - 9, INT64_MAX), INT64_MAX - 1);
  EXPECT_EQ(random.integer(0, INT64_MIN, INT64_MIN + 9), INT64_MIN + 8);
}

TEST(CounterRandom, EveryBitOfSeedStreamAndIndexCounts) {
  uint64_t high = uint64_t{1} << 32;
  uint64_t bits = CounterRandom(5, 6).bits(7);
  EXPECT_NE(CounterRandom(5 + high, 6).bits(7), bits);
  EXPECT_NE(CounterRandom(5, 6 + high).bits(7), bits);
  EXPECT_NE(CounterRandom(5, 6).bits(7 + high), bits);
}
