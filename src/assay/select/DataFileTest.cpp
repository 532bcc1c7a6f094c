// A data file in all situations: growth, other settings, kills between any two
// steps, two runs at once, files that others wrote.
#include "assay/select/DataFile.h"
#include "assay/select/Parquet.h"
#include "assay/select/spaces/Gemm.h"

#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <fcntl.h>
#include <unistd.h>

using namespace assay;
using namespace assay::select;

static const char *const kA =
    "tile_14x32x4_98x3072x384_np_nkm_plain_sk1_t0x0_exact_fused";
static const char *const kB =
    "tile_6x64x4_3072x512x768_np_mkn_plain_sk1_t0x0_exact_fused";

static Measurement makeRow(int64_t m, const char *kernel, double ratio,
                           double anchorNs = 100) {
  Measurement row;
  row.problem = gemmProblems({}, kernels::Layout::RCR, {{m, 4, 8}}, {1})[0];
  row.kernel = kernel;
  row.anchor = kA;
  row.ratio = ratio;
  row.anchorNs = anchorNs;
  row.pairs = 3;
  row.valid = true;
  return row;
}

class DataFiles : public testing::Test {
protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/assay_data_file";
    llvm::sys::fs::remove_directories(folder_);
    llvm::sys::fs::create_directories(folder_);
    path_ = folder_ + "/d.parquet";
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder_); }

  std::unique_ptr<DataFile> open(const std::string &run = "r1") {
    Provenance p;
    p.runId = run;
    llvm::Expected<std::unique_ptr<DataFile>> file =
        DataFile::open(path_, settings_, p);
    if (file)
      return std::move(*file);
    message_ = takeError(file.takeError()).message;
    return nullptr;
  }
  void measure(DataFile &file, const Measurement &row) {
    ASSERT_FALSE(bool(file.append(row)));
  }
  ColumnTable table() {
    llvm::Expected<ColumnTable> table = readParquet(path_);
    EXPECT_TRUE(bool(table));
    return table ? std::move(*table) : ColumnTable();
  }
  std::string folder_, path_, message_;
  CollectSettings settings_{"f32", "rcr", "all", "c", "h", 7, 5};
};

TEST_F(DataFiles, GrowAndKeepWhatTheyHold) {
  {
    std::unique_ptr<DataFile> file = open();
    ASSERT_TRUE(file);
    measure(*file, makeRow(2, kA, 1));
    measure(*file, makeRow(2, kB, 0.5, 140));
    measure(*file, makeRow(2, kB, 0.6, 130)); // a later round
    ASSERT_FALSE(bool(file->markComplete("f32 rcr 2x4x8 b1 t1", 0.02)));
    measure(*file, makeRow(3, kA, 1)); // not complete
    ASSERT_TRUE(bool(file->finish()));
  }
  EXPECT_FALSE(llvm::sys::fs::exists(path_ + ".journal"));
  llvm::Error refused = checkOverwrite(path_);
  ASSERT_TRUE(bool(refused));
  EXPECT_NE(takeError(std::move(refused)).message.find("not overwritten"),
            std::string::npos);
  ColumnTable before = table();
  std::unique_ptr<DataFile> file = open("r2");
  ASSERT_TRUE(file) << message_;
  EXPECT_EQ(file->keptRows(), 3);
  EXPECT_TRUE(file->isComplete("f32 rcr 2x4x8 b1 t1"));
  EXPECT_FALSE(file->isComplete("f32 rcr 3x4x8 b1 t1"));
  ASSERT_EQ(file->rowsOf("f32 rcr 3x4x8 b1 t1").size(), 1u);
  EXPECT_EQ(file->rowsOf("f32 rcr 3x4x8 b1 t1")[0].kernel, kA);
  measure(*file, makeRow(3, kB, 0.25, 300));
  llvm::Expected<DataFile::Totals> totals = file->finish();
  ASSERT_TRUE(bool(totals)) << llvm::toString(totals.takeError());
  EXPECT_EQ(totals->rows, 4);
  EXPECT_DOUBLE_EQ(totals->noiseFloor, 0.02);
  ColumnTable after = table();
  ASSERT_EQ(after.rows, 4);
  // The problem without new rows keeps its own. The rows of the other problem
  // share the time of its anchor, and each keeps the run that made it.
  EXPECT_EQ(after.find("m")->integers, (std::vector<int64_t>{3, 3, 2, 2}));
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(after.find("latency_ms")->numbers[2 + i],
              before.find("latency_ms")->numbers[i]);
  EXPECT_EQ(after.find("run_id")->texts,
            (std::vector<std::string>{"r1", "r2", "r1", "r1"}));
  EXPECT_DOUBLE_EQ(after.find("latency_ms")->numbers[1],
                   after.find("latency_ms")->numbers[0] * 0.25);
}

TEST_F(DataFiles, AKilledRunIsFoundWhereverItDied) {
  // A run died while measuring: no table, a journal whose last line is cut off.
  {
    std::unique_ptr<DataFile> file = open();
    ASSERT_TRUE(file);
    measure(*file, makeRow(2, kA, 1));
  }
  int journal = ::open((path_ + ".journal").c_str(), O_WRONLY | O_APPEND);
  ASSERT_EQ(::write(journal, "{\"m\":2,\"n", 9), 9);
  ::close(journal);
  {
    std::unique_ptr<DataFile> file = open();
    ASSERT_TRUE(file) << message_;
    EXPECT_EQ(file->keptRows(), 1);
    measure(*file, makeRow(2, kB, 0.5));
    // A run died between the renaming of the table and the removal of the
    // journal.
    ASSERT_FALSE(
        bool(llvm::sys::fs::copy_file(path_ + ".journal", folder_ + "/copy")));
    ASSERT_TRUE(bool(file->finish()));
  }
  ASSERT_FALSE(
      bool(llvm::sys::fs::rename(folder_ + "/copy", path_ + ".journal")));
  std::unique_ptr<DataFile> file = open();
  ASSERT_TRUE(file) << message_;
  llvm::Expected<DataFile::Totals> totals = file->finish();
  ASSERT_TRUE(bool(totals));
  EXPECT_EQ(totals->rows, 2);
  EXPECT_EQ(table().rows, 2);
}

TEST_F(DataFiles, OtherSettingsAreRefusedByName) {
  for (bool finished : {false, true}) {
    {
      std::unique_ptr<DataFile> file = open();
      ASSERT_TRUE(file) << message_;
      measure(*file, makeRow(2, kA, 1));
      if (finished) {
        ASSERT_TRUE(bool(file->finish()));
      }
    }
    CollectSettings kept = settings_;
    settings_ = {"f32", "rcr", "active", "c", "h", 9, 6};
    EXPECT_FALSE(open());
    EXPECT_NE(message_.find("holds measurements with other settings: --kernels "
                            "all (now active), --seed 7 (now 9), --pairs 5 "
                            "(now 6); repeat those, or choose another output"),
              std::string::npos)
        << message_;
    settings_ = {"f16", "rrr", "all", "d", "i", 7, 5};
    EXPECT_FALSE(open());
    EXPECT_NE(message_.find("--dtype f32 (now f16), --layout rcr (now rrr), "
                            "machine c (now d), list of kernels h (now i)"),
              std::string::npos)
        << message_;
    settings_ = kept;
    EXPECT_EQ(llvm::sys::fs::exists(path_ + ".journal"), !finished);
  }
}

TEST_F(DataFiles, OneRunAtATime) {
  std::unique_ptr<DataFile> first = open();
  ASSERT_TRUE(first);
  EXPECT_FALSE(open());
  EXPECT_NE(message_.find("another run writes to '"), std::string::npos);
  first.reset();
  EXPECT_TRUE(open());
}

TEST_F(DataFiles, OtherFilesAreLeftAlone) {
  ColumnTable other;
  other.rows = 1;
  other.add("m", ColumnType::Integer).integers = {1};
  ASSERT_FALSE(bool(writeParquet(other, path_)));
  EXPECT_FALSE(bool(checkOverwrite(path_)));
  EXPECT_FALSE(open());
  EXPECT_NE(message_.find("does not say the settings"), std::string::npos);
  other.metadata["assay_settings"] =
      llvm::formatv("{0}", llvm::json::Value(settings_.toJson())).str();
  ASSERT_FALSE(bool(writeParquet(other, path_)));
  EXPECT_FALSE(open());
  EXPECT_NE(message_.find("there is no column 'n' of the type"),
            std::string::npos)
      << message_;
  EXPECT_EQ(table().rows, 1);
  path_ = "/dev/null";
  EXPECT_FALSE(open());
  EXPECT_NE(message_.find("'/dev/null' is not a regular file"), std::string::npos);
}

TEST_F(DataFiles, AFolderHasAFileForEachSettings) {
  path_ = folder_;
  std::unique_ptr<DataFile> a = open();
  ASSERT_TRUE(a) << message_;
  settings_.seed = 8;
  std::unique_ptr<DataFile> b = open();
  ASSERT_TRUE(b) << message_;
  EXPECT_NE(a->path(), b->path());
  llvm::Expected<DataFile::Totals> none = a->finish();
  ASSERT_FALSE(bool(none));
  EXPECT_NE(takeError(none.takeError()).message.find("nothing was measured"),
            std::string::npos);
}
