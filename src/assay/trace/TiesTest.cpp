#include "assay/trace/Ties.h"
#include <gtest/gtest.h>

using assay::trace::Ties;

namespace {

/// The relative change that rounding may make in gradients elsewhere.
constexpr double kExplained = 1e-3;

Ties made(std::vector<double> benchValue, std::vector<double> targetValue,
          std::vector<double> bench, std::vector<double> target) {
  Ties ties;
  ties.value[0] = std::move(benchValue);
  ties.value[1] = std::move(targetValue);
  ties.gradient[0] = std::move(bench);
  ties.gradient[1] = std::move(target);
  return ties;
}

TEST(Ties, TheGradientOfAMaximumGoesToAnotherPlaceThatNearlyTies) {
  EXPECT_TRUE(made({1, 1.01, 0.2}, {1.01, 1, 0.2}, {0, 3, 0}, {3, 0, 0})
                  .decide(kExplained));
  // The gradient moves to a place with a very different value: the kernel is
  // wrong.
  EXPECT_FALSE(made({1, 1.01, 0.2}, {1.01, 1, 0.2}, {0, 3, 0}, {0, 0, 3})
                   .decide(kExplained));
}

TEST(Ties, PlacesThatTieShareTheirGradient) {
  EXPECT_TRUE(made({1, 1.01, 0.2}, {1.01, 1.01, 0.2}, {0, 3, 1}, {1.5, 1.5, 1})
                  .decide(kExplained));
  // One keeps its share, and the other's is lost.
  EXPECT_FALSE(made({1, 1.01, 0.2}, {1.01, 1.01, 0.2}, {0, 3, 1}, {0, 1.5, 1})
                   .decide(kExplained));
}

TEST(Ties, WindowsThatOverlapHandOverOneOfTheirGradients) {
  EXPECT_TRUE(made({1, 1.01, 0.2}, {1.01, 1, 0.2}, {2, 5, 1}, {4, 3, 1})
                  .decide(kExplained));
  // The same sum between values that do not tie.
  EXPECT_FALSE(made({1, 3, 0.2}, {1.01, 3.01, 0.2}, {2, 5, 1}, {4, 3, 1})
                   .decide(kExplained));
  // A wrong factor beside a tie.
  EXPECT_FALSE(made({1, 1.01, 0.2}, {1.01, 1, 0.2}, {2, 5, 1}, {2.2, 5.5, 1})
                   .decide(kExplained));
}

TEST(Ties, ASlopeChangesWhereAValueCrossesZero) {
  EXPECT_TRUE(made({-0.01, 2}, {0.01, 2}, {0, 1}, {3, 1}).decide(kExplained));
  EXPECT_FALSE(made({-1, 2}, {-1.01, 2}, {0, 1}, {3, 1}).decide(kExplained));
  // A tie explains nothing where all gradients differ.
  EXPECT_FALSE(made({-1, 2}, {-1, 2}, {1, 1}, {1.1, 1.1}).decide(kExplained));
}

} // namespace
