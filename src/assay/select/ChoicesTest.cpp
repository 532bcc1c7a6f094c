// The choice of kernels for products and convolutions: random problems, lists,
// picks, and the commands that use them (compare, check). The convolutions come
// from a set whose kernels do nothing; the real ones need an engine.
#include "assay/select/Collector.h"
#include "assay/select/ConvFeatures.h"
#include "assay/select/KernelList.h"
#include "assay/select/LightGbmText.h"
#include "assay/select/SelfCheck.h"
#include "assay/select/ModelSurvey.h"
#include "assay/select/Validate.h"
#include "assay/select/spaces/Conv.h"
#include "assay/select/spaces/Gemm.h"
#include "assay/support/TestFolder.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <set>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

static constexpr auto kForward = ConvDirection::Forward;

namespace {
/// A kernel that takes as long as its number says.
class SlowContender final : public Contender {
public:
  explicit SlowContender(int32_t turns) : turns_(turns) {}
  void run() const override {
    volatile int32_t sink = 0;
    for (int32_t i = 0; i < turns_; ++i)
      sink = i;
  }

private:
  int32_t turns_;
};

class SlowContest final : public Contest {
public:
  SlowContest(ProblemRef problem, std::vector<ConvConfig> configs)
      : problem_(std::move(problem)), configs_(std::move(configs)) {}
  ProblemRef problem() const override { return problem_; }
  std::vector<int32_t> candidates() const override { return {0}; }
  std::string name(int32_t kernel) const override {
    return configs_[static_cast<size_t>(kernel)].name();
  }
  int differences(int32_t a, int32_t b) const override { return a != b; }
  llvm::Expected<std::shared_ptr<const Contender>>
  prepare(int32_t kernel) override {
    return std::make_shared<SlowContender>(2000 + 4000 * kernel);
  }

private:
  ProblemRef problem_;
  std::vector<ConvConfig> configs_;
};

/// Models of one tree each that prefer one algorithm, each in its own folder.
struct ChoiceFolders : TestFolder {
  void SetUp() override {
    TestFolder::SetUp();
    if (const char *home = std::getenv("XDG_DATA_HOME"))
      homeBefore = home;
    setenv("XDG_DATA_HOME", path("home").c_str(), 1);
  }
  void TearDown() override {
    homeBefore.empty() ? unsetenv("XDG_DATA_HOME")
                       : setenv("XDG_DATA_HOME", homeBefore.c_str(), 1);
    TestFolder::TearDown();
  }
  /// The convolutions whose kernels only take time, and products.
  std::unique_ptr<KernelSet> convolutions() {
    SpaceContext context{registry, [this](llvm::StringRef, llvm::StringRef) {
                           return [this](const ProblemRef &problem,
                                         ThreadPool &, uint64_t)
                                      -> llvm::Expected<
                                          std::unique_ptr<Contest>> {
                             return std::make_unique<SlowContest>(
                                 problem,
                                 convKernels(kForward, registry.machine()));
                           };
                         }};
    return llvm::cantFail(
        findLocal("conv_fwd")->open("f32", "nhwc", context));
  }
  std::unique_ptr<KernelSet> products() {
    return llvm::cantFail(defaultSpace().open("f32", "rcr", {registry}));
  }
  /// A model that prefers blocks of at least `vectors` vectors.
  std::string makeModel(llvm::StringRef name, float vectors,
                        llvm::StringRef arch = "") const;

  Registry registry;
  std::string homeBefore;
};
} // namespace

std::string ChoiceFolders::makeModel(llvm::StringRef name, float vectors,
                                     llvm::StringRef arch) const {
  FeatureSpec spec;
  spec.subject = {toString(kForward), "f32",
                  arch.empty() ? classFor(machineClass(registry.machine()), {})
                               : arch.str()};
  spec.layout = kConvLayout;
  spec.threads = {1};
  spec.schemaHash = schemaHash(convFeatures());
  spec.registryHash = registryHash(convKernels(kForward, registry.machine()));
  spec.names = featureNames(convFeatures());
  spec.categorical = {"road"};
  spec.targets[Target::Efficiency] = {};
  TreeModel trees;
  trees.featureNames = spec.names;
  trees.featureInfos.assign(spec.names.size(), "none");
  Split split;
  split.feature = static_cast<int32_t>(
      llvm::find(spec.names, "block_vectors") - spec.names.begin());
  split.threshold = vectors - 0.5;
  split.missing = Missing::NaN;
  split.left = ~0, split.right = ~1;
  Tree tree;
  tree.splits = {split};
  tree.leaves = {{0.1, 1, 1}, {0.9, 1, 1}};
  trees.trees = {tree};
  std::string folder = path(name);
  llvm::sys::fs::create_directories(folder);
  llvm::cantFail(
      writeLightGbm(trees, inside(folder, "model_efficiency.lgbm.gz")));
  llvm::cantFail(
      writeJsonFile(inside(folder, "feature_spec.json"), toJson(spec)));
  return folder;
}

TEST(ConvDraws, AreConvolutionsOfAllKindsThatASeedMakesAgain) {
  auto draw = [](uint64_t seed, uint32_t stream) {
    return drawConvolutions(0.05, kForward, DataType::F32, seed, stream);
  };
  std::vector<ConvProblem> problems = draw(3, 1);
  ASSERT_GT(problems.size(), 5000u);
  EXPECT_TRUE(problems == draw(3, 1));
  std::set<std::string> words, others;
  int64_t depthwise = 0, grouped = 0, strided = 0, pointwise = 0, wide = 0;
  for (const ConvProblem &p : problems) {
    auto refusal = validate(p);
    EXPECT_FALSE(refusal) << toString(p);
    EXPECT_LE(p.flops(), 0.05e9);
    words.insert(toString(p));
    depthwise += p.groups > 1 && p.groupIn() == 1 && p.groupOut() == 1;
    grouped += p.groups > 1 && p.groupIn() > 1;
    strided += p.stride[1] > 1;
    pointwise += p.isPointwise();
    wide += p.image[1] != p.image[2];
    // The problem's words parse to the same problem, as they would in a user's
    // list.
    EXPECT_TRUE(llvm::cantFail(parseConvProblem(p.words(), kForward)) == p)
        << p.words();
  }
  auto share = [&](int64_t count) {
    return static_cast<double>(count) / static_cast<double>(problems.size());
  };
  for (int64_t count : {depthwise, grouped, strided, pointwise, wide}) {
    EXPECT_GT(share(count), 0.08);
    EXPECT_LT(share(count), 0.5);
  }
  for (const ConvProblem &p : draw(3, 2))
    others.insert(toString(p));
  std::vector<std::string> both;
  std::set_intersection(words.begin(), words.end(), others.begin(),
                        others.end(), std::back_inserter(both));
  EXPECT_LT(both.size(), words.size() / 20); // small ones coincide by accident
}

TEST_F(ChoiceFolders, BothOperationsNameTheirKernelsAndWhoChooses) {
  auto convolutions = this->convolutions(), products = this->products();
  EXPECT_EQ(ModelKind(*convolutions).text(), "conv_fwd f32 nhwc");
  EXPECT_EQ(ModelKind(*products).text(), "f32 rcr");
  EXPECT_EQ(convolutions->space().plainBy(), "the engine's rule");
  EXPECT_EQ(products->space().plainBy(), "analytic");
  EXPECT_EQ(plainName("gemm"), "the analytic choice");
  EXPECT_EQ(plainName("conv_fwd"), "the engine's rule");
  for (KernelSet *set : {convolutions.get(), products.get()}) {
    std::vector<ProblemRef> asked = set->drawAsked(0.01, 5, 1);
    ASSERT_GT(asked.size(), 100u);
    std::set<std::string> keys;
    for (const ProblemRef &problem : llvm::ArrayRef(asked).take_front(20)) {
      EXPECT_GE(problem->flops(), kLeastModelFlops);
      EXPECT_LE(problem->flops(), 0.01e9);
      EXPECT_TRUE(set->takes(*problem));
      std::vector<int32_t> supported = set->supported(*problem);
      EXPECT_TRUE(llvm::is_contained(supported, set->plain(*problem)))
          << problem->title();
      std::string name = set->nameOf(supported.front());
      EXPECT_EQ(set->numberOf(name, *problem), supported.front());
      EXPECT_LT(set->numberOf(name + "x", *problem), 0);
      keys.insert(problem->groupKey());
      // Each number of threads makes a separate problem.
      keys.insert(problem->onThreads(2)->groupKey());
    }
    EXPECT_GT(keys.size(), 36u);
    EXPECT_EQ(onThreads(llvm::ArrayRef(asked).take_front(3), {1, 4}).size(),
              6u);
    EXPECT_EQ(onThreads(asked.front(), {4})[0]->threads(), 4);
    // With no model in the folder, dispatch chooses without one.
    auto pick = ModelDispatch(registry, {folder}).pick(*set, *asked.front());
    EXPECT_EQ(pick.by, set->space().plainBy());
    EXPECT_EQ(pick.kernel, set->plain(*asked.front()));
  }
}

TEST_F(ChoiceFolders, AProductOfOneStepHasTheKernelsOfRowsOfB) {
  // Where k is 1, columns of B are also its rows, and dispatch accepts kernels
  // of both layouts.
  auto products = this->products();
  for (auto [m, n] : {std::pair(512, 2048), {64, 32}, {8, 9}}) {
    ProblemRef problem =
        gemmProblems({}, Layout::RCR, {{m, n, 1, 1}}, {1}).front();
    int32_t plain = products->plain(*problem);
    ASSERT_GE(plain, 0) << problem->title();
    std::vector<int32_t> supported = products->supported(*problem);
    EXPECT_TRUE(llvm::is_contained(supported, plain));
    ThreadPool one(1);
    auto contest = llvm::cantFail(products->contest(problem, one, 1));
    EXPECT_EQ(contest->candidates().size(), supported.size());
    EXPECT_EQ(contest->name(plain), products->nameOf(plain));
    bool takesRows = llvm::any_of(supported, [&](int32_t kernel) {
      return !llvm::is_contained(
          registry.enumerate({}, Layout::RCR),
          llvm::cantFail(parseConfig(products->nameOf(kernel))));
    });
    EXPECT_TRUE(takesRows);
  }
  auto other = gemmProblems({}, Layout::RCR, {{64, 32, 2, 1}}, {1}).front();
  EXPECT_LT(products->supported(*other).back(),
            static_cast<int32_t>(registry.enumerate({}, Layout::RCR).size()));
}

TEST_F(ChoiceFolders, ListsAreReadWithinLimits) {
  auto convolutions = this->convolutions(), products = this->products();
  std::error_code code;
  llvm::raw_fd_ostream(path("layers"), code)
      << "mb1ic16ih8oc16kh3ph1\nmb1ic64ih56oc64kh3ph1\n";
  llvm::raw_fd_ostream(path("shapes"), code) << "m,n,k\n4,5,6\n900,900,900\n";
  auto layers = llvm::cantFail(convolutions->read(path("layers"), {0.1, 0}));
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(layers[0]->title(), "conv_fwd f32 nhwc mb1ic16ih8oc16oh8kh3ph1 t1");
  auto shapes = llvm::cantFail(products->read(path("shapes"), {0.1, 0}));
  ASSERT_EQ(shapes.size(), 1u);
  EXPECT_EQ(shapes[0]->sizes().m, 4);
  EXPECT_EQ(llvm::cantFail(convolutions->read(path("layers"), {})).size(), 2u);
  auto none = convolutions->read(path("layers"), {0, 100});
  EXPECT_NE(llvm::toString(none.takeError())
                .find("holds no problem within --cap and --max-memory"),
            std::string::npos);
}

TEST_F(ChoiceFolders, TwoModelsOfConvolutionsAreCompared) {
  auto choices = convolutions();
  CompareModelsOptions options;
  options.modelDir = makeModel("new", 1), options.oldDir = makeModel("old", 2);
  for (const char *text : {"mb1ic64ih8oc64kh3ph1", "mb1ic40ih9oc80"})
    options.problems.push_back(
        problemOf(llvm::cantFail(parseConvProblem(text, kForward))));
  options.mostPairs = 3;
  auto report = llvm::cantFail(compareModels(*choices, options, {}));
  ASSERT_EQ(report.rows.size(), 2u);
  for (const CompareModelsReport::Row &row : report.rows) {
    EXPECT_FALSE(row.agrees());
    // The first kernel of one vector comes before the first of two vectors, and
    // is the faster one here.
    EXPECT_GT(row.ratio, 0);
    EXPECT_LT(row.ratio, 1) << row.newPick << " " << row.oldPick;
    EXPECT_TRUE(llvm::StringRef(row.newPick).contains("_v1")) << row.newPick;
    EXPECT_TRUE(llvm::StringRef(row.oldPick).contains("_v2")) << row.oldPick;
  }
  options.oldDir = options.modelDir;
  report = llvm::cantFail(compareModels(*choices, options, {}));
  EXPECT_TRUE(report.rows[0].agrees() && report.rows[1].agrees());
  EXPECT_EQ(report.rows[0].ratio, 0); // a kernel is not timed against itself
  auto refused = compareModels(*products(), options, {});
  EXPECT_NE(llvm::toString(refused.takeError()).find("is not of kernels that"),
            std::string::npos);
}

TEST_F(ChoiceFolders, AModelOfConvolutionsServesElsewhereAfterItsCheck) {
  std::string theirs = makeModel("theirs", 1, "avx2 l1=1K l2=2K l3=4K");
  ConvProblem problem =
      llvm::cantFail(parseConvProblem("mb1ic64ih14oc64kh3ph1", kForward));
  auto choose = [&] { return ConvSelector(registry, {folder}).choose(problem); };
  EXPECT_EQ(choose().by, kRuleName);
  SelfCheckOptions options;
  options.budgetSeconds = 0.01, options.mostProblems = 2;
  auto report = llvm::cantFail(checkModels(
      [&](llvm::StringRef) -> llvm::Expected<std::unique_ptr<KernelSet>> {
        return convolutions();
      },
      {theirs}, options, {}, /*quiet=*/true));
  ASSERT_EQ(report.rows.size(), 1u);
  EXPECT_EQ(report.rows[0].over, "the engine's rule");
  EXPECT_NE(report.rows[0].foreign.find("is of another machine"),
            std::string::npos);
  EXPECT_GT(report.rows[0].speedup.problems, 0);
  std::string text;
  llvm::raw_string_ostream os(text);
  report.print(os, true);
  EXPECT_NE(text.find("x the engine's rule over"), std::string::npos) << text;
  // The result is kept, and dispatch uses it.
  ASSERT_TRUE(knownSpeedup(theirs, registry));
  llvm::cantFail(
      keepSpeedup(theirs, registry, {0.9, 0.85, 0.95, 30, 9, "2026-01-02"}));
  EXPECT_EQ(choose().by, kRuleName);
  EXPECT_NE(choose().why.find("0.90x the engine's rule"), std::string::npos);
  llvm::cantFail(
      keepSpeedup(theirs, registry, {1.1, 1.05, 1.15, 30, 9, "2026-01-02"}));
  EXPECT_EQ(choose().by, "model '" + theirs + "'");
  EXPECT_NE(choose().why.find("1.10x the engine's rule"), std::string::npos);
}

TEST_F(ChoiceFolders, ModelsOfOtherMachinesAreFoundWhateverTheirOperation) {
  makeModel("mine", 1);
  std::string theirs = makeModel("theirs", 1, "avx2 l1=1K l2=2K l3=4K");
  setenv("ASSAY_MODEL_DIR", folder.c_str(), 1);
  EXPECT_EQ(foreignModels(registry), std::vector{theirs});
  unsetenv("ASSAY_MODEL_DIR");
}

TEST_F(ChoiceFolders, ListsOfKernelsCountCutAndPrintAlike) {
  auto textOf = [](const KernelList &list) {
    std::string text;
    llvm::raw_string_ostream os(text);
    list.print(os, true);
    return text;
  };
  KernelList products = listKernels(*this->products(), std::nullopt),
             weights = listKernels(
                 *llvm::cantFail(findLocal("conv_bwd_weight")
                                     ->open("f32", "nhwc", {registry})),
                 3);
  EXPECT_EQ(products.op, "gemm");
  EXPECT_EQ(weights.op, "conv_bwd_weight");
  for (const KernelList &list : {products, weights}) {
    int64_t counted = 0;
    for (const KernelList::Part &part : list.parts) {
      EXPECT_GT(part.count, 0);
      counted += part.count;
    }
    EXPECT_EQ(counted, static_cast<int64_t>(list.names.size()));
    EXPECT_NE(textOf(list).find(std::to_string(counted) + " kernels for " +
                                list.op + " f32 " + list.layout + " on "),
              std::string::npos);
    auto json = list.toJson();
    const auto &object = *json.getAsObject();
    EXPECT_EQ(object.getInteger("count"), counted);
    EXPECT_EQ(object.getString("op"), list.op);
    EXPECT_EQ(static_cast<int64_t>(object.getArray("kernels")->size()),
              list.limit ? 3 : counted);
  }
  std::string left = std::to_string(weights.names.size() - 3);
  EXPECT_NE(textOf(weights).find("2 " + weights.names[2] + "\n... " + left +
                                 " more (--limit 0 shows all)\n"),
            std::string::npos);
  weights.limit = 0;
  EXPECT_EQ(textOf(weights).find("more (--limit"), std::string::npos);
}
