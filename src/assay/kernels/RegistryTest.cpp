// What the registry keeps: choices by problem and selector, and notes until
// they are read. Also which kernel the analytic selector chooses.
#include "assay/kernels/Registry.h"

#include "assay/kernels/CostModel.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <set>

using namespace assay;
using namespace assay::kernels;

static Registry::Options memoryOnly() {
  Registry::Options options;
  options.diskCache = false;
  return options;
}

namespace {
/// Chooses always one configuration; counts its calls.
class Fixed final : public Selector {
public:
  explicit Fixed(GemmConfig config) : config_(std::move(config)) {}
  GemmConfig choose(const GemmProblem &) override {
    ++asked;
    return config_;
  }
  llvm::StringRef name() const override { return "fixed"; }
  int asked = 0;

private:
  GemmConfig config_;
};
} // namespace

static GemmProblem smallProblem() {
  return GemmProblem::make({}, Layout::RRR, 4, 4, 4);
}

TEST(Registry, KeepsAChoiceForEachProblem) {
  Registry::Options options = memoryOnly();
  options.verify = false;
  Registry registry(options);
  GemmProblem problem = smallProblem();
  Fixed selector(makeAnalyticSelector(registry)->choose(problem));
  // So many that several collide in the table of choices.
  std::set<const PreparedGemm *> kept;
  constexpr int kProblems = 300;
  auto get = [&](int i) {
    problem.aStrides.batch = 1000 + i;
    return llvm::cantFail(registry.dispatch(problem, selector));
  };
  for (int i = 0; i < kProblems; ++i)
    EXPECT_TRUE(kept.insert(get(i)).second) << i;
  EXPECT_EQ(selector.asked, kProblems);
  for (int i = 0; i < kProblems; ++i)
    EXPECT_TRUE(kept.contains(get(i)));
}

TEST(Registry, EachSelectorChoosesForItself) {
  Registry registry(memoryOnly());
  GemmProblem problem = smallProblem();
  GemmConfig config = makeAnalyticSelector(registry)->choose(problem);
  Fixed one(config), other(config);
  for (int i = 0; i < 3; ++i) {
    llvm::cantFail(registry.dispatch(problem, one));
    llvm::cantFail(registry.dispatch(problem, other));
  }
  EXPECT_EQ(one.asked, 1);
  EXPECT_EQ(other.asked, 1);
}

TEST(Registry, ANoteIsTakenOnce) {
  setenv("ASSAY_ISA", "sse9", 1);
  Registry registry(memoryOnly());
  unsetenv("ASSAY_ISA");
  std::vector<std::string> notes = registry.takeNotes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("sse9"), std::string::npos);
  EXPECT_EQ(registry.takeNotes().size(), 0u);
}

TEST(AnalyticSelector, TakesTheLeastEstimate) {
  Registry registry(memoryOnly());
  auto selector = makeAnalyticSelector(registry);
  for (auto [m, n, k] : {std::tuple(1, 512, 64), std::tuple(64, 48, 300)}) {
    GemmProblem problem = GemmProblem::make({}, Layout::RCR, m, n, k);
    GemmConfig chosen = selector->choose(problem);
    ASSERT_FALSE(registry.supports(problem, chosen).has_value());
    double time = estimate(problem, chosen, registry.machine()).totalNs();
    int slower = 0;
    for (const GemmConfig &config :
         registry.enumerate(problem.types(), Layout::RCR))
      if (!registry.supports(problem, config)) {
        double other = estimate(problem, config, registry.machine()).totalNs();
        EXPECT_LE(time, other) << config.name();
        slower += other > time;
      }
    EXPECT_GT(slower, 100);
  }
}
