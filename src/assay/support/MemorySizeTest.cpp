// Budgets are charged and given back; sizes are read as users write them.
#include "assay/support/MemorySize.h"
#include "assay/support/MemoryBudget.h"

#include "gtest/gtest.h"

using namespace assay;

TEST(MemoryBudget, ChargesUpToItsLimitAndKeepsThePeak) {
  MemoryBudget budget(100);
  EXPECT_TRUE(budget.charge(60));
  EXPECT_FALSE(budget.charge(41));
  EXPECT_TRUE(budget.charge(40));
  budget.release(100);
  EXPECT_EQ(budget.usedBytes(), 0);
  EXPECT_EQ(budget.peakBytes(), 100);
  EXPECT_GT(machineMemoryBytes(), defaultMemoryBytes());
}

TEST(Sizes, AreNumbersWithAUnit) {
  for (auto [text, bytes] : {std::pair("4096", int64_t{4096}),
                             {"1K", 1024},
                             {"1.5m", 3 << 19},
                             {"2G", int64_t{1} << 31},
                             {"2GiB", int64_t{1} << 31},
                             {"2gb", int64_t{1} << 31},
                             {"1t", int64_t{1} << 40}}) {
    llvm::Expected<int64_t> size = parseSize(text);
    ASSERT_TRUE(bool(size)) << text;
    EXPECT_EQ(*size, bytes) << text;
  }
  for (const char *text : {"", "much", "-1", "0", "G", "nan", "1e30", "4X"}) {
    llvm::Expected<int64_t> size = parseSize(text);
    ASSERT_FALSE(bool(size)) << text;
    EXPECT_EQ(takeError(size.takeError()).message,
              "'" + std::string(text) + "' is not a size such as 500M or 4G");
  }
}
