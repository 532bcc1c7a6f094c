#include "assay/support/ThreadPool.h"
#include "gtest/gtest.h"

#include <atomic>
#include <vector>

using namespace assay;

TEST(ThreadPool, ParallelForVisitsEveryIndexOnce) {
  for (int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (int64_t count :
         {int64_t{0}, int64_t{1}, int64_t{7}, int64_t{100003}}) {
      std::vector<int> visits(count, 0);
      pool.parallelFor(count, 3, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          ++visits[i];
      });
      for (int v : visits)
        ASSERT_EQ(v, 1);
    }
  }
}

TEST(ThreadPool, NestedCallsRunInline) {
  ThreadPool pool(3);
  std::atomic<int64_t> sum{0};
  pool.parallelFor(10, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      pool.parallelFor(10, 1, [&](int64_t b, int64_t e) { sum += e - b; });
  });
  EXPECT_EQ(sum.load(), 100);
}

TEST(ThreadPool, RunOnAllGivesEachThreadItsNumber) {
  ThreadPool pool(4);
  std::vector<std::atomic<int>> seen(4);
  for (int repeat = 0; repeat < 100; ++repeat)
    pool.runOnAll([&](int thread) { ++seen[thread]; });
  for (std::atomic<int> &count : seen)
    EXPECT_EQ(count.load(), 100);
}
