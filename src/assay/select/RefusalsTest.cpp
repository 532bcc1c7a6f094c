// What the readers of the selection refuse, each case by its message:
// LightGBM's text altered in one place, names of CK Tile's kernels, forests
// that dispatch cannot hold, files named .gz, and what the LightGBM library
// itself refuses.
#include "assay/select/Forest.h"
#include "assay/select/Journal.h"
#include "assay/select/LightGbmApi.h"
#include "assay/select/LightGbmText.h"
#include "assay/select/RocmInfo.h"
#include "assay/select/CkGemm.h"
#include "assay/support/TestFolder.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <fstream>

using namespace assay;
using namespace assay::select;

// Two splits and three leaves, the second split by category.
static const char *const kModel =
    "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\n"
    "max_feature_idx=1\nobjective=regression\nfeature_names=a b\n"
    "feature_infos=none none\ntree_sizes=1\n\nTree=0\nnum_leaves=3\nnum_cat=1\n"
    "split_feature=0 1\nthreshold=0.5 0\ndecision_type=2 1\n"
    "left_child=1 -1\nright_child=-2 -3\nleaf_value=1 2 3\n"
    "cat_boundaries=0 1\ncat_threshold=5\nis_linear=0\nshrinkage=1\n\n\n"
    "end of trees\n";

static std::string altered(llvm::StringRef from, llvm::StringRef to) {
  std::string text = kModel;
  size_t at = text.find(from.str());
  EXPECT_NE(at, std::string::npos) << from.str();
  return text.replace(at, from.size(), to.str());
}

template <typename T> static std::string messageOf(llvm::Expected<T> result) {
  if (result)
    return "accepted";
  return takeError(result.takeError()).message;
}

TEST(LightGbmRefusals, NameTheLineAndWhatWasExpected) {
  EXPECT_TRUE(bool(parseLightGbm(kModel, "m")));
  const std::tuple<const char *, const char *, const char *> cases[] = {
      {"leaf_value=1 2 3", "leaf_value=1 2 3 4",
       "leaf_value has more than 3 entries"},
      {"leaf_value=1 2 3", "leaf_value=1 2", "leaf_value has 2 entries, expected 3"},
      {"leaf_value=1 2 3", "leaf_value=1 x 3",
       "leaf_value has 'x', expected a number"},
      {"leaf_value=1 2 3", "leaf_value=1 inf 3",
       "leaf_value has 'INF', expected a finite number"},
      {"end of trees", "end of woods", "the text ends before 'end of trees'"},
      {"cat_boundaries=0 1", "cat_boundaries=1 1",
       "cat_boundaries does not ascend from 0"},
      {"left_child=1", "left_child=-4",
       "node 0 has the child -4, expected a later node or one of 3 leaves"},
      {"left_child=1 -1", "left_child=1 -2", "two nodes have the child -2"},
      {"split_feature=0 1", "split_feature=0 2", "node 1 splits feature 2 of 2"},
      {"decision_type=2 1", "decision_type=2 16",
       "node 1 has decision_type 16, expected bits 0 to 3 with a missing type "
       "of 0 to 2"},
      {"threshold=0.5 0", "threshold=0.5 1", "node 1 names category set 1"},
      {"num_leaves=3", "num_leaves=0", "num_leaves is 0, expected 1 to "},
      {"num_cat=1", "num_cat=3", "num_cat is 3, expected 0 to num_leaves - 1"},
      {"is_linear=0", "is_linear=1",
       "'m' has linear leaves; train without linear_tree"},
      {"version=v4", "version=v5", "'m' has version 'v5', expected v4 (or v3)"},
      {"num_class=1", "num_class=3",
       "'m' has num_class = 3; one output is supported"},
      {"max_feature_idx=1", "max_feature_idx=-1",
       "max_feature_idx is -1, expected 0 to "},
      {"objective=regression", "objective=binary",
       "'m' has the objective 'binary', which transforms the sum of leaves"},
      {"tree\n", "bush\n",
       "'m' is not a LightGBM model: it does not begin with the line 'tree'"},
      {"Tree=0", "Tree=1", "got 'Tree=1', expected 'Tree=0'"},
      {"tree_sizes=1", "tree_sizes=1 1", "tree_sizes has 2 entries for 1 trees"},
      {"shrinkage=1", "shrinkage=x", "shrinkage is 'x', expected a number"}};
  for (const auto &[from, to, why] : cases) {
    std::string said = messageOf(parseLightGbm(altered(from, to), "m"));
    EXPECT_NE(said.find(why), std::string::npos) << why << "\n" << said;
  }
}

TEST(CkNameRefusals, NameThePart) {
  const std::string good = "gemm_fp8_rcr_compv3_cshuffle_intrawave_False_False_"
                           "False_False_128x128x64_2x2x1_32x32x16";
  EXPECT_TRUE(bool(parseCkName(good)));
  auto part = [](std::string name, llvm::StringRef from, llvm::StringRef to) {
    size_t at = name.rfind(from.str());
    EXPECT_NE(at, std::string::npos) << from.str();
    std::string said =
        messageOf(parseCkName(name.replace(at, from.size(), to.str())));
    return said.substr(std::min(said.size(), said.find("' has no valid ")));
  };
  EXPECT_EQ(part(good, "gemm_", "conv_"), "' has no valid prefix gemm_");
  EXPECT_EQ(part(good, "_32x32x16", "_32x32x16_vec4_4_x"),
            "' has no valid vector widths");
  EXPECT_EQ(part(good, "_128x128x64", ""), "' has no valid number of parts");
  EXPECT_EQ(part(good, "2x2x1", "2x2"), "' has no valid tile sizes");
  EXPECT_EQ(part(good, "False_128", "Maybe_128"),
            "' has no valid persistent flag");
  EXPECT_EQ(part(good, "intrawave_False", "intrawave_No"),
            "' has no valid padding flags");
  EXPECT_NE(messageOf(parseCkConvName("conv_fwd_fp16_2d"))
                .find("has no valid prefix grouped_conv_"),
            std::string::npos);
  EXPECT_NE(messageOf(parseCkConvName("grouped_conv_forward_fp16_2d"))
                .find("has no valid number of dimensions, tile and pipeline"),
            std::string::npos);
}

TEST(ForestRefusals, SayHowToTrain) {
  ForestGrid grid;
  grid.tiles = grid.traits = 1;
  grid.tileOf = {0};
  grid.traitOf = {0};
  auto refusal = [&](llvm::StringRef from, llvm::StringRef to) {
    TreeModel model =
        llvm::cantFail(parseLightGbm(altered(from, to), "m"));
    return messageOf(Forest::compile(model, grid));
  };
  grid.axes = {Axis::Problem};
  grid.constant = {{}};
  EXPECT_EQ(refusal("", ""), "the model has 2 features, the kernels have 1");
  grid.axes = {Axis::Problem, Axis::Problem};
  grid.constant = {{}, {}};
  EXPECT_EQ(refusal("tree_sizes=1\n", "tree_sizes=1\naverage_output\n"),
            "the model averages its trees; train with boosting=gbdt");
  EXPECT_EQ(refusal("decision_type=2", "decision_type=6"),
            "the model treats zeros as missing; train with "
            "zero_as_missing=false");
  grid.axes = {Axis::Problem, Axis::Mixed};
  EXPECT_EQ(refusal("", ""), "the model splits 'b', which depends on problem "
                             "and kernel, by category");
}

namespace {
struct SelectionFiles : TestFolder {};
} // namespace

TEST_F(SelectionFiles, NamedGzButNot) {
  std::ofstream(path("m.lgbm.gz")) << "tree\n";
  EXPECT_EQ(messageOf(readMaybeGzip(path("m.lgbm.gz"))),
            "'" + path("m.lgbm.gz") +
                "' is named .gz but does not begin as gzip does");
}

TEST(JournalRefusals, NameTheLine) {
  EXPECT_EQ(messageOf(parseJournal("{}\n", "x.journal")),
            "'x.journal' is damaged at line 1; move it away to start without "
            "its measurements");
}

TEST(RocmInfoRefusals, ANodeWithoutGpu) {
  EXPECT_EQ(messageOf(parseRocmInfo("Agent 1\n  Device Type: CPU\n", "gfx950")),
            "--capture_hw: rocminfo names no GPU of this node");
}

TEST(LightGbmRefusals, OfTheLibrary) {
  const char *before = std::getenv("ASSAY_LIGHTGBM");
  std::string kept = before ? before : "";
  setenv("ASSAY_LIGHTGBM", "libm.so.6", 1);
  EXPECT_EQ(messageOf(LightGbm::load()),
            "'libm.so.6' has no function LGBM_GetLastError; LightGBM 4 is "
            "expected");
  before ? setenv("ASSAY_LIGHTGBM", kept.c_str(), 1)
         : unsetenv("ASSAY_LIGHTGBM");
  std::shared_ptr<LightGbm> api = llvm::cantFail(LightGbm::load());
  std::string said = messageOf(api->fromText("no model"));
  EXPECT_NE(said.find("LightGBM cannot read the model: "), std::string::npos)
      << said;
  std::vector<float> rows = {1, 2, 3, 4}, labels = {1, 2};
  std::vector<std::string> names = {"a", "b"}, odd = {"a\"", "b"};
  const std::string quiet = "verbosity=-1 num_threads=1 ";
  auto refused = [&](std::vector<float> labelsOf,
                     const std::vector<std::string> &namesOf,
                     const std::string &parameters) {
    return messageOf(api->makeDataset({rows, 2, labelsOf, {}, {}, namesOf},
                                      quiet + parameters));
  };
  said = refused(labels, names, "max_bin=1");
  EXPECT_NE(said.find("LightGBM cannot make a dataset: "), std::string::npos)
      << said;
  said = refused(labels, odd, "");
  EXPECT_NE(said.find("LightGBM cannot name the features: "), std::string::npos)
      << said;
  auto data = llvm::cantFail(
      api->makeDataset({rows, 2, labels, {}, {}, names}, quiet));
  said = messageOf(api->makeBooster(data, quiet + "objective=nosuch"));
  EXPECT_NE(said.find("LightGBM cannot start training: "), std::string::npos)
      << said;
}
