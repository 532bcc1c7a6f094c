// Picks, measurements and lists, on numbers that can be checked by hand: how
// good a model's choices are, which parts of a measurement are kept, how
// several ranks extend a file, the shapes of a list.
#include "assay/select/spaces/Gemm.h"
#include "assay/select/DataFile.h"
#include "assay/select/LightGbmText.h"
#include "assay/select/Metrics.h"
#include "assay/select/Parquet.h"
#include "assay/select/PickChanges.h"
#include "assay/select/RocmInfo.h"
#include "assay/select/Shapes.h"
#include "assay/select/Timing.h"
#include "assay/support/TestFolder.h"
#include "assay/support/ThreadPool.h"

#include <cmath>
#include <fstream>
#include <tuple>

using namespace assay;
using namespace assay::select;

/// One problem; a rate of 0 means that the kernel failed.
static Samples problemOf(std::vector<double> rates, double noise = 0) {
  Samples samples;
  samples.groups.push_back({"p", "rcr", 4, 16, 600, 1, 2, 0, rates.size()});
  for (double rate : rates) {
    samples.group.push_back(0);
    samples.tflops.push_back(rate);
    samples.latencyMs.push_back(rate > 0 ? 1 / rate : 0);
    samples.valid.push_back(rate > 0);
    samples.noise.push_back(noise);
    samples.pipeline.push_back("plain");
  }
  return samples;
}

TEST(Picks, GainsAreDiscountedByTheLogarithmOfTheirPlace) {
  Samples samples = problemOf({2, 4, 1});
  PickOutcome outcome = judgePicks(samples, {3, 2, 1}).at(0);
  EXPECT_EQ(outcome.pick, 0u);
  EXPECT_EQ(outcome.best, 1u);
  EXPECT_DOUBLE_EQ(outcome.efficiency, 0.5);
  EXPECT_DOUBLE_EQ(outcome.pickMs, 0.5);
  EXPECT_DOUBLE_EQ(outcome.bestMs, 0.25);
  double third = std::log2(3.0);
  EXPECT_DOUBLE_EQ(outcome.ndcg[0], 0.5);
  EXPECT_DOUBLE_EQ(outcome.ndcg[1],
                   (0.5 + 1 / third + 0.25 / 2) / (1 + 0.5 / third + 0.25 / 2));
  // With equal scores the first by name is picked, which is the first row.
  EXPECT_EQ(judgePicks(samples, {1, 1, 1})[0].pick, 0u);
  // A pick that failed has no time; a problem where all failed is left out.
  EXPECT_TRUE(std::isnan(judgePicks(problemOf({0, 4}), {2, 1})[0].pickMs));
  EXPECT_TRUE(judgePicks(problemOf({0, 0}), {2, 1}).empty());
}

TEST(Picks, WithinTheNoiseOfTheBestIsAsGood) {
  auto top1 = [](double rate, double noise, double floor) {
    Samples samples = problemOf({rate, 100}, noise);
    samples.noiseFloor = floor;
    return judgePicks(samples, {2, 1})[0].top1;
  };
  EXPECT_FALSE(top1(97.9, 0.01, 0)); // both rows' noise: 2 %
  EXPECT_TRUE(top1(98.1, 0.01, 0));
  EXPECT_TRUE(top1(97.1, 0.01, 0.03));
  EXPECT_FALSE(top1(96.9, 0.01, 0.03));
  EXPECT_TRUE(top1(95.1, 0.4, 0)); // never more than 5 %
  EXPECT_FALSE(top1(94.9, 0.4, 0));
  // The best would be the fifth or the sixth to be tried.
  EXPECT_TRUE(
      judgePicks(problemOf({1, 2, 3, 4, 100, 5}), {6, 5, 4, 3, 2, 1})[0].top5);
  EXPECT_FALSE(
      judgePicks(problemOf({1, 2, 3, 4, 5, 100}), {6, 5, 4, 3, 2, 1})[0].top5);
}

static std::vector<PickOutcome> outcomesOf(std::vector<double> efficiencies) {
  std::vector<PickOutcome> outcomes;
  for (double efficiency : efficiencies) {
    outcomes.emplace_back().efficiency = efficiency;
    outcomes.back().bestMs = 1;
  }
  return outcomes;
}

TEST(Picks, AreSummedUpByMeansAndQuantiles) {
  Summary summary = summarize(outcomesOf({0.5, 1, 1, 1, 0.25}));
  EXPECT_EQ(summary.problems, 5u);
  EXPECT_DOUBLE_EQ(summary.mean.value, 0.75);
  EXPECT_DOUBLE_EQ(summary.p50.value, 1);
  EXPECT_DOUBLE_EQ(summary.p10.value, 0.35); // at 0.4 between 0.25 and 0.5
  EXPECT_DOUBLE_EQ(summary.p1.value, 0.26);
  EXPECT_DOUBLE_EQ(summary.min.value, 0.25);
  EXPECT_NEAR(summary.geomean, std::pow(0.125, 0.2), 1e-12);
  EXPECT_LE(summary.min.low, summary.min.high);
  EXPECT_LT(summary.mean.low, 0.75);
  EXPECT_GT(summary.mean.high, 0.75);
  // A miss does not make the geometric mean 0.
  EXPECT_NEAR(summarize(outcomesOf({0, 1})).geomean, 1e-3, 1e-9);
  EXPECT_EQ(summarize({}).problems, 0u);
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
}

TEST(Picks, OfAnotherListOfProblemsAreNotAccepted) {
  Samples samples = problemOf({1});
  EXPECT_FALSE(
      accept(outcomesOf({1, 1}), outcomesOf({1}), samples).accepted);
  EXPECT_FALSE(
      accept(outcomesOf({1}), outcomesOf({1, 1}), samples).accepted);
  // The tenth percentile may decrease by two hundredths, the median by half of
  // one.
  auto accepted = [&](std::vector<double> fresh, std::vector<double> before) {
    return accept(outcomesOf(std::move(fresh)), outcomesOf(std::move(before)),
                  samples)
        .accepted;
  };
  EXPECT_TRUE(accepted({0.781, 1, 1, 1, 1, 1}, {0.8, 0.98, 1, 1, 1, 1}));
  EXPECT_FALSE(
      accepted({0.75, 0.8, 1, 1, 1, 1}, {0.8, 0.8, 0.9, 0.9, 0.9, 0.9}));
  EXPECT_FALSE(accepted({1, 0.9, 0.9}, {0.8, 0.91, 0.91}));
}

TEST(Picks, ChangesAreCountedBeyondTheirSlack) {
  PickChanges changes;
  changes.add(true, 0.005);
  changes.add(false, 0.0051);
  changes.add(false, -0.0051);
  changes.add(false, 0.5);
  changes.add(false, -0.01, 0.02);
  EXPECT_EQ(changes.problems, 5u);
  EXPECT_EQ(changes.agree, 1u);
  EXPECT_EQ(changes.same, 2u);
  EXPECT_EQ(changes.improved, 2u);
  EXPECT_EQ(changes.degraded, 1u);
  std::string text;
  llvm::raw_string_ostream os(text);
  changes.print(os);
  EXPECT_EQ(text, "kernel selection agreement: 1 of 5 (20.0%)\n"
                  "per problem: improved 2 (40.0%), same 2 (40.0%), degraded 1 "
                  "(20.0%)\n");
  EXPECT_EQ(changes.toJson().getInteger("degraded"), 1);
  EXPECT_EQ(changes.toJson().getInteger("agree"), 1);
}

TEST(Timing, TheIntervalEndsAtOrderStatistics) {
  std::vector<double> ratios;
  for (int i = 100; i > 0; --i)
    ratios.push_back(i);
  PairStatistics s = summarizePairs(ratios); // 50 -+ 9.8
  EXPECT_DOUBLE_EQ(s.median, 50.5);
  EXPECT_EQ(s.low, 41);
  EXPECT_EQ(s.high, 61);
  EXPECT_DOUBLE_EQ(s.noise, 10 / 50.5);
  EXPECT_EQ(s.pairs, 100);
  EXPECT_EQ(summarizePairs({1, 1}).noise, 1); // two do not prove anything
  s = summarizePairs({1, 3, 2});
  EXPECT_EQ(s.low, 1);
  EXPECT_EQ(s.high, 3);
  EXPECT_DOUBLE_EQ(s.noise, 0.5);
  EXPECT_EQ(summarizePairs({}).pairs, 0);
}

static Measurement measured(int64_t m, const char *kernel) {
  Measurement row;
  row.problem = gemmProblems({kernels::DataType::U8, kernels::DataType::S8},
                             kernels::Layout::CRR, {{m, 5, 7, 3}}, {2})[0];
  row.kernel = kernel;
  row.anchor = "anchor";
  row.ratio = 0.75, row.noise = 0.125, row.anchorNs = 1000;
  row.pairs = 11, row.round = 4;
  row.noisy = true, row.valid = true;
  row.reason = "a reason";
  return row;
}

static const char *const kKernel =
    "tile_14x32x4_98x3072x384_np_nkm_pf8_sk4_t1x2_exact_apart";

static void expectSame(const Measurement &got, const Measurement &row) {
  EXPECT_EQ(problemKey(got), problemKey(row));
  EXPECT_EQ(got.kernel, row.kernel);
  EXPECT_EQ(got.anchor, row.anchor);
  EXPECT_EQ(got.ratio, row.ratio);
  EXPECT_EQ(got.noise, row.noise);
  EXPECT_EQ(got.anchorNs, row.anchorNs);
  EXPECT_EQ(got.pairs, row.pairs);
  EXPECT_EQ(got.round, row.round);
  EXPECT_EQ(got.noisy, row.noisy);
  EXPECT_EQ(got.valid, row.valid);
  EXPECT_EQ(got.reason, row.reason);
}

TEST(Measurements, AMeasurementIsReadAsItWasWritten) {
  Measurement row = measured(9, kKernel);
  EXPECT_EQ(problemKey(row), "u8s8 crr 9x5x7 b3 t2");
  CollectSettings settings{"u8s8", "crr", "all", "class", "hash", 7, 5};
  Journal journal = llvm::cantFail(parseJournal(
      journalLine(settings) + "\n" + journalLine(row) + "\n" +
          journalDoneLine("u8s8 crr 9x5x7 b3 t2", 0) + "\n" +
          journalDoneLine("other", 0.5) + "\n",
      "j"));
  EXPECT_EQ(journal.settings, settings);
  ASSERT_EQ(journal.rows.size(), 1u);
  expectSame(journal.rows[0], row);
  EXPECT_EQ(journal.done.size(), 2u);
  EXPECT_EQ(journal.noiseFloors, std::vector<double>{0.5}); // 0: there was none

  Provenance first{"cpu",   "class", "gcc", "llvm", "assay",
                   "hash", "r1",    "t1",  5},
      second = first;
  second.runId = "r2";
  Measurement later = measured(10, kKernel);
  later.run = 1;
  ColumnTable table = toTable({row, later}, {first, second}, 0.25);
  StoredRows stored = llvm::cantFail(fromTable(table));
  ASSERT_EQ(stored.rows.size(), 2u);
  expectSame(stored.rows[0], row);
  EXPECT_EQ(stored.runs, (std::vector<Provenance>{first, second}));
  EXPECT_EQ(stored.rows[1].run, 1);
  auto number = [&](const char *name) { return table.find(name)->numbers[0]; };
  EXPECT_DOUBLE_EQ(number("latency_ms"), 750e-6);
  double operations = 2.0 * 9 * 5 * 7 * 3;
  EXPECT_DOUBLE_EQ(number("measured_tflops"), operations / 750 * 1e-3);
  EXPECT_DOUBLE_EQ(number("bandwidth_gb_s"),
                   3 * (9 * 7 + 7 * 5 + 9 * 5 * 4) / 750.0);
  auto whole = [&](const char *name) { return table.find(name)->integers[0]; };
  EXPECT_EQ(whole("tile_m"), 14);
  EXPECT_EQ(whole("block_k"), 384);
  EXPECT_EQ(whole("pack_a"), 0);
  EXPECT_EQ(whole("pack_b"), 1);
  EXPECT_EQ(whole("prefetch"), 8);
  EXPECT_EQ(whole("split_k"), 4);
  EXPECT_EQ(whole("grid_n"), 2);
  EXPECT_EQ(table.find("epilogue")->texts[0], "separate");
  EXPECT_EQ(table.find("pipeline")->texts[0], "prefetch");
  EXPECT_EQ(table.metadata["noise_floor"], "0.250000");
}

namespace {
using Records = TestFolder;
}

TEST_F(Records, LanesOfRanksBecomeOneFile) {
  std::string path = folder + "/d.parquet";
  CollectSettings settings{"u8s8", "crr", "all", "class", "hash", 7, 5};
  auto open = [&](DataFileAccess access) {
    return DataFile::open(path, settings, Provenance(), access);
  };
  auto lane = [&](int number) {
    return llvm::cantFail(open({DataFileAccess::Kind::Lane, number}));
  };
  {
    auto first = lane(0), second = lane(12), idle = lane(3);
    llvm::cantFail(first->append(measured(1, kKernel)));
    llvm::cantFail(second->append(measured(2, kKernel)));
    llvm::cantFail(first->markComplete("u8s8 crr 1x5x7 b3 t2", 0.01));
    llvm::cantFail(second->markComplete("u8s8 crr 2x5x7 b3 t2", 0.05));
    llvm::cantFail(second->markComplete("u8s8 crr 3x5x7 b3 t2", 0.03));
    auto alone = open({});
    EXPECT_FALSE(bool(alone)); // while lanes are open
    llvm::consumeError(alone.takeError());
  }
  EXPECT_TRUE(llvm::sys::fs::exists(path + ".rank12.journal"));
  EXPECT_FALSE(llvm::sys::fs::exists(path + ".rank3.journal"));
  // A lane that opens later knows what the others have measured.
  EXPECT_TRUE(lane(1)->isComplete("u8s8 crr 2x5x7 b3 t2"));
  {
    auto all = llvm::cantFail(open({DataFileAccess::Kind::Closing, 0}));
    EXPECT_EQ(all->keptRows(), 2);
    DataFile::Totals totals = llvm::cantFail(all->finish());
    EXPECT_EQ(totals.rows, 2);
    EXPECT_EQ(totals.valid, 2);
    EXPECT_EQ(totals.noisy, 2);
    EXPECT_EQ(totals.noiseFloor, 0.03); // the median of the problems' own
  }
  for (const char *journal : {".rank0.journal", ".rank12.journal", ".journal"})
    EXPECT_FALSE(llvm::sys::fs::exists(path + journal)) << journal;
  auto again = llvm::cantFail(open({}));
  EXPECT_EQ(again->keptRows(), 2);
  EXPECT_EQ(llvm::cantFail(again->finish()).noiseFloor, 0.03);
  again.reset();
  settings.seed = 8;
  auto other = open({DataFileAccess::Kind::Lane, 0});
  EXPECT_FALSE(bool(other));
  llvm::consumeError(other.takeError());
}

TEST_F(Records, FilesNamedGzAreCompressedAndReadWhole) {
  std::string content;
  for (int i = 0; i < 100000; ++i) // more than is inflated in one step
    content += std::to_string(i * 7919 % 1000) + ",";
  llvm::cantFail(writeFileAtomically(path("a.gz"), content));
  llvm::cantFail(writeFileAtomically(path("b.gz"), content));
  llvm::cantFail(writeFileAtomically(path("plain"), content));
  auto bytes = [&](const char *name) {
    std::ifstream file(path(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  std::string packed = bytes("a.gz");
  EXPECT_EQ(packed.substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(packed.substr(4, 4), std::string(4, '\0')); // no time stamp
  EXPECT_EQ(bytes("b.gz"), packed);
  EXPECT_EQ(bytes("plain"), content);
  EXPECT_EQ(llvm::cantFail(readMaybeGzip(path("a.gz"))), content);
  EXPECT_EQ(llvm::cantFail(readMaybeGzip(path("plain"))), content);
  ASSERT_FALSE(llvm::sys::fs::rename(path("b.gz"), path("b")));
  EXPECT_EQ(llvm::cantFail(readMaybeGzip(path("b"))), content);
  auto codeOf = [&](const std::string &text) {
    std::ofstream(path("c.gz"), std::ios::binary) << text;
    auto read = readMaybeGzip(path("c.gz"));
    return read ? ErrorCode::Internal : takeError(read.takeError()).code;
  };
  for (size_t size : {packed.size() - 1, packed.size() - 8, packed.size() / 2,
                      size_t{2}})
    EXPECT_EQ(codeOf(packed.substr(0, size)), ErrorCode::DataLoss) << size;
  packed[packed.size() - 5] ^= 1; // the checksum
  EXPECT_EQ(codeOf(packed), ErrorCode::DataLoss);
  EXPECT_EQ(codeOf("no gzip"), ErrorCode::DataLoss);
}

TEST_F(Records, ListsOfShapesKeepToTheirLimits) {
  std::ofstream(path("s.csv")) << "m,n,k,batch\n10,10,10,1\n10,10,10,2\n"
                                  "20,1,1,1\n";
  auto list = [&](double gflop, double bytes) {
    std::vector<int64_t> sizes;
    ShapeLimits limits;
    limits.gflop = gflop, limits.bytes = bytes;
    for (const Shape &shape : llvm::cantFail(readShapes(path("s.csv"), limits)))
      sizes.push_back(shape.m * shape.batch);
    return sizes;
  };
  using Sizes = std::vector<int64_t>;
  EXPECT_EQ(list(0, 0), (Sizes{10, 20, 20}));
  EXPECT_EQ(list(2000e-9, 0), (Sizes{10, 20})); // 2000 operations are the first
  EXPECT_EQ(list(0, 300 * 8), (Sizes{10, 20}));
  EXPECT_EQ(list(1999e-9, 0), Sizes{20});
  EXPECT_EQ(list(0, 300 * 8 - 1), Sizes{20});
  auto none = readShapes(path("s.csv"), {1e-12, 0});
  ASSERT_FALSE(bool(none));
  EXPECT_NE(takeError(none.takeError()).message.find("within --cap"),
            std::string::npos);
  std::ofstream(path("s.csv")) << "m,n,k\n1,2,3\n\n4,5,2147483648\n";
  auto wrong = readShapes(path("s.csv"));
  ASSERT_FALSE(bool(wrong));
  EXPECT_NE(takeError(wrong.takeError())
                .message.find("line 4: '4,5,2147483648' has no k from 1"),
            std::string::npos);
}

TEST(Lists, OfThreadsAndDrawnShapes) {
  EXPECT_EQ(llvm::cantFail(parseThreadList("1,4,4096")),
            std::vector<int>({1, 4, 4096}));
  EXPECT_EQ(llvm::cantFail(parseThreadList("")).front(), 1);
  EXPECT_EQ(llvm::cantFail(parseThreadList("")).back(), availableCores());
  for (const char *wrong : {"0", "4097", "1,,2", "x", "-1"}) {
    auto list = parseThreadList(wrong);
    EXPECT_FALSE(bool(list)) << wrong;
    llvm::consumeError(list.takeError());
  }
  std::vector<Shape> drawn = drawShapes(0.1, 3, 1);
  ASSERT_EQ(drawn.size(), 10000u);
  EXPECT_EQ(drawShapes(0.1, 3, 1), drawn);
  EXPECT_NE(drawShapes(0.1, 3, 2), drawn);
  EXPECT_NE(drawShapes(0.1, 4, 1), drawn);
  int64_t largest = 0;
  for (const Shape &shape : drawn) {
    EXPECT_LE(shape.flops(), 0.1e9);
    for (int64_t size : {shape.m, shape.n, shape.k}) {
      EXPECT_GE(size, 1);
      largest = std::max(largest, size);
    }
  }
  EXPECT_GT(largest, 8000);
  EXPECT_LE(largest, 8192);
  std::vector<Shape> some = sampleOf(drawn, 100, 5),
                     all = sampleOf(std::vector<Shape>{drawn[0], drawn[1]}, 5,
                                    5);
  EXPECT_EQ(some.size(), 100u);
  EXPECT_EQ(some, sampleOf(drawn, 100, 5));
  EXPECT_NE(some, sampleOf(drawn, 100, 6));
  EXPECT_NE(some, std::vector<Shape>(drawn.begin(), drawn.begin() + 100));
  EXPECT_EQ(all.size(), 2u);
}

TEST(RocmInfo, TheFirstGpuIsTaken) {
  const char *text = "Agent 1\n  Name: cpu\n  Device Type: CPU\n"
                     "  Compute Unit: 64\nAgent 2\n  Name:   gfx942\n"
                     "  Device Type: GPU\n  Cache Info:\n"
                     "    L1: 32(0x20) KB\n    L2: 4096(0x1000) KB\n"
                     "  Max Clock Freq. (MHz): 2100\n  Compute Unit: 304\n"
                     "Agent 3\n  Name: gfx90a\n  Device Type: GPU\n"
                     "  Compute Unit: 1\n";
  CkHardware hardware = llvm::cantFail(parseRocmInfo(text, "gfx942"));
  EXPECT_EQ(hardware.computeUnits, 304);
  EXPECT_EQ(hardware.clockMhz, 2100);
  EXPECT_EQ(hardware.l1Kb, 32);
  EXPECT_EQ(hardware.l2Kb, 4096);
  // Facts that are not stated are taken from the profile.
  EXPECT_EQ(hardware.waveSize, CkHardware::of("gfx942").waveSize);
  for (auto [words, arch, code] :
       {std::tuple(text, "gfx90a", ErrorCode::InvalidArgument),
        {"Agent 1\n  Device Type: CPU\n", "gfx942", ErrorCode::NotFound},
        {"", "gfx942", ErrorCode::NotFound}}) {
    auto wrong = parseRocmInfo(words, arch);
    ASSERT_FALSE(bool(wrong));
    EXPECT_EQ(takeError(wrong.takeError()).code, code);
  }
}
