// Every index is taken once, by whichever thread; each thread starts with
// neighbours.
#include "assay/support/SharedRanges.h"

#include "gtest/gtest.h"

#include <vector>

using namespace assay;

TEST(SharedRanges, OwnIndicesComeFromTheFrontAndOthersFromTheBack) {
  SharedRanges shared(7, 2); // [0, 3) and [3, 7)
  EXPECT_EQ(shared.takeFront(0), 0);
  EXPECT_EQ(shared.takeFront(1), 3);
  EXPECT_EQ(shared.takeFront(0), 1);
  EXPECT_EQ(shared.takeFront(0), 2);
  EXPECT_EQ(shared.takeFront(0), -1);
  EXPECT_EQ(shared.takeBack(), 6);
  EXPECT_EQ(shared.takeFront(1), 4);
  EXPECT_EQ(shared.takeFront(1), 5);
  EXPECT_EQ(shared.takeFront(1), -1);
  EXPECT_EQ(shared.takeBack(), -1);
}

TEST(SharedRanges, WhatRunsOnOneThreadRunsInOrder) {
  ThreadPool pool(2);
  std::vector<int64_t> order[2];
  pool.parallelFor(2, 1, [&](int64_t begin, int64_t end) {
    for (int64_t outer = begin; outer < end; ++outer)
      forEachInRanges(pool, 9, 1,
                      [&](int64_t index) { order[outer].push_back(index); });
  });
  for (const std::vector<int64_t> &one : order)
    EXPECT_EQ(one, (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(SharedRanges, EveryIndexOnce) {
  for (int threads : {1, 2, 3}) {
    ThreadPool pool(threads);
    for (int64_t count : {0, 1, 2, 5, 1000})
      for (int64_t grain : {1, 3, 2000}) {
        std::vector<std::atomic<int>> seen(static_cast<size_t>(count));
        forEachInRanges(pool, count, grain, [&](int64_t index) {
          ++seen[static_cast<size_t>(index)];
        });
        for (std::atomic<int> &times : seen)
          EXPECT_EQ(times, 1) << count << " on " << threads;
      }
  }
}
