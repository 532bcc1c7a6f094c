#include "assay/pjrt/CompileOptions.h"

#include "gtest/gtest.h"

namespace assay::pjrt {
namespace {

/// Encodes a field that contains bytes.
std::string bytesOf(int number, const std::string &inner) {
  return std::string(1, static_cast<char>(number << 3 | 2)) +
         static_cast<char>(inner.size()) + inner;
}

std::string numberOf(int number, int value) {
  return {static_cast<char>(number << 3), static_cast<char>(value)};
}

TEST(CompileOptions, NothingMeansOneDevice) {
  llvm::Expected<CompileOptions> options = CompileOptions::read("");
  ASSERT_TRUE(static_cast<bool>(options));
  EXPECT_EQ(options->replicas, 1);
  EXPECT_EQ(options->partitions, 1);
  EXPECT_TRUE(options->devices.empty());
}

TEST(CompileOptions, DevicesAreReplicaByReplica) {
  // Two replicas of three partitions; for each partition the ids of its
  // replicas.
  std::string assignment = numberOf(1, 2) + numberOf(2, 3);
  for (int partition = 0; partition < 3; ++partition)
    assignment += bytesOf(3, bytesOf(1, {static_cast<char>(partition),
                                         static_cast<char>(partition + 3)}));
  std::string build = numberOf(4, 2) + numberOf(5, 3) + bytesOf(9, assignment) +
                      bytesOf(3, "what debug options say");
  llvm::Expected<CompileOptions> options =
      CompileOptions::read(bytesOf(3, build) + numberOf(4, 1));
  ASSERT_TRUE(static_cast<bool>(options));
  EXPECT_EQ(options->replicas, 2);
  EXPECT_EQ(options->partitions, 3);
  EXPECT_TRUE(options->portable);
  EXPECT_EQ(options->devices, (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
}

TEST(CompileOptions, DamagedBytesAreAnError) {
  for (const std::string &bytes :
       {std::string("\x1a\x7f"), std::string("\x1b"), std::string("\x80"),
        bytesOf(3, numberOf(5, 0))}) {
    llvm::Expected<CompileOptions> options = CompileOptions::read(bytes);
    ASSERT_FALSE(static_cast<bool>(options));
    EXPECT_EQ(takeError(options.takeError()).message,
              "the compile options are not a protocol buffer");
  }
}

} // namespace
} // namespace assay::pjrt
