#include "assay/engine/MemoryWatch.h"

#include "gtest/gtest.h"

#include <atomic>
#include <memory>
#include <thread>

using namespace assay::engine;

TEST(SteadyGrowth, OnlyALaterHalfOfWhichEveryCallAddsCounts) {
  EXPECT_EQ(steadyGrowth({0, 10, 20, 30, 40, 50, 60, 70}, 10), 10);
  // Caches that grow in the first calls.
  EXPECT_EQ(steadyGrowth({0, 10, 20, 30, 40, 40, 40, 40}, 1), 0);
  // A list that doubles its capacity: not in every call.
  EXPECT_EQ(steadyGrowth({0, 0, 64, 64, 64, 192, 192, 192}, 1), 0);
  // Memory that is freed now and then.
  EXPECT_EQ(steadyGrowth({0, 10, 20, 30, 40, 50, 0, 10}, 1), 0);
  EXPECT_EQ(steadyGrowth({0, 10, 20, 30, 40, 50, 60, 70}, 11), 0);
  EXPECT_EQ(steadyGrowth({0, 9, 9, 9}, 1), 0);
  EXPECT_EQ(steadyGrowth({}, 1), 0);
}

TEST(MemoryWatch, StacksOfThreadsThatStillRunAreNoLeak) {
  std::atomic<bool> mayEnd{false};
  std::vector<std::thread> running;
  MemoryWatch watch(64);
  for (int call = 0; call < 16; ++call) {
    running.emplace_back([&] {
      while (!mayEnd)
        std::this_thread::yield();
    });
    watch.add(MemoryUse::now());
  }
  EXPECT_EQ(watch.bytesPerCall(), 0);
  mayEnd = true;
  for (std::thread &thread : running)
    thread.join();
}

TEST(MemoryWatch, SeesALeakOfFewBytesAndNoPassingUse) {
  std::vector<std::unique_ptr<char[]>> kept;
  kept.reserve(64);
  MemoryWatch leaking(64), passing(64);
  for (int call = 0; call < 16; ++call) {
    kept.push_back(std::make_unique<char[]>(200));
    leaking.add(MemoryUse::now());
  }
  EXPECT_NEAR(static_cast<double>(leaking.bytesPerCall()), 208, 24);
  for (int call = 0; call < 16; ++call) {
    auto used = std::make_unique<char[]>(size_t(1000) << call % 8);
    used.reset();
    passing.add(MemoryUse::now());
  }
  EXPECT_EQ(passing.bytesPerCall(), 0);
}
