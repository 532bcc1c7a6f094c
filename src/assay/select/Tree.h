/// Gradient-boosted regression trees as plain data, and their plain evaluation,
/// which is the reference in tests of the fast forest (Forest.h). Decisions
/// follow LightGBM's rules for missing values and categories.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace assay::select {

/// How a node treats a missing value.
enum class Missing : uint8_t {
  None, ///< NaN counts as 0
  Zero, ///< |x| <= 1e-35 and NaN take the default side
  NaN,  ///< NaN takes the default side
};

/// One inner node. A child >= 0 is an inner node (always with a greater index);
/// a child < 0 is the leaf ~child.
struct Split {
  int32_t feature = 0;
  bool categorical = false;
  bool defaultLeft = false;
  Missing missing = Missing::None;
  double threshold = 0; ///< numerical: left when x <= threshold; categorical:
                        ///< index of the category set
  int32_t left = 0, right = 0;
  double gain = 0, value = 0, weight = 0;
  int64_t count = 0;
};

struct Leaf {
  double value = 0, weight = 0;
  int64_t count = 0;
};

/// A tree with leaves.size() leaves and leaves.size() - 1 splits. Node 0 is the
/// root (a single leaf has no split).
struct Tree {
  std::vector<Split> splits;
  std::vector<Leaf> leaves;
  std::vector<std::vector<uint32_t>>
      categorySets; ///< bit c % 32 of word c / 32: category c goes left
  double shrinkage = 1;

  /// Whether x goes left at split `node`.
  bool goesLeft(const Split &split, double x) const;
  /// The index of the leaf that a row of features reaches.
  int32_t leafOf(std::span<const double> row) const;
};

/// A model for one output.
/// Formula: f(x) = sum over trees (ascending) of leaf(tree, x), divided by the
/// number of trees if the model is averaged
struct TreeModel {
  std::vector<std::string> featureNames;
  std::vector<std::string> featureInfos; ///< "[min:max]", "none" or "c1:c2:..."
  std::string objective = "regression";
  std::string parameters; ///< the text between "parameters:" and "end of
                          ///< parameters", kept as it was
  bool averaged = false;
  std::vector<Tree> trees;

  double predict(std::span<const double> row) const;
  /// The number of splits on each feature, in feature order.
  std::vector<int64_t> splitCounts() const;
  /// The sum of the gains of each feature's splits, in feature order.
  std::vector<double> totalGains() const;
};

} // namespace assay::select
