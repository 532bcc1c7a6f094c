#include "assay/support/ThreadPool.h"
#include "gtest/gtest.h"

#include <atomic>
#include <sched.h>
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

// With the caller tied to each core in turn, no worker runs on that core.
TEST(ThreadPool, WorkersKeepOffTheCallersCore) {
  cpu_set_t all;
  CPU_ZERO(&all);
  ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
  ThreadPool pool(2);
  for (size_t core = 0; core < CPU_SETSIZE && CPU_COUNT(&all) > 1; ++core) {
    if (!CPU_ISSET(core, &all))
      continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    int ran[2] = {-1, -1};
    pool.runOnAll([&](int thread) { ran[thread] = sched_getcpu(); });
    EXPECT_EQ(ran[0], static_cast<int>(core));
    EXPECT_NE(ran[1], static_cast<int>(core));
  }
  sched_setaffinity(0, sizeof(all), &all);
}
