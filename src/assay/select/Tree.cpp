// Plain evaluation of gradient-boosted trees: one row, one tree after the
// other, in double precision and in the order in which LightGBM adds, so that
// sums have the same bits as LightGBM's. The fast path for a whole registry of
// kernels is Forest.cpp. Source: the decision rules of LightGBM's model format
// (decision_type bits, missing types, category bit sets).
#include "assay/select/Tree.h"

#include <cmath>

using namespace assay::select;

/// Values this close to zero count as zero where a model treats zeros as
/// missing.
static constexpr double kZeroThreshold = 1e-35f;

static bool isNearZero(double x) {
  return x >= -kZeroThreshold && x <= kZeroThreshold;
}

static bool inCategorySet(const std::vector<uint32_t> &words, double x) {
  if (std::isnan(x) || !(x >= 0) ||
      x >= 32.0 * static_cast<double>(words.size()))
    return false;
  auto category = static_cast<uint32_t>(x);
  return (words[category / 32] >> (category % 32)) & 1;
}

bool Tree::goesLeft(const Split &split, double x) const {
  if (split.categorical)
    return inCategorySet(categorySets[static_cast<size_t>(split.threshold)], x);
  if (std::isnan(x) && split.missing != Missing::NaN)
    x = 0;
  if ((split.missing == Missing::Zero && isNearZero(x)) ||
      (split.missing == Missing::NaN && std::isnan(x)))
    return split.defaultLeft;
  return x <= split.threshold;
}

int32_t Tree::leafOf(std::span<const double> row) const {
  int32_t node = splits.empty() ? ~0 : 0;
  while (node >= 0) {
    const Split &split = splits[node];
    node = goesLeft(split, row[split.feature]) ? split.left : split.right;
  }
  return ~node;
}

double TreeModel::predict(std::span<const double> row) const {
  double sum = 0;
  for (const Tree &tree : trees)
    sum += tree.leaves[tree.leafOf(row)].value;
  return averaged && !trees.empty() ? sum / static_cast<double>(trees.size())
                                    : sum;
}

std::vector<int64_t> TreeModel::splitCounts() const {
  std::vector<int64_t> counts(featureNames.size());
  for (const Tree &tree : trees)
    for (const Split &split : tree.splits)
      ++counts[split.feature];
  return counts;
}

std::vector<double> TreeModel::totalGains() const {
  std::vector<double> gains(featureNames.size());
  for (const Tree &tree : trees)
    for (const Split &split : tree.splits)
      gains[split.feature] += split.gain;
  return gains;
}
