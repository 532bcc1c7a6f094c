// The report on a recording: names, the first NaN and how it spread, the order
// of suspects, the verdict beside a golden dump, percentiles of large tensors.
#include "assay/support/AtomicFile.h"
#include "assay/support/TestFolder.h"
#include "assay/trace/ComparePair.h"
#include "assay/trace/DumpWriter.h"
#include "assay/trace/ExtractMlir.h"
#include "assay/trace/FirstWrong.h"
#include "assay/trace/NotFinite.h"
#include "assay/trace/ReplayAll.h"
#include "assay/trace/Statistics.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace assay;
using namespace assay::trace;
using Maker = NotFiniteOrigin::Maker;
using numerics::ElementType;
using formats::Hdf5Reader;
using tensor::Tensor;

TEST(DumpNames, KindsAreWholeWordsAndTheLastOneCounts) {
  DumpName name = parseDumpName("/1/forward_input.Proj.0.forward_output.0");
  EXPECT_EQ(name.module, "forward_input");
  EXPECT_EQ(name.className, "Proj");
  EXPECT_EQ(name.kind, TensorKind::ForwardOutput);
  name = parseDumpName("/1/a.forward_output.Linear.3.forward_input.0");
  EXPECT_EQ(name.module, "a.forward_output");
  EXPECT_EQ(name.kind, TensorKind::ForwardInput);
  EXPECT_EQ(name.call, 3);
  // No kind: part of a longer word, at either end.
  for (const char *text : {"/1/my_forward_input.x", "/1/a.forward_inputs.x"})
    EXPECT_EQ(parseDumpName(text).kind, TensorKind::Other) << text;
  EXPECT_EQ(parseDumpName("/word/a.b").step, -1);
  EXPECT_EQ(parseDumpName("/word/a.b").text(), "word/a.b");
  EXPECT_EQ(parseDumpName("/12/a.b").step, 12);
  EXPECT_EQ(parseDumpName("/12/a.b").text(), "a.b");
}

TEST(DumpNames, NumbersOfRanksAndOperators) {
  EXPECT_EQ(rankOfFile("x/globalrank-12_localrank-4.h5"), 12);
  EXPECT_EQ(rankOfFile("rank-7_of_8.h5"), 7);
  EXPECT_EQ(rankOfFile("dump.h5"), 0);
  EXPECT_TRUE(isOperatorCall("00037-aten"));
  EXPECT_FALSE(isOperatorCall("3-way.attention"));
  EXPECT_FALSE(isOperatorCall("layer-aten"));
  EXPECT_TRUE(isNumbered("main/12"));
  EXPECT_FALSE(isNumbered("a.main/12"));
}

TEST(DumpNames, WorkspacesOfKernelsMeanNothing) {
  auto means = [](const std::string &item) {
    return !isMeaningless(
        parseDumpName("/1/00006-aten.aten-_embedding_bag-default.0." + item));
  };
  EXPECT_TRUE(means("forward_output.0"));
  for (int i = 1; i < 4; ++i)
    EXPECT_FALSE(means("forward_output." + std::to_string(i)));
  EXPECT_TRUE(means("forward_input.1"));
}

TEST(Blacklist, AStarStandsForAnyEnding) {
  EXPECT_TRUE(isListed("aten.add.Tensor", {"x", "aten.add*"}));
  EXPECT_FALSE(isListed("aten.add.Tensor", {"aten.add"}));
  EXPECT_TRUE(isListed("aten.add", {"aten.add"}));
  EXPECT_FALSE(isListed("aten.sub", {"aten.add*"}));
}

//===--- NaN and Inf -----------------------------------------------------===//

static FiniteItem item(int step, const std::string &name, int64_t count = 0,
                       bool infinite = false) {
  return {parseDumpName("/" + std::to_string(step) + "/" + name), count,
          infinite};
}

/// Two layers, whose first makes a NaN in step 2.
static std::vector<FiniteItem> twoSteps() {
  return {item(1, "a.Linear.0.forward_input.0", 0, true),
          item(1, "a.Linear.0.forward_output.0"),
          item(1, "b.Linear.0.forward_output.0"),
          item(2, "a.Linear.0.forward_input.0"),
          item(2, "a.Linear.0.forward_output.0", 3),
          item(2, "b.Linear.0.forward_input.0", 3),
          item(2, "b.Linear.0.forward_output.0", 4),
          item(3, "c.Linear.0.forward_output.0", 5)};
}

TEST(FirstNotFinite, ItsMakerItsInputsAndItsPathAreThoseOfItsStep) {
  std::vector<FiniteItem> items = twoSteps();
  NotFiniteOrigin origin = *findNotFinite(items);
  EXPECT_EQ(origin.tensor, "a.Linear.0.forward_output.0");
  EXPECT_EQ(origin.maker, Maker::Module);
  EXPECT_EQ(origin.module, "a");
  EXPECT_EQ(origin.step, 2);
  EXPECT_EQ(origin.position, 4);
  EXPECT_EQ(origin.notFinite, 3);
  EXPECT_FALSE(origin.fromInfinite); // the Inf was in step 1
  EXPECT_EQ(origin.path, std::vector<std::string>{"b"});
  EXPECT_EQ(origin.tensors, 4);
  EXPECT_TRUE(origin.atTheEnd);
  items[3].infinite = true;
  EXPECT_TRUE(findNotFinite(items)->fromInfinite);
  EXPECT_FALSE(findNotFinite(llvm::ArrayRef(items).take_front(4)).has_value());
}

TEST(FirstNotFinite, OfSeveralRanksTheOneThatMadeIt) {
  std::vector<RankItems> ranks(3);
  for (int64_t r = 0; r < 3; ++r)
    ranks[static_cast<size_t>(r)] = {r, twoSteps()};
  // Rank 0 received it, rank 1 has it only in a later step.
  ranks[0].items[3].notFinite = 1;
  for (size_t i = 4; i < 7; ++i)
    ranks[1].items[i].notFinite = 0;
  RankOrigin first = *findNotFinite(ranks);
  EXPECT_EQ(first.rank, 2);
  EXPECT_EQ(first.origin.maker, Maker::Module);
  ASSERT_EQ(first.others.size(), 2u);
  EXPECT_EQ(first.others[0].first, 0);
  EXPECT_EQ(first.others[0].second, "a.Linear.0.forward_input.0");
  EXPECT_EQ(first.others[1].second, "c.Linear.0.forward_output.0");
}

TEST(FirstNotFinite, LongPathsAreCutAndCounted) {
  std::vector<FiniteItem> items;
  for (char c = 'a'; c <= 'h'; ++c)
    items.push_back(
        item(1, std::string(1, c) + ".Linear.0.forward_output.0", 1));
  items.push_back(item(1, "z.Linear.0.forward_output.0"));
  std::string text = describe(*findNotFinite(items));
  EXPECT_NE(text.find("it spread through b, c, d, e and 3 more: 8 tensors, "
                      "the last output has none"),
            std::string::npos)
      << text;
}

//===--- Suspects --------------------------------------------------------===//

static Suspect suspect(const std::string &module, Evidence evidence,
                       int64_t row, const std::string &role = "") {
  Suspect result;
  result.module = module;
  result.evidence = evidence;
  result.row = row;
  result.role = role;
  return result;
}

TEST(Suspects, SureOnesFirstThenByExecution) {
  std::vector<Suspect> suspects = {suspect("x", Evidence::Growth, 1),
                                   suspect("y", Evidence::Rule, 9),
                                   suspect("z", Evidence::Replay, 5)};
  arrangeSuspects(suspects);
  ASSERT_EQ(suspects.size(), 3u);
  EXPECT_EQ(suspects[0].module, "z");
  EXPECT_EQ(suspects[1].module, "y");
  EXPECT_EQ(suspects[2].module, "x");
}

TEST(Suspects, TheHeadlineSaysWhichOperatorACallIs) {
  FirstWrong found;
  found.suspects = {suspect("00203-aten", Evidence::Replay, 1)};
  found.suspects[0].className = "aten-gelu-default";
  found.suspects[0].where = "b.1";
  std::string text;
  llvm::raw_string_ostream os(text);
  printFirstWrong(found, os);
  EXPECT_TRUE(llvm::StringRef(text).starts_with(
      "first wrong: 00203-aten (aten.gelu) in b.1\n"))
      << text;
}

TEST(Suspects, AnErrorWhereNoneIsAllowedIsSaidSo) {
  ReplayResult wrong;
  wrong.targetOff = 1;
  wrong.elements = 8;
  wrong.formula = "gelu";
  wrong.pattern = "only index 7";
  wrong.targetShare = INFINITY;
  EXPECT_EQ(describe(wrong),
            "1 of 8 outputs are not gelu for its own inputs, the worst is where "
            "no error is allowed: only index 7; all of the bench's are");
  wrong.targetShare = 3;
  wrong.benchOff = 2;
  EXPECT_NE(describe(wrong).find("the worst is off by 3 times its bound: only "
                                 "index 7; the bench's are but for 2"),
            std::string::npos)
      << describe(wrong);
}

TEST(Suspects, OneKernelInManyPlacesIsOneFinding) {
  std::vector<Suspect> suspects;
  for (int i = 0; i < 4; ++i)
    suspects.push_back(suspect("blocks." + std::to_string(i), Evidence::Replay,
                               i, "blocks..norm"));
  // Other kinds of evidence may have different reasons: each is shown.
  for (int i = 0; i < 2; ++i)
    suspects.push_back(
        suspect("mlp." + std::to_string(i), Evidence::Rule, 10 + i, "mlp.fc"));
  for (Suspect &s : suspects)
    s.ofRole = 5;
  arrangeSuspects(suspects);
  ASSERT_EQ(suspects.size(), 3u);
  EXPECT_EQ(suspects[0].alike, 4);
  FirstWrong found;
  found.suspects = suspects;
  found.suspects[0].ofRole = 4;
  std::string text;
  llvm::raw_string_ostream os(text);
  printFirstWrong(found, os);
  EXPECT_NE(text.find("; the same in all 4 modules of this kind"),
            std::string::npos)
      << text;
  found.suspects[0].ofRole = 6;
  text.clear();
  printFirstWrong(found, os);
  EXPECT_NE(text.find("; the same in 4 of 6 modules of this kind"),
            std::string::npos)
      << text;
}

//===--- Golden ----------------------------------------------------------===//

namespace {
struct Recordings : TestFolder {
  std::unique_ptr<Hdf5Reader>
  dump(const char *name,
       const std::vector<std::pair<std::string, std::vector<float>>> &tensors)
      const {
    auto writer = llvm::cantFail(DumpWriter::create(path(name)));
    for (const auto &[tensor, values] : tensors) {
      Tensor t = llvm::cantFail(
          Tensor::allocate({ElementType::floating(numerics::FloatFormat::F32),
                            {static_cast<int64_t>(values.size())}}));
      std::copy(values.begin(), values.end(), t.mutableData<float>());
      llvm::cantFail(writer->add(tensor, t));
    }
    llvm::cantFail(writer->close());
    return llvm::cantFail(Hdf5Reader::open(path(name)));
  }
};
} // namespace

TEST_F(Recordings, BesideAGoldenDumpTwiceTheBenchIsAsGood) {
  // One element of norm 1 that is off by the error.
  auto off = [](float error) { return std::vector<float>{1, error}; };
  std::vector<float> nan = {1, NAN};
  auto golden = dump("g.h5", {{"/1/a", off(0)},
                              {"/1/b", off(0)},
                              {"/1/c", off(0)},
                              {"/1/d", off(0)},
                              {"/1/e", off(0)}}),
       bench = dump("b.h5", {{"/1/a", off(1e-3f)},
                             {"/1/b", off(1e-3f)},
                             {"/1/c", off(1e-3f)},
                             {"/1/d", off(0)},
                             {"/1/e", nan}}),
       target = dump("t.h5", {{"/1/a", off(1.9e-3f)},
                              {"/1/b", off(2.1e-3f)},
                              {"/1/c", off(0.4e-3f)},
                              {"/1/d", nan},
                              {"/1/e", nan}});
  ThreadPool pool(1);
  GoldenVerdict verdict = llvm::cantFail(
      judgeAgainstGolden(*target, *bench, *golden, CompareOptions(), pool));
  ASSERT_EQ(verdict.rows.size(), 5u);
  const char *want[] = {"as good", "worse", "better", "worse", "as good"};
  for (size_t i = 0; i < 5; ++i)
    EXPECT_STREQ(verdict.rows[i].verdict, want[i]) << i;
  ASSERT_EQ(verdict.firstWrong.suspects.size(), 1u);
  EXPECT_EQ(verdict.firstWrong.suspects[0].tensor, "b");
}

//===--- Comparing -------------------------------------------------------===//

static ElementType typeNamed(const char *name) {
  return *numerics::parseElementType(name);
}

TEST(CommonType, LosesNothingThatBothSidesHave) {
  for (auto [a, b, want] : {std::tuple("f16", "bf16", "bf16"),
                            {"f32", "f16", "f16"},
                            {"f64", "f32", "f32"},
                            {"bf16", "bf16", "bf16"},
                            {"i32", "i64", "i64"},
                            {"i1", "ui8", "i64"},
                            {"i32", "f32", "f64"},
                            {"complex<f64>", "complex<f32>", "complex<f32>"},
                            {"complex<f32>", "f32", "complex<f64>"},
                            {"f16", "complex<f32>", "complex<f64>"}}) {
    EXPECT_EQ(toString(commonType(typeNamed(a), typeNamed(b))), want)
        << a << " " << b;
    EXPECT_EQ(toString(commonType(typeNamed(b), typeNamed(a))), want)
        << b << " " << a;
  }
}

static Comparison compared(const Hdf5Reader &target, const Hdf5Reader &bench,
                           const char *rules = "dtype") {
  ThreadPool pool(2);
  CompareOptions options;
  options.rules = llvm::cantFail(numerics::RuleSet::parse(rules));
  return llvm::cantFail(compareDumps(target, bench, options, pool));
}

TEST_F(Recordings, OneStoredPairUnderTwoNamesIsJudgedByEachNamesRule) {
  std::vector<float> x = {1, 2, 3}, y = {1, 2, 3.5f};
  auto target = dump("t.h5", {{"/1/loose", x}, {"/1/strict", x}}),
       bench = dump("b.h5", {{"/1/loose", y}, {"/1/strict", y}});
  llvm::cantFail(writeAtomically(path("rules.json"),
                                         R"({"default": "exact",
          "rules": [{"match": "loose", "rule": "close:0,1"}]})"));
  Comparison result = compared(*target, *bench, path("rules.json").c_str());
  ASSERT_EQ(result.rows.size(), 2u);
  EXPECT_EQ(result.rows[0].status, RowStatus::Pass);
  EXPECT_EQ(result.rows[1].status, RowStatus::Fail);
  EXPECT_EQ(result.rows[1].rule, "exact");
}

/// The verdict on `b` after `a` when a is off by the share `carried` and b by
/// an absolute error at each element; both have an rms of 1.
static RowStatus behind(const Recordings &files, const std::string &first,
                        float carried, float error) {
  std::vector<float> one(1000), a(1000), b(1000);
  for (size_t i = 0; i < one.size(); ++i) {
    one[i] = i % 2 ? 1.0f : -1.0f;
    a[i] = one[i] * (1 + carried);
    b[i] = one[i] + (i % 3 ? error : -error);
  }
  auto target = files.dump("t.h5",
                           {{first, a}, {"/1/b.Linear.0.forward_output.0", b}}),
       bench = files.dump(
           "b.h5", {{first, one}, {"/1/b.Linear.0.forward_output.0", one}});
  return compared(*target, *bench).rows[1].status;
}

TEST_F(Recordings, TwentyFourTimesWhatWasBroughtAlongIsExcused) {
  // c (|b| + rms) + 24 * carried * rms = 1e-4 + 24 * 4e-5 = 1.06e-3.
  std::string a = "/1/a.Linear.0.forward_output.0";
  EXPECT_EQ(behind(*this, a, 4e-5f, 1.04e-3f), RowStatus::Pass);
  EXPECT_EQ(behind(*this, a, 4e-5f, 1.08e-3f), RowStatus::Fail);
  EXPECT_EQ(behind(*this, a, 0, 1.08e-4f), RowStatus::Fail);
  // A tensor that fails itself does not excuse errors after it, and neither
  // does a weight.
  EXPECT_EQ(behind(*this, a, 4e-3f, 1.04e-3f), RowStatus::Fail);
  EXPECT_EQ(
      behind(*this, "/1/a.Linear.0.forward_params.weight", 4e-5f, 1.04e-3f),
      RowStatus::Fail);
}

//===--- Statistics ------------------------------------------------------===//

TEST(Statistics, PercentilesOfLargeTensorsComeOfAnEvenSample) {
  // Three times the sample: every third element is taken, over all windows.
  constexpr int64_t kCount = 3 * (int64_t{1} << 22) + 12345;
  Tensor t =
      llvm::cantFail(Tensor::allocate({ElementType::integer(32), {kCount}}));
  int32_t *values = t.mutableData<int32_t>();
  for (int64_t i = 0; i < kCount; ++i)
    values[i] = static_cast<int32_t>((i * 7919) % kCount);
  TensorFigures figures = figuresOf(t);
  EXPECT_TRUE(figures.sampled);
  for (size_t i = 0; i < kPercents.size(); ++i)
    EXPECT_NEAR(figures.percentiles[i] / kCount, kPercents[i] / 100, 2e-4);
  EXPECT_EQ(maxText(figures, 7), std::to_string(kCount - 1));
}

TEST(Statistics, TheSamplesStepsGoOnFromWindowToWindow) {
  // Every third element, and no window has a multiple of three.
  constexpr int64_t kCount = 2 * (int64_t{1} << 22) + 1;
  Tensor t =
      llvm::cantFail(Tensor::allocate({ElementType::integer(32), {kCount}}));
  for (int64_t i = 0; i < kCount; ++i)
    t.mutableData<int32_t>()[i] = i % 3 == 0 ? 5 : static_cast<int32_t>(i);
  TensorFigures figures = figuresOf(t);
  EXPECT_TRUE(figures.sampled);
  for (size_t i = 0; i < kPercents.size(); ++i)
    EXPECT_EQ(figures.percentiles[i], 5) << i;
}

TEST(Statistics, PercentilesAreTheElementOfTheirRank) {
  Tensor t = llvm::cantFail(Tensor::allocate({ElementType::integer(64), {10}}));
  for (int64_t i = 0; i < 10; ++i)
    t.mutableData<int64_t>()[i] = 10 * ((i * 3) % 10);
  TensorFigures figures = figuresOf(t);
  const double want[5] = {0, 0, 40, 90, 90}; // at ranks 1, 1, 5, 10, 10
  EXPECT_EQ(
      figures.hash,
      formats::hashBytes({reinterpret_cast<const uint8_t *>(t.bytes()), 80}));
  for (size_t i = 0; i < 5; ++i)
    EXPECT_EQ(figures.percentiles[i], want[i]) << i;
  EXPECT_FALSE(figures.sampled);
}

TEST(Statistics, ExtremesOfWideIntegersAndOfModuli) {
  const uint64_t large[2] = {~uint64_t{0}, 5};
  Tensor t =
      llvm::cantFail(Tensor::allocate({ElementType::unsignedInteger(64), {2}}));
  std::copy(large, large + 2, t.mutableData<uint64_t>());
  EXPECT_EQ(maxText(figuresOf(t), 7), "18446744073709551615");
  EXPECT_EQ(minText(figuresOf(t), 7), "5");
  Tensor c = llvm::cantFail(Tensor::allocate(
      {ElementType::complex(numerics::FloatFormat::F32), {2}}));
  const float parts[4] = {3, 4, 0, -13};
  std::copy(parts, parts + 4, c.mutableData<float>());
  TensorFigures figures = figuresOf(c);
  EXPECT_EQ(figures.percentiles.front(), 5);
  EXPECT_EQ(figures.percentiles.back(), 13);
  EXPECT_EQ(maxText(figures, 7), "13");
}

// A figure whose bench is all zeros is infinite, and JSON has no such number.
TEST(Findings, InfiniteFiguresAreStillJson) {
  FirstWrong found;
  found.suspects.push_back({});
  found.suspects[0].errorIn = found.suspects[0].errorOut =
      found.suspects[0].score = HUGE_VAL;
  found.illConditioned.push_back({"a", "a.Linear.0", HUGE_VAL, HUGE_VAL});
  found.largestGrowth = HUGE_VAL;
  std::string text = llvm::formatv("{0}", firstWrongJson(found)).str();
  llvm::Expected<llvm::json::Value> read = llvm::json::parse(text);
  EXPECT_TRUE(static_cast<bool>(read)) << text;
  llvm::consumeError(read.takeError());
}
