// Cross-validation on problems that are made here: which of them each fold
// holds out, on how many rows each model was trained, and whether the options
// that are tried are those that the log names.
#include "assay/select/Trainer.h"
#include "gtest/gtest.h"

#include <cmath>
#include <set>

using namespace assay;
using namespace assay::select;

/// `groups` problems of 48 kernels. How fast a kernel is depends on its number
/// in a way that needs many leaves.
static Samples someSamples(int64_t groups) {
  static constexpr FeatureInfo kFeatures[] = {
      {"problem", Axis::Problem, false, "m"},
      {"kernel", Axis::Tile, false, "its number"}};
  Samples samples;
  samples.subject = {"gemm", "f32", "here"};
  samples.features = kFeatures;
  for (int64_t g = 0; g < groups; ++g) {
    samples.groups.push_back({"problem" + std::to_string(g), "rcr", 10 + g, 64,
                              64, 1, 1, samples.count(), 48});
    for (int k = 0; k < 48; ++k) {
      samples.rows.insert(samples.rows.end(),
                          {static_cast<float>(g), static_cast<float>(k)});
      samples.tflops.push_back(1 + k * 37 % 48 + 0.01 * static_cast<double>(g));
      samples.latencyMs.push_back(1 / samples.tflops.back());
      samples.bandwidth.push_back(samples.tflops.back());
      samples.noise.push_back(0.01);
      samples.valid.push_back(true);
      samples.kernel.push_back("k" + std::to_string(k));
      samples.pipeline.push_back("plain");
      samples.group.push_back(static_cast<int32_t>(g));
    }
  }
  return samples;
}

static TrainOptions quickOptions() {
  TrainOptions options;
  options.folds = 4;
  options.trees = 40;
  options.leaves = 31;
  options.minLeaf = 4;
  options.rate = 0.2;
  options.columns = 1;
  return options;
}

TEST(Trainer, EachProblemIsHeldOutOnceByAModelOfTheOthers) {
  Samples samples = someSamples(16);
  auto report = llvm::cantFail(crossValidate(
      samples, quickOptions(), Target::Efficiency, [](const std::string &) {}));
  ASSERT_EQ(report.folds.size(), 4u);
  for (size_t f = 0; f < 4; ++f) {
    const FoldMetrics &fold = report.folds[f];
    EXPECT_EQ(fold.fold, static_cast<int>(f));
    EXPECT_EQ(fold.validationGroups, 4u);
    EXPECT_EQ(fold.validationRows, 4 * 48u);
    EXPECT_EQ(fold.trainRows, 12 * 48u);
    EXPECT_GT(fold.trees, 0);
    // The kernels' order is the same in all problems.
    EXPECT_GT(fold.meanEfficiency, 0.9) << f;
    EXPECT_GE(fold.meanEfficiency, fold.p10Efficiency) << f;
  }
  for (double value : report.outOfFold)
    EXPECT_FALSE(std::isnan(value));
  EXPECT_NEAR(meanEfficiency(report), 1, 0.1);
}

TEST(Trainer, ShapesAreDealtOutEvenlyAndWhole) {
  Samples samples = someSamples(12);
  for (size_t g = 0; g < 12; ++g) // three problems of each shape
    samples.groups[g].m = static_cast<int64_t>(g / 3);
  std::vector<int> folds = groupFolds(samples, 4);
  std::set<int> seen;
  for (size_t g = 0; g < 12; g += 3) {
    EXPECT_EQ(folds[g], folds[g + 1]);
    EXPECT_EQ(folds[g], folds[g + 2]);
    seen.insert(folds[g]);
  }
  EXPECT_EQ(seen, (std::set<int>{0, 1, 2, 3}));
}

TEST(Trainer, TheTreesThatAreTriedAreThoseOfTheLog) {
  Samples samples = someSamples(30);
  TrainOptions options = quickOptions();
  options.trees = 8;
  options.leaves = 4;
  options.minLeaf = 10;
  options.rate = 0.05;
  options.targets = {Target::Tflops};
  std::vector<std::string> lines;
  TrainOptions chosen = llvm::cantFail(chooseTrees(
      samples, options, [&](const std::string &line) { lines.push_back(line); }));
  ASSERT_EQ(lines.size(), 6u);
  std::vector<std::string> worths;
  for (const std::string &line : lines)
    worths.push_back(line.substr(line.find(": ", 6) + 2, 7));
  EXPECT_EQ(lines[0].find("tune: 4 leaves of at least 10 rows, rate 0.05: "),
            0u)
      << lines[0];
  EXPECT_NE(worths[0], worths[1]); // 4 leaves and 31
  EXPECT_NE(worths[4], worths[5]); // rows per leaf, and rate
  EXPECT_GT(chosen.leaves, 4);
  // The option with the best value in the log is chosen.
  size_t best = 0;
  for (size_t i = 0; i < lines.size(); ++i)
    if (lines[i].find("best so far") != std::string::npos)
      best = i;
  EXPECT_EQ(lines[best].find("tune: " + std::to_string(chosen.leaves) +
                             " leaves of at least " +
                             std::to_string(chosen.minLeaf) + " rows, rate "),
            0u)
      << lines[best] << " " << chosen.leaves << " " << chosen.minLeaf;
}
