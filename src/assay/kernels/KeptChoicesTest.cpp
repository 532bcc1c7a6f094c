#include "assay/kernels/KeptChoices.h"
#include "assay/support/TestFolder.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace assay;
using namespace assay::kernels;

namespace {
struct ChoicesOnDisk : TestFolder {
  static GemmConfig config(int32_t rows) {
    GemmConfig config;
    config.mr = rows, config.nr = 32, config.kr = 4;
    config.mc = 96, config.nc = 3072, config.kc = 192;
    return config;
  }
  GemmProblem problem = GemmProblem::make({}, Layout::RCR, 40, 70, 50);
};
} // namespace

TEST_F(ChoicesOnDisk, ChoicesAreFoundByTheNextProcess) {
  KeptChoices first(folder, "selector");
  EXPECT_EQ(first.find(problem), std::nullopt);
  first.add(problem, config(6));
  EXPECT_EQ(first.find(problem), config(6));
  KeptChoices second(folder, "selector");
  EXPECT_EQ(second.find(problem), config(6));
}

TEST_F(ChoicesOnDisk, ChoicesOfAnotherSelectorAreNot) {
  KeptChoices(folder, "selector").add(problem, config(6));
  EXPECT_EQ(KeptChoices(folder, "other").find(problem), std::nullopt);
  EXPECT_EQ(KeptChoices(folder, "").find(problem), std::nullopt);
}

TEST_F(ChoicesOnDisk, EveryFieldOfAProblemCounts) {
  KeptChoices kept(folder, "selector");
  kept.add(problem, config(6));
  auto other = [&](auto &&change) {
    GemmProblem changed = problem;
    change(changed);
    EXPECT_EQ(kept.find(changed), std::nullopt) << toString(changed);
  };
  other([](GemmProblem &p) { p.c = DataType::BF16; });
  other([](GemmProblem &p) { p.k = 51; });
  other([](GemmProblem &p) { p.batch = 2; });
  other([](GemmProblem &p) { p.aStrides.row += 1; });
  other([](GemmProblem &p) { p.bStrides.batch = 0; });
  other([](GemmProblem &p) { p.cStrides.row += 1; });
  other([](GemmProblem &p) { p.beta = 1; });
  other([](GemmProblem &p) { p.alpha = 0.5; });
  other([](GemmProblem &p) { p.alpha = 1.001; });
  other([](GemmProblem &p) { p.bias = Bias::PerRow; });
  other([](GemmProblem &p) { p.scale = Scale::PerColumn; });
  other([](GemmProblem &p) { p.activation = Activation::Relu; });
  other([](GemmProblem &p) { p.threads = 2; });
}

TEST_F(ChoicesOnDisk, DamagedLinesAreMissing) {
  KeptChoices first(folder, "selector");
  first.add(problem, config(6));
  std::error_code code;
  {
    llvm::raw_fd_ostream file(first.path(), code, llvm::sys::fs::OF_Append);
    file << "half a line\n\n\ttile_";
  }
  EXPECT_EQ(KeptChoices(folder, "selector").find(problem), config(6));
  {
    llvm::raw_fd_ostream file(first.path(), code);
    file << "something else\n";
  }
  KeptChoices other(folder, "selector");
  EXPECT_EQ(other.find(problem), std::nullopt);
  other.add(problem, config(4));
  EXPECT_EQ(other.find(problem), config(4)); // known only in this process
}
