// What a model records about its training: the problems that it has seen and
// the range of their sizes, including those of the model that it continues.
#include "assay/select/Manifest.h"
#include "assay/select/spaces/Gemm.h"

#include "gtest/gtest.h"

using namespace assay;
using namespace assay::select;

static Samples::Group group(int64_t m, int64_t n, int64_t k) {
  Samples::Group made;
  made.m = m, made.n = n, made.k = k, made.batch = 1;
  made.key = gemmProblems({}, kernels::Layout::RCR, {{m, n, k}}, {1})[0]->groupKey();
  return made;
}

static Model modelOf(const Samples &samples, const Model *parent) {
  Model model;
  model.manifest["seen_groups"] = seenProblems(samples, parent);
  model.manifest["training_range"] = trainingRange(samples, parent);
  return model;
}

static Samples samplesOf(std::vector<Samples::Group> groups) {
  Samples samples;
  samples.groups = std::move(groups);
  return samples;
}

static Shape problem(int64_t m, int64_t n, int64_t k) { return {m, n, k}; }

TEST(Manifest, AModelHasSeenWhatItsParentSaw) {
  Samples first = samplesOf({group(2, 3, 4), group(5, 6, 7)}),
          later = samplesOf({group(5, 6, 7), group(8, 9, 10)});
  Model parent = modelOf(first, nullptr), child = modelOf(later, &parent);
  EXPECT_EQ(findSeen(parent, later), std::vector<bool>({true, false}));
  EXPECT_EQ(findSeen(child, first), std::vector<bool>({true, true}));
  EXPECT_EQ(child.manifest.getArray("seen_groups")->size(), 3u);
  auto key = [](int64_t m, int64_t n, int64_t k) {
    return group(m, n, k).key;
  };
  EXPECT_EQ(countSeen(child, {key(2, 3, 4), key(8, 9, 10), key(2, 3, 5)}), 2);
  EXPECT_EQ(countSeen(parent, {key(8, 9, 10)}), 0);
}

TEST(Manifest, TheRangeIsThatOfBothTrainings) {
  Model parent = modelOf(samplesOf({group(4, 100, 16)}), nullptr);
  for (auto [least, most] : {std::pair<int64_t, int64_t>(2, 8), {5, 6}}) {
    Model child = modelOf(
        samplesOf({group(least, 50, 16), group(most, 200, 32)}), &parent);
    const llvm::json::Object *range =
        child.manifest.getObject("training_range");
    ASSERT_TRUE(range);
    EXPECT_EQ(*range->getArray("m"),
              llvm::json::Array({std::min<int64_t>(least, 4), most}));
    EXPECT_EQ(*range->getArray("n"), llvm::json::Array({50, 200}));
    EXPECT_EQ(*range->getArray("k"), llvm::json::Array({16, 32}));
  }
  Model smaller = modelOf(samplesOf({group(3, 90, 16)}), &parent);
  EXPECT_EQ(*smaller.manifest.getObject("training_range")->getArray("m"),
            llvm::json::Array({3, 4}));
}

TEST(Manifest, TheFarthestSizeIsNamed) {
  Model model =
      modelOf(samplesOf({group(8, 16, 32), group(64, 64, 64)}), nullptr);
  EXPECT_EQ(outsideOfTraining(model, problem(8, 64, 40)), "");
  EXPECT_EQ(outsideOfTraining(model, problem(2, 16, 64)),
            "m = 2 is 0.2 times the least m of the training (8)");
  EXPECT_EQ(outsideOfTraining(model, problem(4, 640, 64)),
            "n = 640 is 10.0 times the greatest n of the training (64)");
  EXPECT_EQ(outsideOfTraining(Model(), problem(1, 1, 1)), "");
}
