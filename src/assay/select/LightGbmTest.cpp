// Tests the text format against LightGBM itself: models that the library trains
// (with missing values and categories) are read, used for predictions, written,
// and loaded again by the library. Files that are cut or altered are refused
// with a message.
#include "assay/select/LightGbmApi.h"
#include "assay/select/LightGbmText.h"
#include "assay/support/Random.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace assay;
using namespace assay::select;

static constexpr int64_t kFeatures = 6;

static std::vector<float> makeRows(int64_t count, uint64_t stream) {
  CounterRandom random(3, stream);
  std::vector<float> rows(count * kFeatures);
  for (int64_t i = 0; i < count * kFeatures; ++i) {
    rows[i] = static_cast<float>(random.normal(i));
    if (i % kFeatures == 3)
      rows[i] = static_cast<float>(
          random.integer(i, 0, 39)); // categories, more than fit one word of
                                     // bits
    else if (i % kFeatures == 4 && random.integer(i, 0, 4) == 0)
      rows[i] = std::numeric_limits<float>::quiet_NaN();
    else if (i % kFeatures == 5 && random.integer(i, 0, 2) == 0)
      rows[i] = 0;
  }
  return rows;
}

static llvm::Expected<std::string>
trainText(LightGbm &api, const std::string &extra, int trees) {
  constexpr int64_t count = 3000;
  std::vector<float> rows = makeRows(count, 1), labels(count);
  for (int64_t i = 0; i < count; ++i) {
    const float *row = &rows[i * kFeatures];
    labels[i] = 2 * row[0] + std::sin(3 * row[1]) +
                (int(row[3]) % 3 == 1 ? 1.5f : 0) +
                (std::isnan(row[4]) ? 1 : row[4]);
  }
  std::vector<std::string> names = {"a",        "b",       "c",
                                    "category", "missing", "zeros"};
  std::string parameters =
      "objective=regression num_leaves=31 learning_rate=0.1 min_data_in_leaf=5 "
      "verbosity=-1 "
      "num_threads=2 deterministic=true categorical_feature=3 " +
      extra;
  auto data =
      api.makeDataset({rows, kFeatures, labels, {}, {}, names}, parameters);
  if (!data)
    return data.takeError();
  auto booster = api.makeBooster(*data, parameters);
  if (!booster)
    return booster.takeError();
  for (int i = 0; i < trees; ++i) {
    llvm::Expected<bool> finished = (*booster)->update();
    if (!finished)
      return finished.takeError();
  }
  return (*booster)->text();
}

class LightGbmText : public testing::Test {
protected:
  void SetUp() override {
    auto loaded = LightGbm::load();
    ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
    api_ = *loaded;
  }
  /// Compares three predictions on rows not seen in training: ours of the text,
  /// LightGBM's of the text, and LightGBM's of the text that we print.
  void expectEqualPredictions(const std::string &extra) {
    llvm::Expected<std::string> text = trainText(*api_, extra, 40);
    ASSERT_TRUE(bool(text)) << llvm::toString(text.takeError());
    llvm::Expected<TreeModel> model = parseLightGbm(*text, "trained");
    ASSERT_TRUE(bool(model)) << llvm::toString(model.takeError());
    std::string printed = printLightGbm(*model);
    auto original = api_->fromText(*text), copy = api_->fromText(printed);
    ASSERT_TRUE(bool(original)) << llvm::toString(original.takeError());
    ASSERT_TRUE(bool(copy)) << llvm::toString(copy.takeError());
    constexpr int64_t count = 500;
    std::vector<float> rows = makeRows(count, 2);
    std::vector<double> wide(rows.begin(), rows.end()), theirs(count),
        theirsOfOurs(count);
    ASSERT_FALSE(bool(
        (*original)->predict(wide.data(), count, kFeatures, theirs.data(), 1)));
    ASSERT_FALSE(bool((*copy)->predict(wide.data(), count, kFeatures,
                                       theirsOfOurs.data(), 1)));
    for (int64_t i = 0; i < count; ++i) {
      EXPECT_EQ(model->predict({&wide[i * kFeatures], size_t(kFeatures)}),
                theirs[i])
          << "row " << i;
      EXPECT_EQ(theirsOfOurs[i], theirs[i]) << "row " << i;
    }
    llvm::Expected<TreeModel> again = parseLightGbm(printed, "printed");
    ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
    EXPECT_EQ(printLightGbm(*again), printed);
  }
  std::shared_ptr<LightGbm> api_;
};

TEST_F(LightGbmText, PredictsAsLightGbmDoes) { expectEqualPredictions(""); }
TEST_F(LightGbmText, PredictsWithZerosAsMissing) {
  expectEqualPredictions("zero_as_missing=true");
}
TEST_F(LightGbmText, PredictsWithoutMissingValues) {
  expectEqualPredictions("use_missing=false");
}
TEST_F(LightGbmText, PredictsARandomForest) {
  expectEqualPredictions("boosting=rf bagging_freq=1 bagging_fraction=0.7");
}

TEST_F(LightGbmText, RefusesWhatItCannotPredict) {
  for (const char *extra :
       {"objective=binary", "objective=regression linear_tree=true",
        "objective=poisson"}) {
    std::string flags = extra;
    llvm::Expected<std::string> text = trainText(*api_, "", 2);
    ASSERT_TRUE(bool(text));
    std::string altered = *text;
    if (flags.find("linear") != std::string::npos)
      altered.replace(altered.find("is_linear=0"), 11, "is_linear=1");
    else
      altered.replace(altered.find("objective=regression"), 20, flags);
    llvm::Expected<TreeModel> model = parseLightGbm(altered, "altered");
    ASSERT_FALSE(bool(model)) << extra;
    EXPECT_EQ(takeError(model.takeError()).code, ErrorCode::Unsupported)
        << extra;
  }
}

static const char *const kSmall =
    "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\n"
    "max_feature_idx=1\nobjective=regression\nfeature_names=a "
    "b\nfeature_infos=none none\n"
    "tree_sizes=1\n\nTree=0\nnum_leaves=3\nnum_cat=0\nsplit_feature=0 "
    "1\nsplit_gain=1 1\n"
    "threshold=0.5 1.5\ndecision_type=2 2\nleft_child=1 -1\nright_child=-2 -3\n"
    "leaf_value=1 2 3\nleaf_weight=1 1 1\nleaf_count=1 1 1\ninternal_value=0 "
    "0\n"
    "internal_weight=1 1\ninternal_count=1 "
    "1\nis_linear=0\nshrinkage=1\n\n\nend of trees\n";

TEST(LightGbmFile, SmallModelEvaluatesByHand) {
  llvm::Expected<TreeModel> model = parseLightGbm(kSmall, "small");
  ASSERT_TRUE(bool(model)) << llvm::toString(model.takeError());
  auto predict = [&](double a, double b) {
    return model->predict(std::vector<double>{a, b});
  };
  EXPECT_EQ(predict(0.5, 1.5), 1);
  EXPECT_EQ(predict(0.5, 1.6), 3);
  EXPECT_EQ(predict(0.6, 0), 2);
}

// LightGBM separates the trees by these sizes: each is the length of the text
// from one "Tree=" to the next, or to the end of trees.
TEST(LightGbmFile, TreeSizesAreThoseOfTheirTexts) {
  TreeModel model = llvm::cantFail(parseLightGbm(kSmall, "small"));
  model.trees.push_back(model.trees[0]);
  model.trees.back().shrinkage = 0.125;
  std::string text = printLightGbm(model);
  std::vector<size_t> places;
  for (size_t at = text.find("\nTree="); at != std::string::npos;
       at = text.find("\nTree=", at + 1))
    places.push_back(at);
  places.push_back(text.find("\nend of trees"));
  ASSERT_EQ(places.size(), model.trees.size() + 1);
  std::string sizes = "\ntree_sizes=";
  for (size_t i = 0; i + 1 < places.size(); ++i)
    sizes += (i ? " " : "") + std::to_string(places[i + 1] - places[i]);
  EXPECT_NE(text.find(sizes + "\n"), std::string::npos) << sizes << text;
}

TEST(LightGbmFile, EveryTruncationIsRefused) {
  llvm::StringRef text = kSmall;
  for (size_t size = 0; size + 1 < text.size(); ++size) {
    llvm::Expected<TreeModel> model =
        parseLightGbm(text.take_front(size), "cut");
    ASSERT_FALSE(bool(model)) << "cut at " << size;
    ErrorText error = takeError(model.takeError());
    EXPECT_NE(error.message.find("'cut'"), std::string::npos);
  }
}

TEST(LightGbmFile, InconsistentContentIsRefused) {
  struct Change {
    const char *from, *to;
  };
  for (Change change : {Change{"num_leaves=3", "num_leaves=4"},
                        {"num_leaves=3", "num_leaves=0"},
                        {"num_leaves=3", "num_leaves=99999999999"},
                        {"split_feature=0 1", "split_feature=0 2"},
                        {"left_child=1 -1", "left_child=0 -1"},
                        {"left_child=1 -1", "left_child=1 -4"},
                        {"left_child=1 -1", "left_child=-1 -1"},
                        {"leaf_value=1 2 3", "leaf_value=1 nan 3"},
                        {"leaf_value=1 2 3", "leaf_value=1 2"},
                        {"leaf_value=1 2 3", "leaf_value=1 2 3 4"},
                        {"threshold=0.5", "threshold=x"},
                        {"decision_type=2 2", "decision_type=3 2"},
                        {"decision_type=2 2", "decision_type=14 2"},
                        {"num_cat=0", "num_cat=7"},
                        {"Tree=0", "Tree=1"},
                        {"feature_names=a b", "feature_names=a"},
                        {"tree_sizes=1", "tree_sizes=1 2"},
                        {"max_feature_idx=1", "max_feature_idx=-5"},
                        {"tree\n", "tea\n"}}) {
    std::string text = kSmall;
    size_t at = text.find(change.from);
    ASSERT_NE(at, std::string::npos) << change.from;
    text.replace(at, std::strlen(change.from), change.to);
    llvm::Expected<TreeModel> model = parseLightGbm(text, "altered");
    ASSERT_FALSE(bool(model)) << change.to;
    EXPECT_EQ(takeError(model.takeError()).code, ErrorCode::DataLoss)
        << change.to;
  }
}

TEST(LightGbmFile, GzipRoundTripAndItsTruncations) {
  llvm::Expected<TreeModel> model = parseLightGbm(kSmall, "small");
  ASSERT_TRUE(bool(model));
  std::string path = testing::TempDir() + "/assay_small.lgbm.gz",
              cut = testing::TempDir() + "/assay_cut.lgbm.gz";
  ASSERT_FALSE(bool(writeLightGbm(*model, path)));
  llvm::Expected<TreeModel> back = readLightGbm(path);
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  EXPECT_EQ(printLightGbm(*back), printLightGbm(*model));
  uint64_t size = 0;
  ASSERT_FALSE(bool(llvm::sys::fs::file_size(path, size)));
  for (uint64_t keep = 0; keep < size; keep += 7) {
    ASSERT_FALSE(bool(llvm::sys::fs::copy_file(path, cut)));
    int descriptor = -1;
    ASSERT_FALSE(bool(llvm::sys::fs::openFileForReadWrite(
        cut, descriptor, llvm::sys::fs::CD_OpenExisting,
        llvm::sys::fs::OF_None)));
    ASSERT_FALSE(bool(llvm::sys::fs::resize_file(descriptor, keep)));
    llvm::sys::Process::SafelyCloseFileDescriptor(descriptor);
    llvm::Expected<TreeModel> damaged = readLightGbm(cut);
    ASSERT_FALSE(bool(damaged)) << "kept " << keep;
    EXPECT_EQ(takeError(damaged.takeError()).code, ErrorCode::DataLoss);
  }
  llvm::sys::fs::remove(path);
  llvm::sys::fs::remove(cut);
}
