#include "assay/support/ThreadPool.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <sched.h>
#include <thread>
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

// Each part runs once, in order, on the thread that calls.
TEST(ThreadPool, NestedPartsRunOneAfterAnother) {
  ThreadPool pool(3), other(2);
  std::atomic<int> right{0};
  pool.runOnAll([&](int) {
    std::thread::id self = std::this_thread::get_id();
    std::vector<int> order;
    for (ThreadPool *inner : {&pool, &other})
      inner->runOnAll([&](int thread) {
        order.push_back(std::this_thread::get_id() == self ? thread : -1);
      });
    right += order == std::vector<int>{0, 1, 2, 0, 1};
  });
  EXPECT_EQ(right.load(), 3);
}

TEST(ThreadPool, RunOnAllGivesEachThreadItsNumber) {
  ThreadPool pool(4);
  std::vector<std::atomic<int>> seen(4);
  for (int repeat = 0; repeat < 100; ++repeat)
    pool.runOnAll([&](int thread) { ++seen[thread]; });
  for (std::atomic<int> &count : seen)
    EXPECT_EQ(count.load(), 100);
}

// The caller is pinned to each core, one after another; no worker runs on that
// core.
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

TEST(ThreadPool, ChunksAreAtLeastAsLargeAsAsked) {
  ThreadPool pool(3);
  for (int64_t count : {int64_t{10}, int64_t{11}, int64_t{1000}}) {
    std::mutex mutex;
    std::vector<std::pair<int64_t, int64_t>> chunks;
    pool.parallelFor(count, 10, [&](int64_t begin, int64_t end) {
      std::lock_guard<std::mutex> lock(mutex);
      chunks.emplace_back(begin, end);
    });
    std::sort(chunks.begin(), chunks.end());
    for (auto [begin, end] : chunks)
      EXPECT_TRUE(end - begin >= 10 || end == count) << begin << " " << end;
    EXPECT_EQ(chunks.size(), count == 10 ? 1u : count == 11 ? 2u : 12u);
    EXPECT_EQ(chunks.back().second, count);
  }
  pool.parallelFor(-3, 1, [](int64_t, int64_t) { FAIL(); });
  EXPECT_EQ(ThreadPool(0).threads(), availableCores());
  EXPECT_EQ(ThreadPool(-1).threads(), availableCores());
  EXPECT_EQ(ThreadPool(1).threads(), 1);
}

TEST(ThreadPool, AfterAJobTheNextOneHasItsThreadsToo) {
  ThreadPool pool(2);
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::thread::id ids[2];
    pool.runOnAll(
        [&](int thread) { ids[thread] = std::this_thread::get_id(); });
    EXPECT_EQ(ids[0], std::this_thread::get_id());
    EXPECT_NE(ids[1], ids[0]);
    pool.parallelFor(100, 1, [](int64_t, int64_t) {});
  }
}

TEST(ThreadPool, TwoCallersAtOnceGetBothTheirJobsDone) {
  ThreadPool pool(3);
  auto call = [&](int64_t *ran, int64_t *summed) {
    for (int repeat = 0; repeat < 300; ++repeat) {
      std::atomic<int64_t> threads{0}, sum{0};
      pool.runOnAll([&](int thread) { threads += thread + 1; });
      pool.parallelFor(50, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          sum += i;
      });
      *ran += threads;
      *summed += sum;
    }
  };
  int64_t ran[2] = {}, summed[2] = {};
  std::thread other([&] { call(&ran[1], &summed[1]); });
  call(&ran[0], &summed[0]);
  other.join();
  for (int caller : {0, 1}) {
    EXPECT_EQ(ran[caller], 300 * (1 + 2 + 3));
    EXPECT_EQ(summed[caller], 300 * (49 * 50 / 2));
  }
}
