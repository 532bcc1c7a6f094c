// The criteria for a model, on numbers that can be checked by hand: its
// acceptance against another, its fit, slices of its outcomes, and the problems
// that a fold holds out.
#include "assay/select/Metrics.h"
#include "assay/select/Trainer.h"

#include "gtest/gtest.h"

#include <map>

using namespace assay;
using namespace assay::select;

/// Problems with these values of m, each with one row of data.
static Samples samplesOf(std::vector<int64_t> rows) {
  Samples samples;
  for (size_t g = 0; g < rows.size(); ++g) {
    samples.groups.push_back({"p" + std::to_string(g), "rcr", rows[g], 16, 600,
                              1, 2, /*first=*/g, /*count=*/1});
    samples.group.push_back(static_cast<int32_t>(g));
    samples.pipeline.push_back("plain");
  }
  return samples;
}

static std::vector<PickOutcome> outcomesOf(std::vector<double> efficiencies) {
  std::vector<PickOutcome> outcomes;
  for (size_t g = 0; g < efficiencies.size(); ++g) {
    PickOutcome outcome;
    outcome.group = outcome.best = g;
    outcome.efficiency = efficiencies[g];
    outcome.bestMs = 1;
    outcomes.push_back(outcome);
  }
  return outcomes;
}

TEST(Acceptance, LosesAtMostHalfAPercentOnTheMean) {
  Samples samples = samplesOf({1, 2, 3, 4});
  std::vector<PickOutcome> before = outcomesOf({0.9, 0.9, 0.9, 0.9});
  auto accepted = [&](double now) {
    return accept(outcomesOf({now, now, now, now}), before, samples).accepted;
  };
  EXPECT_TRUE(accepted(0.95));
  EXPECT_TRUE(accepted(0.896));
  EXPECT_FALSE(accepted(0.894));
  EXPECT_FALSE(accepted(0.85));
  EXPECT_FALSE(accept({}, {}, samples).accepted);
}

TEST(Acceptance, LosesATenthOnNoProblem) {
  // The mean and the median rise; one problem of many becomes worse.
  std::vector<double> before(40, 0.8), after(40, 0.9);
  before[7] = 0.9;
  std::vector<int64_t> rows(40, 5);
  Samples samples = samplesOf(rows);
  after[7] = 0.81;
  EXPECT_TRUE(accept(outcomesOf(after), outcomesOf(before), samples).accepted);
  after[7] = 0.79;
  Acceptance refused = accept(outcomesOf(after), outcomesOf(before), samples);
  EXPECT_FALSE(refused.accepted);
  EXPECT_NE(refused.lines.back().find("MISSED: 1 problems"), std::string::npos);
  EXPECT_NE(refused.lines.back().find("worst: p7"), std::string::npos);
}

TEST(Fit, IsTheRootMeanSquareAndTheExplainedShare) {
  Fit fit = fitOf({1, 2, 3, 6}, {1, 2, 3, 4});
  EXPECT_DOUBLE_EQ(fit.rmse, 1);
  EXPECT_DOUBLE_EQ(fit.r2, 1 - 4.0 / 5.0);
  EXPECT_DOUBLE_EQ(fitOf({2.5, 2.5, 2.5, 2.5}, {1, 2, 3, 4}).r2, 0);
  EXPECT_EQ(fitOf({3, 3}, {2, 2}).r2, 0);
  EXPECT_EQ(fitOf({}, {}).rmse, 0);
}

TEST(Slices, EndBelowTheirBound) {
  Samples samples = samplesOf({7, 8, 127, 128, 1023, 1024});
  std::map<std::string, size_t> counts;
  for (const Slice &slice :
       sliceOutcomes(samples, outcomesOf({1, 1, 1, 1, 1, 1})))
    counts[slice.name] = slice.outcomes.size();
  EXPECT_EQ(counts["m < 8"], 1u);
  EXPECT_EQ(counts["m < 128"], 2u);
  EXPECT_EQ(counts["m < 1024"], 2u);
  EXPECT_EQ(counts["m >= 1024"], 1u);
  EXPECT_EQ(counts["k < 4096"], 6u);
  EXPECT_EQ(counts["threads 2"], 6u);
  EXPECT_EQ(counts["best of 20 us or more"], 6u);
}

TEST(Folds, HoldOutAShapeWithAllItsThreadsAndLayouts) {
  Samples samples = samplesOf({4, 4, 4, 9, 9, 20, 33, 47});
  samples.groups[1].threads = 8;
  samples.groups[2].layout = "rrr";
  std::vector<int> folds = groupFolds(samples, 3);
  ASSERT_EQ(folds.size(), 8u);
  EXPECT_EQ(folds[0], folds[1]);
  EXPECT_EQ(folds[0], folds[2]);
  EXPECT_EQ(folds[3], folds[4]);
  // The rows are spread as evenly as possible: three shapes of one row are left
  // over.
  std::map<int, int> rows;
  for (int fold : folds)
    ++rows[fold];
  EXPECT_EQ(rows[0] * rows[1] * rows[2], 3 * 3 * 2);
}
