// Orders of dimensions, compared with the resulting sequences of elements.
#include "assay/engine/native/DimensionOrder.h"

#include "gtest/gtest.h"

#include <random>
#include <vector>

using namespace assay::engine;

/// The plain positions of a tensor's elements, in the sequence that an order of
/// its dimensions gives.
static std::vector<int64_t> sequence(llvm::ArrayRef<int64_t> shape,
                                     llvm::ArrayRef<int64_t> order) {
  std::vector<int64_t> strides(shape.size(), 1), found{0};
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  for (int64_t d : order) {
    std::vector<int64_t> next;
    for (int64_t at : found)
      for (int64_t i = 0; i < shape[static_cast<size_t>(d)]; ++i)
        next.push_back(at + i * strides[static_cast<size_t>(d)]);
    found = std::move(next);
  }
  return found;
}

TEST(DimensionOrder, ChannelsLastAndBack) {
  Order order = channelsLast(4);
  EXPECT_EQ(order, (Order{0, 2, 3, 1}));
  EXPECT_EQ(inverse(order), (Order{0, 3, 1, 2}));
  EXPECT_FALSE(isPlain(order));
  EXPECT_TRUE(isPlain(arranged<int64_t>(order, inverse(order))));
}

TEST(DimensionOrder, ReshapesOfOtherElementsHaveNoGroups) {
  EXPECT_FALSE(reshapeGroups({2, 3}, {5}));
  EXPECT_FALSE(reshapeGroups({4, 3}, {6, 5}));
  auto groups = reshapeGroups({2, 3, 1, 4}, {6, 4});
  ASSERT_TRUE(groups);
  EXPECT_EQ(groups->count, 2);
  EXPECT_EQ(groups->from, (llvm::SmallVector<int, 6>{0, 0, -1, 1}));
}

TEST(DimensionOrder, AReshapeOfArrangedElementsKeepsTheirSequence) {
  const std::pair<std::vector<int64_t>, std::vector<int64_t>> reshapes[] = {
      {{2, 3, 4}, {6, 4}},       {{2, 12}, {2, 3, 4}},
      {{2, 3, 1, 5}, {2, 3, 5}}, {{2, 3, 5}, {1, 2, 3, 1, 5}},
      {{4, 6}, {2, 2, 3, 2}},    {{2, 3, 4, 5}, {6, 20}}};
  std::mt19937 random(3);
  for (const auto &[from, to] : reshapes) {
    auto groups = reshapeGroups(from, to);
    ASSERT_TRUE(groups);
    Order order;
    for (size_t d = 0; d < from.size(); ++d)
      order.push_back(static_cast<int64_t>(d));
    for (int turn = 0; turn < 20; ++turn) {
      std::shuffle(order.begin(), order.end(), random);
      Order near = together(*groups, order);
      EXPECT_TRUE(std::is_permutation(near.begin(), near.end(), order.begin()));
      Order result = reshapedOrder(*groups, near);
      ASSERT_EQ(result.size(), to.size());
      EXPECT_EQ(sequence(from, near), sequence(to, result));
    }
  }
}
