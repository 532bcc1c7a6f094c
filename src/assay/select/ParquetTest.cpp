// Parquet round trips through the Arrow adapter, tables that differ, and files
// that are cut short.
#include "assay/select/Parquet.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace assay;
using namespace assay::select;

static ColumnTable makeTable() {
  ColumnTable table;
  table.rows = 3;
  table.add("number", ColumnType::Float).numbers = {1.5, std::nan(""), -0.0};
  table.add("count", ColumnType::Integer).integers = {1, int64_t(1) << 62, -3};
  table.add("valid", ColumnType::Boolean).integers = {1, 0, 1};
  table.add("name", ColumnType::Text).texts = {"a", "", "tile_14x32"};
  table.metadata["noise_floor"] = "0.01";
  return table;
}

class Parquet : public testing::Test {
protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/assay_parquet";
    llvm::sys::fs::remove_directories(folder_);
    llvm::sys::fs::create_directories(folder_);
    llvm::Error error = writeParquet(makeTable(), folder_ + "/a.parquet");
    ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder_); }
  std::string folder_;
};

TEST_F(Parquet, RoundTripKeepsTypesBitsAndMetadata) {
  llvm::Expected<ColumnTable> back = readParquet(folder_ + "/a.parquet");
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  ColumnTable table = makeTable();
  ASSERT_EQ(back->rows, 3);
  EXPECT_EQ(back->find("count")->integers, table.find("count")->integers);
  EXPECT_EQ(back->find("valid")->type, ColumnType::Boolean);
  EXPECT_EQ(back->find("valid")->integers, table.find("valid")->integers);
  EXPECT_EQ(back->find("name")->texts, table.find("name")->texts);
  EXPECT_EQ(back->find("number")->numbers[0], 1.5);
  EXPECT_TRUE(std::isnan(back->find("number")->numbers[1]));
  EXPECT_TRUE(std::signbit(back->find("number")->numbers[2]));
  EXPECT_EQ(back->metadata["noise_floor"], "0.01");
}

TEST_F(Parquet, AFolderIsOneTableWithWhatSomeFilesLackMissing) {
  ColumnTable other = makeTable();
  other.columns.pop_back();
  Column &more = other.add("count_more", ColumnType::Integer);
  more.integers = {7, 8, 9};
  ASSERT_FALSE(bool(writeParquet(other, folder_ + "/b.parquet")));
  llvm::Expected<ColumnTable> all = readParquetFolder(folder_);
  ASSERT_TRUE(bool(all)) << llvm::toString(all.takeError());
  EXPECT_EQ(all->rows, 6);
  ASSERT_NE(all->find("name"), nullptr);
  EXPECT_FALSE(all->find("name")->texts[0].empty());
  EXPECT_TRUE(all->find("name")->texts[5].empty());
  EXPECT_EQ(all->find("count")->integers.size(), 6u);
  EXPECT_TRUE(std::isnan(all->find("count_more")->numbers[2]));
  EXPECT_EQ(all->find("count_more")->numbers[3], 7);
}

TEST_F(Parquet, EveryTruncationIsRefused) {
  std::string whole = folder_ + "/a.parquet", cut = folder_ + "/cut.parquet";
  uint64_t size = 0;
  ASSERT_FALSE(bool(llvm::sys::fs::file_size(whole, size)));
  for (uint64_t keep = 0; keep < size; keep += 97) {
    ASSERT_FALSE(bool(llvm::sys::fs::copy_file(whole, cut)));
    int descriptor = -1;
    ASSERT_FALSE(bool(llvm::sys::fs::openFileForReadWrite(
        cut, descriptor, llvm::sys::fs::CD_OpenExisting,
        llvm::sys::fs::OF_None)));
    ASSERT_FALSE(bool(llvm::sys::fs::resize_file(descriptor, keep)));
    llvm::sys::Process::SafelyCloseFileDescriptor(descriptor);
    llvm::Expected<ColumnTable> damaged = readParquet(cut);
    ASSERT_FALSE(bool(damaged)) << "kept " << keep;
    EXPECT_EQ(takeError(damaged.takeError()).code, ErrorCode::DataLoss);
  }
}

TEST(ParquetFolder, AnEmptyFolderSaysWhatWasLookedFor) {
  std::string folder = testing::TempDir() + "/assay_empty";
  llvm::sys::fs::create_directories(folder);
  llvm::Expected<ColumnTable> all = readParquetFolder(folder);
  ASSERT_FALSE(bool(all));
  ErrorText error = takeError(all.takeError());
  EXPECT_EQ(error.code, ErrorCode::NotFound);
  EXPECT_NE(error.message.find(".parquet"), std::string::npos);
  llvm::sys::fs::remove_directories(folder);
}
