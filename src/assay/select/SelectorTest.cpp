// The selection from end to end without LightGBM: models built by hand over
// this machine's own kernels; features axis by axis against row by row;
// refusals of models that do not fit; the cache; the fall-back to the analytic
// choice.
#include "assay/kernels/CostModel.h"
#include "assay/select/Collector.h"
#include "assay/select/LearnedSelector.h"
#include "assay/select/LightGbmText.h"
#include "assay/select/SelfCheck.h"
#include "assay/select/spaces/Gemm.h"
#include "assay/support/Random.h"
#include "assay/support/ThreadPool.h"

#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

/// A model of random shallow trees over the real features, for this machine.
static Model makeModel(Registry &registry, int trees) {
  Model model;
  model.folder = "by hand";
  model.spec.subject = {"gemm", "f32", machineClass(registry.machine())};
  model.spec.layout = "rcr";
  model.spec.threads = {1};
  model.spec.schemaHash = schemaHash(gemmFeatures());
  model.spec.registryHash = registryHash(registry.enumerate({}, Layout::RCR));
  model.spec.names = featureNames(gemmFeatures());
  model.spec.targets[Target::Tflops] = {};
  TreeModel &forest = model.trees[Target::Tflops];
  forest.featureNames = model.spec.names;
  forest.featureInfos.assign(model.spec.names.size(), "none");
  CounterRandom random(5, 0);
  llvm::ArrayRef<GemmConfig> configs = registry.enumerate({}, Layout::RCR);
  GemmFeatures features({}, Layout::RCR, registry.machine());
  for (int t = 0; t < trees; ++t) {
    Tree tree;
    for (int i = 0; i < 7; ++i) { // a full tree of depth 3
      uint64_t at = t * 16 + i;
      Split split;
      split.feature = static_cast<int32_t>(random.integer(
          at, 0, static_cast<int64_t>(forest.featureNames.size()) - 1));
      // A threshold at a value that a kernel has on some problem.
      GemmProblem problem = GemmProblem::make(
          {}, Layout::RCR, random.integer(at, 1, 400),
          random.integer(at + 1, 1, 400), random.integer(at + 2, 1, 400));
      split.threshold = features.row(
          problem, configs[random.integer(at + 3, 0,
                                          static_cast<int64_t>(configs.size()) -
                                              1)])[split.feature];
      split.missing = Missing::NaN;
      split.left = i < 3 ? 2 * i + 1 : ~(2 * (i - 3));
      split.right = i < 3 ? 2 * i + 2 : ~(2 * (i - 3) + 1);
      tree.splits.push_back(split);
    }
    for (int i = 0; i < 8; ++i)
      tree.leaves.push_back({random.normal(t * 8 + i), 1, 1});
    forest.trees.push_back(std::move(tree));
  }
  return model;
}

TEST(Features, AxisByAxisEqualsRowByRow) {
  Registry registry;
  llvm::ArrayRef<GemmConfig> configs = registry.enumerate({}, Layout::RCR);
  GemmFeatures features({}, Layout::RCR, registry.machine());
  GemmGrid grid = makeGrid(features, configs);
  GemmProblem problem = GemmProblem::make({}, Layout::RCR, 37, 530, 91, 3, 2);
  ForestQuery query;
  fillQuery(features, grid, problem, grid.grid.tiles, query);
  for (size_t kernel = 0; kernel < configs.size(); kernel += 13) {
    std::vector<float> row = features.row(problem, configs[kernel]);
    for (size_t f = 0; f < row.size(); ++f) {
      int32_t tile = grid.grid.tileOf[kernel],
              trait = grid.grid.traitOf[kernel];
      float value = 0;
      switch (gemmFeatures()[f].axis) {
      case Axis::Problem:
        value = query.problem[f];
        break;
      case Axis::Tile:
        value = grid.grid.constant[f][tile];
        break;
      case Axis::Mixed:
        value = query.mixed[f][tile];
        break;
      case Axis::Trait:
        value = grid.grid.constant[f][trait];
        break;
      }
      ASSERT_EQ(row[f], value)
          << gemmFeatures()[f].name << " of " << configs[kernel].name();
      ASSERT_TRUE(std::isfinite(row[f])) << gemmFeatures()[f].name;
    }
  }
}

TEST(Features, AreFiniteOnTheSmallestAndTheGreatestProblems) {
  Registry registry;
  GemmFeatures features({}, Layout::RCR, registry.machine());
  const GemmConfig &config = registry.enumerate({}, Layout::RCR)[0];
  constexpr int64_t big = 2147483647;
  for (auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 1},
                         {big, 1, 1},
                         {1, big, 1},
                         {1, 1, big},
                         {0, 0, 0}})
    for (float value :
         features.row(GemmProblem::make({}, Layout::RCR, m, n, k), config))
      EXPECT_TRUE(std::isfinite(value)) << m << "x" << n << "x" << k;
}

TEST(Features, Log2AgreesWithTheLibrary) {
  EXPECT_EQ(log2Of(0), 0);
  EXPECT_EQ(log2Of(1), 0);
  EXPECT_EQ(log2Of(1024), 10);
  for (double x = 1.001; x < 1e18; x *= 1.37)
    EXPECT_NEAR(log2Of(x), std::log2(x), 1e-14 * (1 + std::log2(x))) << x;
}

TEST(KernelModel, BestIsThePlainArgmaxOverSupportedKernels) {
  Registry registry;
  Model plain = makeModel(registry, 40);
  plain.spec.threads = {1, 2};
  auto model = KernelModel::create(std::move(plain), registry);
  ASSERT_TRUE(bool(model)) << llvm::toString(model.takeError());
  const TreeModel &trees = (*model)->model().trees.at(Target::Tflops);
  for (auto [m, n, k, threads] : {std::array<int64_t, 4>{1, 512, 256, 1},
                                  {64, 64, 64, 2},
                                  {300, 17, 1000, 1},
                                  {5, 5, 5, 2}}) {
    GemmProblem product = GemmProblem::make({}, Layout::RCR, m, n, k, 1,
                                            static_cast<int>(threads));
    ProblemRef problem = problemOf(product, Layout::RCR);
    int32_t best = -1;
    int64_t bestScore = 0;
    for (size_t i = 0; i < (*model)->kernels().size(); ++i) {
      auto kernel = static_cast<int32_t>(i);
      if (registry.supports(product, gemmConfigOf((*model)->kernels(), kernel)))
        continue;
      std::vector<float> row = (*model)->row(*problem, kernel);
      int64_t score = (*model)->forest().plainScore(
          trees, std::vector<double>(row.begin(), row.end()));
      if (best < 0 || score > bestScore) {
        best = static_cast<int32_t>(i);
        bestScore = score;
      }
    }
    std::optional<RankedKernel> found = (*model)->best(*problem);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kernel, best) << toString(product);
    EXPECT_EQ((*model)->rank(*problem, 5)[0].kernel, best);
  }
}

TEST(KernelModel, ModelsThatDoNotFitAreRefusedWithBothValues) {
  Registry registry;
  auto refuse = [&](auto change) {
    Model model = makeModel(registry, 1);
    change(model);
    auto created = KernelModel::create(std::move(model), registry);
    EXPECT_FALSE(bool(created));
    return created ? std::string() : takeError(created.takeError()).message;
  };
  EXPECT_NE(
      refuse([](Model &m) { m.spec.schemaHash = "0"; }).find("another schema"),
      std::string::npos);
  EXPECT_NE(
      refuse([](Model &m) { m.spec.names[3] = "x"; }).find("another schema"),
      std::string::npos);
  EXPECT_NE(refuse([](Model &m) { m.trees.clear(); }).find("rank kernels"),
            std::string::npos);
}

TEST(KernelModel, OfAnotherMachineRanksWithANote) {
  Registry registry;
  auto noteOf = [&](auto change) {
    Model model = makeModel(registry, 4);
    change(model);
    auto created = KernelModel::create(std::move(model), registry);
    EXPECT_TRUE(bool(created)) << llvm::toString(created.takeError());
    EXPECT_FALSE((*created)
                     ->rank(*gemmProblems({}, Layout::RCR, {{64, 64, 64}}, {1})[0], 3)
                     .empty());
    return (*created)->note();
  };
  EXPECT_EQ(noteOf([](Model &) {}), "");
  EXPECT_NE(noteOf([](Model &m) {
              m.spec.subject.arch = "avx2 l1=1K l2=1K l3=1K";
            }).find("another machine"),
            std::string::npos);
  EXPECT_NE(noteOf([](Model &m) {
              m.spec.registryHash = "0";
            }).find("another list of kernels"),
            std::string::npos);
}

TEST(LearnedSelector, AModelOfAnotherMachineServesWhenACheckSaysSo) {
  Registry registry;
  std::string root = testing::TempDir() + "/assay_foreign";
  llvm::sys::fs::remove_directories(root);
  llvm::sys::fs::create_directories(root + "/models/theirs");
  std::string home = std::getenv("XDG_DATA_HOME") ? std::getenv("XDG_DATA_HOME")
                                                  : std::string();
  setenv("XDG_DATA_HOME", (root + "/data").c_str(), 1);
  Model model = makeModel(registry, 10);
  model.spec.subject.arch = "avx2 l1=1K l2=1K l3=1K";
  std::string folder = root + "/models/theirs";
  ASSERT_FALSE(
      bool(writeJsonFile(folder + "/feature_spec.json", toJson(model.spec))));
  ASSERT_FALSE(bool(writeLightGbm(model.trees[Target::Tflops],
                                  folder + "/model_tflops.lgbm.gz")));
  GemmProblem problem = GemmProblem::make({}, Layout::RCR, 100, 200, 300);
  auto explained = [&] {
    return LearnedSelector(registry, {root + "/models"}).explain(problem);
  };
  EXPECT_EQ(explained().by, "analytic");
  EXPECT_NE(explained().why.find("`assay tune check`"), std::string::npos);
  ASSERT_FALSE(bool(
      keepSpeedup(folder, registry, {0.97, 0.95, 0.99, 20, 9, "2026-01-02"})));
  EXPECT_EQ(explained().by, "analytic");
  EXPECT_NE(explained().why.find("0.97x the analytic choice over 20 problems"),
            std::string::npos)
      << explained().why;
  ASSERT_FALSE(bool(
      keepSpeedup(folder, registry, {1.08, 1.02, 1.14, 20, 9, "2026-01-03"})));
  EXPECT_NE(explained().by.find("theirs"), std::string::npos);
  EXPECT_NE(explained().why.find("1.08x the analytic choice"),
            std::string::npos);
  // A damaged record is ignored.
  std::error_code code;
  llvm::sys::fs::directory_iterator record(root + "/data/assay/checks", code);
  ASSERT_FALSE(code);
  ASSERT_FALSE(bool(
      writeJsonFile(record->path(), llvm::json::Object{{"speedup", 1.5}})));
  EXPECT_EQ(explained().by, "analytic");
  EXPECT_FALSE(knownSpeedup(folder, registry));
  ASSERT_FALSE(bool(
      keepSpeedup(folder, registry, {1.08, 1.02, 1.14, 20, 9, "2026-01-03"})));
  EXPECT_NE(explained().by.find("theirs"), std::string::npos);
  // A model with other trees is another model, to which the check does not
  // apply.
  ASSERT_FALSE(bool(writeLightGbm(makeModel(registry, 3).trees[Target::Tflops],
                                  folder + "/model_tflops.lgbm.gz")));
  EXPECT_EQ(explained().by, "analytic");
  home.empty() ? unsetenv("XDG_DATA_HOME")
               : setenv("XDG_DATA_HOME", home.c_str(), 1);
  llvm::sys::fs::remove_directories(root);
}

TEST(MachineClass, NamesOnlyTheInstructionsThatTheTypesUse) {
  std::string amx = "amx l1=48K l2=2048K l3=32768K";
  auto seenBy = [&](const char *types, std::string machine) {
    return classFor(machine, *parseTypePair(types));
  };
  EXPECT_EQ(seenBy("f32", amx), "avx512 l1=48K l2=2048K l3=32768K");
  EXPECT_EQ(seenBy("bf16", amx), amx);
  EXPECT_EQ(seenBy("u8s8", amx), amx);
  EXPECT_EQ(seenBy("f16", "avx512_bf16 l1=1K"), "avx512 l1=1K");
  EXPECT_EQ(seenBy("bf16", "avx512_vnni l1=1K"), "avx512 l1=1K");
  EXPECT_EQ(seenBy("s8", "avx512_bf16 l1=1K"), "avx512_vnni l1=1K");
  EXPECT_EQ(seenBy("f32", "avx2 l1=1K"), "avx2 l1=1K");
  EXPECT_EQ(seenBy("f32", "something else"), "something else");
  // The features that were written are those for which the data set's are
  // computed.
  EXPECT_EQ(machineOfClass(amx)->isa.vectorBytes, 64);
}

TEST(LearnedSelector, WithoutAModelTheAnalyticChoiceIsMadeAndExplained) {
  Registry registry;
  std::string folder = testing::TempDir() + "/assay_no_models";
  llvm::sys::fs::create_directories(folder);
  LearnedSelector selector(registry, {folder});
  GemmProblem problem = GemmProblem::make({}, Layout::RCR, 64, 64, 64);
  Explanation why = selector.explain(problem);
  EXPECT_EQ(why.by, "analytic");
  EXPECT_NE(why.why.find("no model"), std::string::npos);
  EXPECT_EQ(why.config, makeAnalyticSelector(registry)->choose(problem));
  EXPECT_EQ(selector.choose(problem), why.config);
  EXPECT_EQ(selector.choose(problem), why.config); // from the cache
  llvm::sys::fs::remove_directories(folder);
}

TEST(KernelModel, OfOneThreadRatesTheShareOfEachOfSeveral) {
  Registry registry;
  auto model = KernelModel::create(makeModel(registry, 40), registry);
  ASSERT_TRUE(bool(model)) << llvm::toString(model.takeError());
  EXPECT_TRUE((*model)->covers(1));
  EXPECT_FALSE((*model)->covers(2));
  GemmProblem whole = GemmProblem::make({}, Layout::RCR, 300, 800, 500, 1, 2),
              half = GemmProblem::make({}, Layout::RCR, 300, 400, 500, 1, 1);
  auto asked = [](const GemmProblem &one) {
    return problemOf(one, Layout::RCR);
  };
  EXPECT_EQ((*model)->scores(*asked(whole)), (*model)->scores(*asked(half)));
  const GemmConfig &config = gemmConfigOf(
      (*model)->kernels(), (*model)->best(*asked(whole))->kernel);
  EXPECT_FALSE(registry.supports(whole, config));
  EXPECT_EQ(config.gridM + config.gridN, 0);
}

TEST(LearnedSelector, AModelFolderIsUsedAndADamagedOneIsPassedOver) {
  Registry registry;
  std::string root = testing::TempDir() + "/assay_models";
  llvm::sys::fs::remove_directories(root);
  llvm::sys::fs::create_directories(root + "/mine");
  Model model = makeModel(registry, 10);
  ASSERT_FALSE(bool(
      writeJsonFile(root + "/mine/feature_spec.json", toJson(model.spec))));
  std::string file = root + "/mine/model_tflops.lgbm.gz";
  ASSERT_FALSE(bool(writeLightGbm(model.trees[Target::Tflops], file)));
  GemmProblem problem = GemmProblem::make({}, Layout::RCR, 100, 200, 300);
  Explanation good = LearnedSelector(registry, {root}).explain(problem);
  EXPECT_NE(good.by.find("mine"), std::string::npos) << good.why;
  EXPECT_FALSE(registry.supports(problem, good.config));
  problem.threads = 2;
  EXPECT_NE(LearnedSelector(registry, {root})
                .explain(problem)
                .why.find("by the share of one thread"),
            std::string::npos);
  problem.threads = 1;
  ASSERT_FALSE(bool(writeFileAtomically(root + "/mine/model_tflops.lgbm",
                                        "tree\nversion=v4\n")));
  llvm::sys::fs::remove(file);
  Explanation bad = LearnedSelector(registry, {root}).explain(problem);
  EXPECT_EQ(bad.by, "analytic");
  EXPECT_NE(bad.why.find("truncated or damaged"), std::string::npos) << bad.why;
  llvm::sys::fs::remove_directories(root);
}

TEST(SelfCheck, RatiosAreSummarisedByTheirLogarithms) {
  // Logarithms -1, 0, 1, 2 (of 2): mean 1/2, standard error sqrt(5/3 / 4).
  Speedup speedup = summarizeRatios({0.5, 1, 2, 4});
  double reach = std::exp2(3.182 * std::sqrt(5.0 / 12)); // three degrees
  EXPECT_NEAR(speedup.mean, std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(speedup.low, std::sqrt(2.0) / reach, 1e-12);
  EXPECT_NEAR(speedup.high, std::sqrt(2.0) * reach, 1e-12);
  EXPECT_EQ(speedup.problems, 4);
  EXPECT_EQ(speedup.differing, 3);
  EXPECT_FALSE(speedup.serves()); // a mean above 1 alone is not enough
  EXPECT_EQ(summarizeRatios({1.25}).low, 1.25);
  EXPECT_FALSE(summarizeRatios({1.25}).serves()); // one problem proves nothing
}
