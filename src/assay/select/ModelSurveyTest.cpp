// Which models serve, and why the others do not. The folders are written by
// hand, for this machine and for others.
#include "assay/select/Auto.h"
#include "assay/select/Collector.h"
#include "assay/select/ModelFolder.h"
#include "assay/select/ModelSurvey.h"
#include "assay/select/SelfCheck.h"

#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <cstdlib>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

namespace {
/// Folders with specs in a temporary place, and a home beside them.
class ModelSurvey : public testing::Test {
protected:
  void SetUp() override {
    llvm::sys::fs::remove_directories(root);
    if (const char *home = std::getenv("XDG_DATA_HOME"))
      homeBefore = home;
    setenv("XDG_DATA_HOME", (root + "/data").c_str(), 1);
  }
  void TearDown() override {
    homeBefore.empty() ? unsetenv("XDG_DATA_HOME")
                       : setenv("XDG_DATA_HOME", homeBefore.c_str(), 1);
    llvm::sys::fs::remove_directories(root);
  }

  /// A model without trees: a survey does not read them.
  std::string write(const std::string &name, std::vector<int64_t> threads,
                    const std::string &arch = "", const std::string &dtype = "f32") {
    std::string folder = root + "/" + name;
    llvm::sys::fs::create_directories(folder);
    FeatureSpec spec;
    spec.subject = {"gemm", dtype,
                    arch.empty() ? machineClass(registry.machine()) : arch};
    spec.layout = "rcr";
    spec.threads = std::move(threads);
    spec.schemaHash = schemaHash(gemmFeatures());
    TypePair types = *parseTypePair(dtype);
    spec.registryHash = registryHash(registry.enumerate(types, Layout::RCR));
    spec.names = featureNames(gemmFeatures());
    spec.targets[Target::Efficiency] = {};
    EXPECT_FALSE(
        bool(writeJsonFile(folder + "/feature_spec.json", toJson(spec))));
    return folder;
  }
  std::vector<FoundModel> survey(std::vector<std::string> folders) {
    return surveyModels(registry, folders, kind);
  }

  Registry registry;
  ModelKind kind{"gemm", "f32", "rcr"};
  std::string root = testing::TempDir() + "/assay_survey", homeBefore;
};
const char *const kElsewhere = "avx2 l1=1K l2=1K l3=1K";
} // namespace

TEST_F(ModelSurvey, ThoseOfThisMachineComeFirstAndTheFirstServes) {
  write("a/theirs", {1}, kElsewhere);
  write("a/typed", {1}, "", "f64");
  std::string mine = write("b/mine", {1, 2}), second = write("b/second", {2});
  write("b/mine.new", {1});
  llvm::sys::fs::create_directories(root + "/b/mine.data");
  std::vector<FoundModel> found = survey({root + "/a", root + "/b", mine});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].folder, mine);
  EXPECT_TRUE(found[0].serves && found[0].why.empty());
  EXPECT_EQ(found[1].folder, second);
  EXPECT_TRUE(!found[1].serves && found[1].isBehind);
  EXPECT_EQ(found[1].why, "'" + mine + "' comes first");
  EXPECT_FALSE(found[2].serves || found[2].isBehind);
  EXPECT_NE(found[2].why.find("another machine"), std::string::npos);
  EXPECT_NE(found[2].why.find("`assay tune check`"), std::string::npos);
}

TEST_F(ModelSurvey, AModelOfTwoThreadsLeavesOneThreadToTheNext) {
  write("a", {2});
  std::string one = write("b", {1});
  std::vector<FoundModel> found = survey({root});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_FALSE(found[0].rates(1));
  EXPECT_TRUE(found[0].rates(2) && found[0].serves);
  EXPECT_TRUE(found[1].rates(1) && found[1].rates(7) && found[1].serves);
}

TEST_F(ModelSurvey, AForeignModelServesBehindOwnOnesWhenItWasTheFaster) {
  std::string theirs = write("a", {1}, kElsewhere);
  ASSERT_FALSE(bool(
      keepSpeedup(theirs, registry, {1.1, 1.05, 1.15, 30, 9, "2026-01-02"})));
  std::vector<FoundModel> alone = survey({root});
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_TRUE(alone[0].serves);
  EXPECT_NE(alone[0].why.find("1.10x the analytic choice"), std::string::npos);
  std::string mine = write("z", {1});
  std::vector<FoundModel> both = survey({root});
  EXPECT_EQ(both[0].folder, mine);
  EXPECT_TRUE(both[0].serves && !both[1].serves && both[1].isBehind);
  std::vector<FoundModel> any = surveyModels(registry, {root}, kind, true);
  EXPECT_EQ(any[0].folder, theirs); // no machine is foreign, so the order is by
                                    // name
}

TEST_F(ModelSurvey, AnotherClassKeepsItsFolderWhenTuneAutoInstalls) {
  const Machine &machine = registry.machine();
  EXPECT_EQ(autoTarget(root, kind, machine), root + "/gemm_f32_rcr");
  EXPECT_EQ(autoTarget(root,
                       ModelKind("conv_bwd_data", "f32", "nhwc"),
                       machine),
            root + "/conv_bwd_data_f32_nhwc");
  write("gemm_f32_rcr", {1});
  EXPECT_EQ(autoTarget(root, kind, machine), root + "/gemm_f32_rcr");
  write("gemm_f32_rcr", {1}, kElsewhere);
  std::string own = autoTarget(root, kind, machine);
  EXPECT_TRUE(llvm::StringRef(own).starts_with(root + "/gemm_f32_rcr-"));
  EXPECT_NE(own.find("-l1-" + std::to_string(machine.caches.l1 >> 10) + "K"),
            std::string::npos);
}
