// Chunks of panels: their memory, their charge to the budget, and when they are freed.
#include "assay/engine/native/PanelMemory.h"

#include "assay/program/Step.h"
#include "gtest/gtest.h"

#include <cstring>

using namespace assay;
using engine::PanelMemory;
using tensor::Tensor;

namespace {
struct Panels : testing::Test {
  ThreadPool threads{1};
  program::RunContext run{threads};
  program::StepContext context{run, nullptr};
  PanelMemory memory;

  Tensor make(int64_t bytes, int value) {
    auto made = memory.make(context, bytes, [&](std::byte *to) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(to) % 64, 0u);
      std::memset(to, value, static_cast<size_t>(bytes));
    });
    return made ? *made : (llvm::consumeError(made.takeError()), Tensor());
  }
  static void expectAll(const Tensor &panels, int64_t bytes, int value) {
    ASSERT_TRUE(panels.valid());
    for (int64_t i = 0; i < bytes; ++i)
      ASSERT_EQ(panels.bytes()[i], std::byte(value)) << "byte " << i;
  }
};
} // namespace

TEST_F(Panels, SmallWeightsAreAloneAndManyAreSideBySide) {
  EXPECT_FALSE(make(100, 1).buffer()->isView());
  std::vector<Tensor> all;
  for (int i = 0; i < 40; ++i)
    all.push_back(make(100001, i));
  EXPECT_TRUE(all.back().buffer()->isView());
  for (int i = 0; i < 40; ++i)
    expectAll(all[static_cast<size_t>(i)], 100001, i);
  // A weight that would fill a chunk has its own memory.
  EXPECT_FALSE(make(30 << 20, 1).buffer()->isView());
}

TEST_F(Panels, AChunkLivesAsLongAsPanelsInIt) {
  run.budget = std::make_shared<MemoryBudget>(int64_t(64) << 20);
  make(2 << 20, 1); // from here on weights share chunks
  int64_t before = run.budget->usedBytes();
  Tensor first = make(500000, 7), second = make(500000, 8);
  ASSERT_TRUE(first.buffer()->isView());
  EXPECT_GE(run.budget->usedBytes() - before, 1000000);
  first = Tensor();
  expectAll(second, 500000, 8);
  second = Tensor();
  EXPECT_EQ(run.budget->usedBytes(), before);
}

TEST_F(Panels, WithoutRoomForAChunkWeightsAreAlone) {
  run.budget = std::make_shared<MemoryBudget>(int64_t(1) << 20);
  std::vector<Tensor> all;
  for (int i = 0; i < 20; ++i)
    if (Tensor panels = make(100000, i); panels.valid())
      all.push_back(panels);
  EXPECT_EQ(all.size(), 10u);
  for (size_t i = 0; i < all.size(); ++i)
    expectAll(all[i], 100000, static_cast<int>(i));
}
