// An inserted value is found for its own key only, from many threads and after
// the table has grown.
#include "assay/kernels/ChoiceCache.h"

#include "assay/support/ThreadPool.h"
#include "gtest/gtest.h"

using namespace assay;
using namespace assay::kernels;

static GemmProblem problemOf(int64_t m) {
  return GemmProblem::make({}, Layout::RCR, m, 7, 9);
}

TEST(ChoiceCache, KeepsWhatWasInsertedFirstFromManyThreads) {
  ChoiceCache<int64_t> cache(16);
  ThreadPool pool(4);
  pool.parallelFor(2000, 10, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t &kept = cache.insert(problemOf(1 + i % 50), i);
      EXPECT_EQ(kept % 50, i % 50);
      EXPECT_EQ(cache.find(problemOf(1 + i % 50)), &kept);
    }
  });
  EXPECT_EQ(cache.find(problemOf(1000)), nullptr);
}

TEST(ChoiceCache, GrowsAndKeepsEveryEntryWhereItIs) {
  ChoiceCache<int64_t> cache(2);
  std::vector<const int64_t *> places;
  for (int64_t m = 1; m <= 3000; ++m)
    places.push_back(&cache.insert(problemOf(m), m));
  for (int64_t m = 1; m <= 3000; ++m) {
    EXPECT_EQ(cache.find(problemOf(m)), places[m - 1]);
    EXPECT_EQ(*places[m - 1], m);
  }
}

TEST(ChoiceCache, AskersDoNotShareTheirChoices) {
  ChoiceCache<int> cache;
  int first = 0, second = 0;
  cache.insert(problemOf(3), 1, &first);
  EXPECT_EQ(cache.find(problemOf(3), &second), nullptr);
  cache.insert(problemOf(3), 2, &second);
  EXPECT_EQ(*cache.find(problemOf(3), &first), 1);
  EXPECT_EQ(*cache.find(problemOf(3), &second), 2);
}
