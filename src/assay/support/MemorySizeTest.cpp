// Budgets are charged and given back; sizes are read as users write them.
#include "assay/support/MemorySize.h"
#include "assay/support/Interrupt.h"
#include "assay/support/Math.h"
#include "assay/support/MemoryBudget.h"
#include "assay/support/UserFolder.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <optional>
#include <string>

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
  EXPECT_GT(machineMemoryBytes(), availableMemoryBytes());
  EXPECT_GT(availableMemoryBytes(), 0);
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

TEST(MemoryBudget, WhatIsRefusedIsNotChargedAndNoPeak) {
  MemoryBudget budget(100);
  EXPECT_FALSE(budget.charge(101));
  EXPECT_EQ(budget.usedBytes(), 0);
  EXPECT_EQ(budget.peakBytes(), 0);
  EXPECT_TRUE(budget.charge(100));
  budget.release(30);
  EXPECT_EQ(budget.usedBytes(), 70);
  EXPECT_TRUE(budget.charge(10));
  EXPECT_EQ(budget.peakBytes(), 100);
  EXPECT_EQ(MemoryBudget().limitBytes(), INT64_MAX);
}

TEST(Sizes, UnitsMayEndInBAndTheLargestFits) {
  for (auto [text, bytes] : {std::pair("12B", int64_t{12}),
                             {"1kb", 1024},
                             {"3MB", 3 << 20},
                             {"1KiB", 1024},
                             {"0.5K", 512},
                             {"8000000T", int64_t{8000000} << 40}}) {
    llvm::Expected<int64_t> size = parseSize(text);
    ASSERT_TRUE(bool(size)) << text;
    EXPECT_EQ(*size, bytes) << text;
  }
  for (const char *text : {"9000000T", "inf", "-inf", "1 2", "0K", "0x"}) {
    llvm::Expected<int64_t> size = parseSize(text);
    EXPECT_FALSE(bool(size)) << text;
    llvm::consumeError(size.takeError());
  }
}

namespace {
/// An environment variable for one test.
class Variable {
public:
  explicit Variable(const char *name) : name_(name) {
    if (const char *old = std::getenv(name))
      old_ = old;
  }
  ~Variable() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }
  void set(const char *value) { setenv(name_, value, 1); }
  void unset() { unsetenv(name_); }

private:
  const char *name_;
  std::optional<std::string> old_;
};
} // namespace

TEST(UserFolder, IsWhereTheXdgSpecificationPutsIt) {
  Variable data("XDG_DATA_HOME"), home("HOME");
  home.set("/home/someone");
  data.set("/data");
  EXPECT_EQ(userDataFolder(), "/data/assay");
  data.set("");
  EXPECT_EQ(userDataFolder(), "/home/someone/.local/share/assay");
  data.unset();
  EXPECT_EQ(userDataFolder(), "/home/someone/.local/share/assay");
}

TEST(Interrupt, ATimeLimitIsAnErrorThatNamesItself) {
  Interrupt interrupt;
  EXPECT_FALSE(bool(interrupt.check()));
  interrupt.setTimeLimit(3600);
  EXPECT_FALSE(bool(interrupt.check()));
  interrupt.setTimeLimit(-0.5);
  ErrorText text = takeError(interrupt.check());
  EXPECT_EQ(text.code, ErrorCode::ResourceLimit);
  EXPECT_EQ(text.message, "the time limit of -0.50 s was reached; raise it "
                          "with --max-seconds");
}

TEST(Ratios, RoundUpwards) {
  EXPECT_EQ(ceilDiv(0, 4), 0);
  EXPECT_EQ(ceilDiv(1, 4), 1);
  EXPECT_EQ(ceilDiv(4, 4), 1);
  EXPECT_EQ(ceilDiv(5, 4), 2);
  EXPECT_EQ(roundUp(5, 4), 8);
  EXPECT_EQ(roundUp(8, 4), 8);
  EXPECT_EQ(ceilRatio(5, 2), 3);
  EXPECT_EQ(ceilRatio(5, 0.5), 5);
}
