// Journals, CK Tile's files, samples and metrics, on data small enough to
// check by hand.
#include "assay/select/Features.h"
#include "assay/select/Journal.h"
#include "assay/select/LightGbmText.h"
#include "assay/select/Metrics.h"
#include "assay/select/CkGemm.h"
#include "assay/select/Shapes.h"
#include "assay/select/spaces/Gemm.h"
#include "assay/select/Timing.h"

#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <cmath>
#include <map>

using namespace assay;
using namespace assay::select;

static Measurement makeRow(int64_t m, const char *kernel, double ratio) {
  Measurement row;
  row.problem = gemmProblems({}, kernels::Layout::RCR, {{m, 4, 8}}, {1})[0];
  row.kernel = kernel;
  row.anchor = kernel;
  row.ratio = ratio;
  row.anchorNs = 100;
  row.pairs = 3;
  row.valid = ratio > 0;
  row.reason = ratio > 0 ? "" : "it failed its check";
  return row;
}
static const char *const kA =
    "tile_14x32x4_98x3072x384_np_nkm_plain_sk1_t0x0_exact_fused";
static const char *const kB =
    "tile_6x64x4_3072x512x768_np_mkn_plain_sk1_t0x0_exact_fused";

TEST(Journal, ALastLineThatWasCutIsDropped) {
  std::string text =
      journalLine(CollectSettings{"f32", "rcr", "all", "c", "h", 7, 5}) + "\n";
  std::string first = journalLine(makeRow(2, kA, 1)) + "\n",
              done = journalDoneLine("f32 rcr 2x4x8 b1 t1", 0.25) + "\n",
              second = journalLine(makeRow(2, kB, 0.5)) + "\n";
  std::string whole = text + first + done;
  for (size_t cut = 0; cut < second.size(); ++cut) {
    llvm::Expected<Journal> journal =
        parseJournal(whole + second.substr(0, cut), "j");
    ASSERT_TRUE(bool(journal)) << llvm::toString(journal.takeError());
    EXPECT_EQ(journal->rows.size(), 1u);
    EXPECT_EQ(journal->settings.seed, 7u);
    EXPECT_EQ(journal->settings.pairs, 5);
    EXPECT_EQ(journal->done.count("f32 rcr 2x4x8 b1 t1"), 1u);
    EXPECT_EQ(journal->noiseFloors, std::vector<double>{0.25});
  }
  llvm::Expected<Journal> damaged =
      parseJournal(text + "nonsense\n" + first, "j");
  ASSERT_FALSE(bool(damaged));
  EXPECT_EQ(takeError(damaged.takeError()).code, ErrorCode::DataLoss);
  llvm::Expected<Journal> cut = parseJournal(text.substr(0, 20), "j");
  ASSERT_TRUE(bool(cut)) << llvm::toString(cut.takeError());
  EXPECT_TRUE(cut->isEmpty);
}

static ColumnTable makeTable() {
  Provenance p;
  p.machineClass = "avx2 l1=32K l2=512K l3=8192K";
  std::vector<Measurement> rows = {makeRow(2, kA, 1), makeRow(2, kB, 0.8),
                                   makeRow(2, kB, 0.5), makeRow(3, kA, 1),
                                   makeRow(3, kB, 0)};
  return toTable(rows, p, 0.01);
}

TEST(Dataset, ALaterRoundReplacesAnEarlierOneAndFailuresStay) {
  ColumnTable table = makeTable();
  ASSERT_EQ(table.rows, 4);
  EXPECT_EQ(table.find("ratio")->numbers[1], 0.5);
  EXPECT_DOUBLE_EQ(table.find("latency_ms")->numbers[1], 50e-6);
  EXPECT_DOUBLE_EQ(table.find("measured_tflops")->numbers[1],
                   2.0 * 2 * 4 * 8 / 50 * 1e-3);
  EXPECT_EQ(table.find("is_valid")->integers[3], 0);
  EXPECT_EQ(table.find("reason")->texts[3], "it failed its check");
  EXPECT_TRUE(std::isnan(table.find("latency_ms")->numbers[3]));
}

TEST(Dataset, TheTimeOfAProblemIsTheMedianOfItsAnchors) {
  std::vector<Measurement> rows = {makeRow(2, kA, 1), makeRow(2, kB, 2),
                                   makeRow(5, kA, 1), makeRow(5, kB, 0)};
  rows[0].anchorNs = 90;
  rows[1].anchorNs = 130;
  rows[3].ratio = 0.7; // it failed, whatever was measured before
  Measurement again = rows[0];
  again.anchorNs = 100;
  rows.push_back(again);
  ColumnTable table = toTable(rows, Provenance(), 0.01);
  ASSERT_EQ(table.rows, 4);
  std::map<std::pair<int64_t, std::string>, double> ms;
  for (size_t i = 0; i < 4; ++i)
    ms[{table.find("m")->integers[i], table.find("kernel_name")->texts[i]}] =
        table.find("latency_ms")->numbers[i];
  EXPECT_DOUBLE_EQ((ms[{2, kA}]), 100e-6);
  EXPECT_DOUBLE_EQ((ms[{2, kB}]), 200e-6);
  EXPECT_DOUBLE_EQ((ms[{5, kA}]), 100e-6);
  EXPECT_TRUE(std::isnan(ms[{5, kB}]));
}

TEST(Samples, GroupRowsAndRefuseNonNumbers) {
  llvm::Expected<Samples> samples = makeSamples(makeTable(), "gemm", "f32");
  ASSERT_TRUE(bool(samples)) << llvm::toString(samples.takeError());
  EXPECT_EQ(samples->groups.size(), 2u);
  EXPECT_EQ(samples->failures, 1);
  EXPECT_EQ(samples->value(Target::Efficiency, 0), 0.5);
  EXPECT_EQ(samples->value(Target::Efficiency, 1), 1);
  ColumnTable bad = makeTable();
  for (Column &column : bad.columns)
    if (column.name == "measured_tflops")
      column.numbers[0] = std::nan("");
  llvm::Expected<Samples> refused = makeSamples(bad, "gemm", "f32");
  ASSERT_FALSE(bool(refused));
  EXPECT_NE(takeError(refused.takeError()).message.find("measured_tflops"),
            std::string::npos);
  llvm::Expected<Samples> none = makeSamples(makeTable(), "gemm", "bf16");
  ASSERT_FALSE(bool(none));
  EXPECT_EQ(takeError(none.takeError()).code, ErrorCode::NotFound);
}

TEST(Metrics, EfficienciesByHand) {
  llvm::Expected<Samples> samples = makeSamples(makeTable(), "gemm", "f32");
  ASSERT_TRUE(bool(samples));
  // Problem 2: kA takes twice the time of kB. Problem 3: kB failed, so that
  // picking it counts as a miss.
  std::vector<PickOutcome> wrong = judgePicks(*samples, {1, 0, 0, 1});
  ASSERT_EQ(wrong.size(), 2u);
  EXPECT_DOUBLE_EQ(wrong[0].efficiency, 0.5);
  EXPECT_FALSE(wrong[0].top1);
  EXPECT_TRUE(wrong[0].top5);
  EXPECT_EQ(wrong[1].efficiency, 0);
  std::vector<PickOutcome> right = judgePicks(*samples, {0, 1, 1, 0});
  EXPECT_EQ(right[0].efficiency, 1);
  EXPECT_EQ(right[1].efficiency, 1);
  EXPECT_EQ(right[0].ndcg[2], 1);
  Summary summary = summarize(wrong);
  EXPECT_DOUBLE_EQ(summary.mean.value, 0.25);
  EXPECT_DOUBLE_EQ(summary.p50.value, 0.25);
  EXPECT_DOUBLE_EQ(summary.p10.value, 0.05);
  EXPECT_EQ(summary.min.value, 0);
  EXPECT_LE(summary.mean.low, summary.mean.value);
  EXPECT_GE(summary.mean.high, summary.mean.value);
  EXPECT_TRUE(accept(right, wrong, *samples).accepted);
  EXPECT_FALSE(accept(wrong, right, *samples).accepted);
}

TEST(Metrics, QuantilesInterpolateAsNumpyDoes) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.1), 1.3);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.9), 7);
}

TEST(Timing, PairsAreSummarisedByTheMedianAndItsInterval) {
  EXPECT_EQ(summarizePairs({3, 1, 2}).median, 2);
  EXPECT_EQ(summarizePairs({1, 2, 3, 4}).median, 2.5);
  std::vector<double> hundred;
  for (int i = 0; i < 100; ++i)
    hundred.push_back(i < 3 ? 50.0 : 1.0); // interruptions do not matter
  EXPECT_EQ(summarizePairs(hundred).median, 1);
  EXPECT_EQ(summarizePairs(hundred).noise, 0);
}

TEST(Shapes, ListsAreReadByColumnNameAndBadLinesNamed) {
  std::string path = testing::TempDir() + "/assay_shapes.csv";
  ASSERT_FALSE(bool(writeFileAtomically(
      path, "k,family,m,n\r\n8,x,2,4\r\n\r\n16,y,1,1\r\n")));
  llvm::Expected<std::vector<Shape>> shapes = readShapes(path);
  ASSERT_TRUE(bool(shapes)) << llvm::toString(shapes.takeError());
  EXPECT_EQ((*shapes)[0], (Shape{2, 4, 8, 1}));
  EXPECT_EQ(shapes->size(), 2u);
  for (const char *bad : {"m,n\n1,2\n", "m,n,k\n1,2\n", "m,n,k\n1,2,0\n",
                          "m,n,k\n1,2,x\n", "m,n,k\n"}) {
    ASSERT_FALSE(bool(writeFileAtomically(path, bad)));
    llvm::Expected<std::vector<Shape>> refused = readShapes(path);
    ASSERT_FALSE(bool(refused)) << bad;
    EXPECT_EQ(takeError(refused.takeError()).code, ErrorCode::InvalidArgument);
  }
  llvm::sys::fs::remove(path);
}

// ---- CK Tile's formats

static const char *const kCkName =
    "gemm_universal_fp16_rcr_mem_cshuffle_interwave_False_False_False_True_"
    "128x64x32_2x2x1_32x32x16_vec8_8_4";

TEST(CkNames, ParseIntoTheirParts) {
  llvm::Expected<CkKernelName> name = parseCkName(kCkName);
  ASSERT_TRUE(bool(name)) << llvm::toString(name.takeError());
  EXPECT_EQ(name->pipeline, "mem");
  EXPECT_EQ(name->epilogue, "cshuffle");
  EXPECT_EQ(name->scheduler, "interwave");
  EXPECT_EQ(name->tile[1], 64);
  EXPECT_EQ(name->warpTile[2], 16);
  EXPECT_EQ(name->vec[2], 4);
  EXPECT_TRUE(name->persistent);
  for (const char *bad : {"", "gemm_", "conv_fp16",
                          "gemm_fp16_rcr_mem_default_intrawave_False_False_"
                          "False_True_1x2_1x1x1_1x1x1",
                          "gemm_fp16_rcr_default_intrawave_Maybe_False_False_"
                          "True_1x2x3_1x1x1_1x1x1"}) {
    llvm::Expected<CkKernelName> refused = parseCkName(bad);
    EXPECT_FALSE(bool(refused)) << bad;
    llvm::consumeError(refused.takeError());
  }
}

static void expectOneRow(const std::string &text, int64_t damaged) {
  ConvertReport report;
  llvm::Expected<ColumnTable> table = convertCk(text, "ck", {}, report);
  ASSERT_TRUE(bool(table)) << llvm::toString(table.takeError());
  EXPECT_EQ(report.rows, 1);
  EXPECT_EQ(report.valid, 1);
  EXPECT_EQ(report.damaged, damaged);
  EXPECT_EQ(table->find("m")->integers[0], 16);
  EXPECT_DOUBLE_EQ(table->find("measured_tflops")->numbers[0], 1.5);
  EXPECT_EQ(table->find("tile_m")->integers[0], 128);
  EXPECT_EQ(table->find("pad_m")->integers[0], 1) << "the pipeline mem pads";
  llvm::Expected<Samples> samples =
      makeSamples(*table, "gemm_universal", "fp16");
  ASSERT_TRUE(bool(samples)) << llvm::toString(samples.takeError());
  EXPECT_EQ(samples->features.size(), 72u);
}

TEST(CkConvert, Json) {
  expectOneRow(
      std::string(
          "{\"metadata\":{},\"results\":[{\"kernel_config\":{\"name\":\"") +
          kCkName +
          "\",\"dtype\":\"fp16\",\"layout\":\"rcr\"},\"benchmarks\":[{\"kernel_"
          "name\":\"" +
          kCkName +
          "\",\"m\":16,\"n\":32,\"k\":64,\"avg_time_ms\":0.5,\"tflops\":1.5,"
          "\"is_valid\":true}, 3]}, {}]}",
      2);
}

TEST(CkConvert, LogWithAnObjectThatIsCut) {
  expectOneRow(
      std::string("noise\nShape 1: M=16 N=32 K=64 dtype=fp16 "
                  "layout=rcr\n{\"name\":\"") +
          kCkName +
          "\",\n \"problem\":{\"split_k\":1,\"m\":16,\"n\":32,\"k\":64},\n "
          "\"perf_result\":{\"latency(ms)\":0.5,\"tflops(TFlops)\":1.5,"
          "\"bandwidth(GB/s)\":2}}\n{\"name\": \n",
      1);
}

TEST(CkConvert, Csv) {
  expectOneRow(std::string("kernel_name,m,n,k,latency_ms,tflops\n") +
                   kCkName + ",16,32,64,0.5,1.5\nbroken,1,1,1,1,1\n",
               1);
}

TEST(CkConvert, ConvolutionTable) {
  ConvertReport report;
  llvm::Expected<ColumnTable> table =
      convertCk("kernel,problem_idx,N,C,K,G,latency_ms,tflops,non_"
                  "zero\ngrouped_conv_forward_bf16_2d_64x64x32_compv3_dsb,"
                  "0,1,64,64,1,0.1,2,5\nstrange,0,1,64,64,1,0.1,2,5\n",
                  "ck", {}, report);
  ASSERT_TRUE(bool(table)) << llvm::toString(table.takeError());
  EXPECT_EQ(table->find("op_type")->texts[0], "grouped_conv");
  EXPECT_EQ(table->find("dtype")->texts[0], "bf16");
  EXPECT_EQ(table->find("C")->integers[0], 64);
  EXPECT_EQ(report.valid, 1);
  EXPECT_EQ(report.damaged, 1);
}

TEST(CkConvert, OtherTextIsRefused) {
  for (const char *text : {"", "hello", "{\"results\":", "{\"x\":1}",
                           "a,b,c\n1,2,3\n", "m,n,k\n"}) {
    ConvertReport report;
    llvm::Expected<ColumnTable> table = convertCk(text, "ck", {}, report);
    EXPECT_FALSE(bool(table)) << text;
    llvm::consumeError(table.takeError());
  }
}
