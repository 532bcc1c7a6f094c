// The fast forest against plain evaluation: random forests over random grids,
// every instruction set of the processor, the same bits; problem, tile, mixed
// and trait features, numerical and categorical splits, grids beyond one word
// and with holes.
#include "assay/select/Forest.h"
#include "assay/support/Random.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace assay;
using namespace assay::select;

namespace {
class Dice {
public:
  explicit Dice(uint64_t seed) : random_(seed, 0) {}
  int64_t upTo(int64_t last) { return random_.integer(next_++, 0, last); }
  double uniform() { return random_.uniform(next_++); }

private:
  CounterRandom random_;
  uint64_t next_ = 0;
};

struct Case {
  TreeModel model;
  ForestGrid grid;
  ForestQuery query;
};
} // namespace

static constexpr int kFeatures = 12;

static Axis axisOfFeature(int feature) {
  return static_cast<Axis>(feature % 4);
}

static Tree makeTree(Dice &dice, int leaves) {
  Tree tree;
  tree.leaves.push_back({dice.uniform() - 0.5, 1, 1});
  while (static_cast<int>(tree.leaves.size()) < leaves) {
    // Split a random leaf, as LightGBM grows its trees: the leaf keeps its
    // number, the new one gets the next.
    auto victim = static_cast<int32_t>(dice.upTo(tree.leaves.size() - 1));
    auto node = static_cast<int32_t>(tree.splits.size()),
         fresh = static_cast<int32_t>(tree.leaves.size());
    for (Split &split : tree.splits) {
      split.left = split.left == ~victim ? node : split.left;
      split.right = split.right == ~victim ? node : split.right;
    }
    Split split;
    split.feature = static_cast<int32_t>(dice.upTo(kFeatures - 1));
    split.left = ~victim;
    split.right = ~fresh;
    split.missing = Missing::NaN;
    split.categorical =
        axisOfFeature(split.feature) != Axis::Mixed && dice.upTo(4) == 0;
    if (split.categorical) {
      split.threshold = static_cast<double>(tree.categorySets.size());
      tree.categorySets.push_back({static_cast<uint32_t>(dice.upTo(255))});
    } else {
      static constexpr double kOdd[] = {NAN, INFINITY, -INFINITY, -1.7e308};
      split.threshold =
          dice.upTo(9) == 0 ? kOdd[dice.upTo(3)] : dice.uniform() * 8;
    }
    tree.splits.push_back(split);
    tree.leaves.push_back({dice.uniform() - 0.5, 1, 1});
  }
  return tree;
}

static Case makeCase(uint64_t seed, int64_t tiles, int64_t traits, int trees,
                     int leaves) {
  Dice dice(seed);
  Case c;
  c.grid.tiles = tiles;
  c.grid.traits = traits;
  for (int64_t tile = 0; tile < tiles; ++tile)
    for (int64_t trait = 0; trait < traits; ++trait)
      if (dice.upTo(9) > 0) {
        c.grid.tileOf.push_back(static_cast<int32_t>(tile));
        c.grid.traitOf.push_back(static_cast<int32_t>(trait));
      }
  c.query.problem.resize(kFeatures);
  c.query.mixed.resize(kFeatures);
  for (int f = 0; f < kFeatures; ++f) {
    c.model.featureNames.push_back("f" + std::to_string(f));
    c.model.featureInfos.push_back("none");
    Axis axis = axisOfFeature(f);
    c.grid.axes.push_back(axis);
    c.grid.constant.emplace_back();
    auto draw = [&](int64_t count) {
      std::vector<float> values;
      for (int64_t i = 0; i < count; ++i)
        values.push_back(f % 8 < 4 ? static_cast<float>(dice.upTo(8))
                                   : static_cast<float>(dice.uniform() * 8));
      return values;
    };
    if (axis == Axis::Problem)
      c.query.problem[f] = draw(1)[0];
    else if (axis == Axis::Mixed)
      c.query.mixed[f] = draw(tiles);
    else
      c.grid.constant[f] = draw(axis == Axis::Tile ? tiles : traits);
  }
  for (int i = 0; i < trees; ++i)
    c.model.trees.push_back(
        makeTree(dice, 1 + static_cast<int>(dice.upTo(leaves - 1))));
  return c;
}

static std::vector<double> rowOf(const Case &c, size_t kernel) {
  std::vector<double> row;
  for (int f = 0; f < kFeatures; ++f) {
    switch (axisOfFeature(f)) {
    case Axis::Problem:
      row.push_back(c.query.problem[f]);
      break;
    case Axis::Tile:
      row.push_back(c.grid.constant[f][c.grid.tileOf[kernel]]);
      break;
    case Axis::Mixed:
      row.push_back(c.query.mixed[f][c.grid.tileOf[kernel]]);
      break;
    case Axis::Trait:
      row.push_back(c.grid.constant[f][c.grid.traitOf[kernel]]);
      break;
    }
  }
  return row;
}

static void expectEqualToPlain(const Case &c, const char *isa) {
  const ForestKernels *kernels = forestKernels(isa);
  if (!kernels)
    GTEST_SKIP() << "the processor does not have " << isa;
  llvm::Expected<Forest> forest = Forest::compile(c.model, c.grid, *kernels);
  ASSERT_TRUE(bool(forest)) << llvm::toString(forest.takeError());
  ForestQuery query = c.query;
  for (std::vector<float> &row : query.mixed)
    if (!row.empty())
      row.resize(forest->paddedTiles());
  Forest::Scratch scratch = forest->makeScratch();
  for (int visit = 0; visit < 2;
       ++visit) { // the second visit finds a used scratch
    llvm::ArrayRef<int32_t> scores = forest->evaluate(query, scratch);
    for (size_t kernel = 0; kernel < c.grid.tileOf.size(); ++kernel) {
      std::vector<double> row = rowOf(c, kernel);
      ASSERT_EQ(scores[forest->cellOf(kernel)],
                forest->plainScore(c.model, row))
          << isa << " kernel " << kernel;
      // Half a unit for each rounding; 1e-12 for f64's own.
      double roundings =
          0.5 * forest->unit() * double(c.model.trees.size()) + 1e-12;
      ASSERT_NEAR(forest->toValue(scores[forest->cellOf(kernel)]),
                  c.model.predict(row), roundings);
    }
  }
}

class ForestOnIsa : public testing::TestWithParam<const char *> {};

TEST_P(ForestOnIsa, EqualsPlainEvaluationOnOneWordOfTiles) {
  for (uint64_t seed = 0; seed < 6; ++seed)
    expectEqualToPlain(makeCase(seed, 1 + seed * 12, 7, 30, 40), GetParam());
}
TEST_P(ForestOnIsa, EqualsPlainEvaluationOnSeveralWords) {
  for (int64_t tiles : {64, 65, 128, 200, 256, 300, 512, 600})
    expectEqualToPlain(makeCase(100 + tiles, tiles, 5, 12, 60), GetParam());
}
TEST_P(ForestOnIsa, EqualsPlainEvaluationOnManyTraits) {
  expectEqualToPlain(makeCase(7, 40, 130, 25, 127), GetParam());
}
TEST_P(ForestOnIsa, SingleLeafTreesAddTheirConstant) {
  expectEqualToPlain(makeCase(8, 10, 10, 5, 1), GetParam());
}

INSTANTIATE_TEST_SUITE_P(AllIsas, ForestOnIsa,
                         testing::Values("scalar", "avx2", "avx512"));

TEST(Forest, ThresholdsBetweenFloatsDecideAsInDouble) {
  Case c = makeCase(1, 4, 1, 0, 1);
  float x = 1.1f;
  for (float &value : c.query.mixed[2])
    value = x;
  for (double threshold :
       {static_cast<double>(x), std::nextafter(static_cast<double>(x), 0.0),
        std::nextafter(static_cast<double>(x), 2.0)}) {
    Tree tree;
    tree.leaves = {{1, 1, 1}, {2, 1, 1}};
    Split split;
    split.feature = 2;
    split.threshold = threshold;
    split.left = ~0;
    split.right = ~1;
    tree.splits = {split};
    c.model.trees.push_back(tree);
  }
  expectEqualToPlain(c, "scalar");
}

TEST(Forest, ZeroAsMissingIsRefused) {
  Case c = makeCase(1, 4, 2, 1, 30);
  for (Tree &tree : c.model.trees)
    for (Split &split : tree.splits)
      split.missing = Missing::Zero;
  llvm::Expected<Forest> forest = Forest::compile(c.model, c.grid);
  ASSERT_FALSE(bool(forest));
  EXPECT_NE(llvm::toString(forest.takeError()).find("zero_as_missing"),
            std::string::npos);
}

TEST(Forest, AModelOfAnotherWidthIsRefused) {
  Case c = makeCase(1, 4, 2, 1, 3);
  c.model.featureNames.push_back("one_more");
  llvm::Expected<Forest> forest = Forest::compile(c.model, c.grid);
  ASSERT_FALSE(bool(forest));
  llvm::consumeError(forest.takeError());
}

TEST(Forest, ACategoryBeyondOneWordOfBitsIsInItsOwnWord) {
  for (float category : {1.0f, 32.0f, 33.0f, 34.0f, 64.0f}) {
    Case c = makeCase(1, 4, 2, 1, 2);
    Split split;
    split.feature = 0; // of the problem
    split.left = ~0;
    split.right = ~1;
    split.categorical = true;
    Tree tree;
    tree.categorySets = {{1u << 2, 1u << 1}}; // 2 and 33
    tree.splits = {split};
    tree.leaves = {{0.25, 1, 1}, {0.5, 1, 1}};
    c.model.trees = {tree};
    c.query.problem[0] = category;
    EXPECT_EQ(c.model.predict(rowOf(c, 0)), category == 33 ? 0.25 : 0.5);
    expectEqualToPlain(c, "scalar");
  }
}

TEST(Forest, NumbersUpToLightGbmsThresholdAreZeros) {
  // kZeroThreshold of LightGBM: 1e-35 as a float.
  Split split;
  split.left = ~0;
  split.right = ~1;
  split.threshold = -1;
  split.missing = Missing::Zero;
  split.defaultLeft = true;
  Tree tree;
  for (double zero : {0.0, 1e-36, -1e-36, double(1e-35f), -double(1e-35f)})
    EXPECT_TRUE(tree.goesLeft(split, zero)) << zero;
  EXPECT_FALSE(tree.goesLeft(split, 1.1e-35));
  split.threshold = 1;
  split.defaultLeft = false;
  EXPECT_FALSE(tree.goesLeft(split, -1e-36));
  EXPECT_TRUE(tree.goesLeft(split, -1.1e-35));
}
