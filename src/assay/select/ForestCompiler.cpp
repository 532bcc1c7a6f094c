// Compiles a tree model and a grid of kernels into a Forest. Each tree becomes
// a run of 8-byte nodes in depth-first order. Splits become predicates (problem
// features), masks (tile features; constant ones are computed here) or
// divisions of the traits. These are static: the set of traits that can reach a
// leaf is known here and gets a number. Subtrees that no kernel of the grid can
// reach are dropped.
#include "assay/select/Forest.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace assay::select {

/// The greatest float that is not above x: a finite float f has f <= x exactly
/// when f <= floorToFloat(x). For x = NaN, f <= x never holds, so the result is
/// -inf.
static float floorToFloat(double x) {
  if (std::isnan(x))
    return -std::numeric_limits<float>::infinity();
  if (x > std::numeric_limits<float>::max())
    return std::numeric_limits<float>::max();
  auto f = static_cast<float>(x);
  return static_cast<double>(f) <= x
             ? f
             : std::nextafter(f, -std::numeric_limits<float>::infinity());
}

class ForestCompiler {
public:
  ForestCompiler(const TreeModel &model, const ForestGrid &grid,
                 const ForestKernels &kernels)
      : model_(model), grid_(grid) {
    forest_.kernels_ = &kernels;
  }

  llvm::Expected<Forest> compile() {
    if (llvm::Error error = check())
      return error;
    shapeGrid();
    chooseUnit();
    internMixedTests();
    for (size_t t = 0; t < model_.trees.size(); ++t) {
      const Tree &tree = model_.trees[t];
      tree_ = &tree;
      middle_ = forest_.middles_[t];
      forest_.roots_.push_back(static_cast<uint32_t>(forest_.nodes_.size()));
      emit(tree.splits.empty() ? ~0 : 0, Bits(grid_.tiles, true),
           Bits(grid_.traits, true), 0);
    }
    forest_.roots_.push_back(static_cast<uint32_t>(forest_.nodes_.size()));
    finishMasks();
    return std::move(forest_);
  }

private:
  using Bits = std::vector<bool>;

  llvm::Error check() const {
    size_t features = model_.featureNames.size();
    if (grid_.axes.size() != features || grid_.constant.size() != features)
      return makeError(ErrorCode::InvalidArgument,
                       "the model has {0} features, the kernels have {1}",
                       features, grid_.axes.size());
    if (model_.averaged)
      return makeError(
          ErrorCode::Unsupported,
          "the model averages its trees; train with boosting=gbdt");
    for (const Tree &tree : model_.trees)
      for (const Split &split : tree.splits) {
        if (split.missing == Missing::Zero && !split.categorical)
          return makeError(ErrorCode::Unsupported,
                           "the model treats zeros as missing; train with "
                           "zero_as_missing=false");
        if (split.categorical && grid_.axes[split.feature] == Axis::Mixed)
          return makeError(ErrorCode::Unsupported,
                           "the model splits '{0}', which depends on problem "
                           "and kernel, by category",
                           model_.featureNames[split.feature]);
      }
    return llvm::Error::success();
  }

  void shapeGrid() {
    forest_.tiles_ = grid_.tiles;
    forest_.traits_ = grid_.traits;
    int64_t words = (grid_.tiles + 63) / 64;
    forest_.words_ = static_cast<int>(std::clamp<int64_t>(words, 1, 8));
    int whole = forest_.kernels_->wholeWords;
    if (2 * forest_.words_ > whole && forest_.words_ < whole)
      forest_.words_ = whole;
    forest_.chunks_ = (words + forest_.words_ - 1) / forest_.words_;
    forest_.paddedTiles_ = forest_.chunks_ * forest_.words_ * 64;
    forest_.present_.assign(forest_.chunks_ * grid_.traits, 0);
    for (size_t i = 0; i < grid_.tileOf.size(); ++i) {
      forest_.cellOf_.push_back(grid_.traitOf[i] * forest_.paddedTiles_ +
                                grid_.tileOf[i]);
      int64_t word = grid_.tileOf[i] / 64;
      forest_.present_[word / forest_.words_ * grid_.traits +
                       grid_.traitOf[i]] |=
          static_cast<uint8_t>(1u << (word % forest_.words_));
    }
  }

  /// Chooses the middle of each tree's leaves, which all kernels share, and the
  /// finest power of two, but no finer than 2^-48, for which no sum of the
  /// leaves' distances from their middles exceeds 31 bits.
  void chooseUnit() {
    double reach = 0;
    for (const Tree &tree : model_.trees) {
      double low = INFINITY, high = -INFINITY;
      for (const Leaf &leaf : tree.leaves) {
        low = std::min(low, leaf.value);
        high = std::max(high, leaf.value);
      }
      forest_.middles_.push_back(low / 2 + high / 2);
      forest_.middle_ += forest_.middles_.back();
      reach += high / 2 - low / 2;
    }
    int shift = reach > 0 ? std::min(48, 29 - std::ilogb(reach)) : 48;
    forest_.scale_ = std::ldexp(1.0, shift);
    forest_.unit_ = std::ldexp(1.0, -shift);
  }

  /// Numbers a mask per distinct (mixed feature, threshold), feature by
  /// feature; constant masks have the numbers before them.
  void internMixedTests() {
    std::map<int32_t, std::map<float, int64_t>> tests;
    for (const Tree &tree : model_.trees)
      for (const Split &split : tree.splits)
        if (grid_.axes[split.feature] == Axis::Mixed)
          tests[split.feature][floorToFloat(split.threshold)] = 0;
    int64_t next = 0;
    for (auto &[feature, thresholds] : tests) {
      Forest::Group group{feature, next, {}};
      for (auto &[threshold, index] : thresholds) {
        index = next++;
        group.thresholds.push_back(threshold);
        mixedMask_[{feature, threshold}] = index;
      }
      forest_.groups_.push_back(std::move(group));
    }
    mixedCount_ = next;
  }

  uint32_t push(ForestNode::Kind kind, uint32_t index, uint32_t target = 0) {
    forest_.nodes_.push_back(
        {static_cast<uint32_t>(kind) << 30 | index, target});
    return static_cast<uint32_t>(forest_.nodes_.size() - 1);
  }

  /// Which entries of a constant feature go left.
  Bits leftSide(const Split &split) const {
    const std::vector<float> &values = grid_.constant[split.feature];
    Bits left(values.size());
    for (size_t i = 0; i < values.size(); ++i)
      left[i] = tree_->goesLeft(split, values[i]);
    return left;
  }

  static Bits both(const Bits &a, const Bits &b, bool invertB) {
    Bits out(a.size());
    for (size_t i = 0; i < a.size(); ++i)
      out[i] = a[i] && b[i] != invertB;
    return out;
  }
  static bool any(const Bits &bits) { return llvm::is_contained(bits, true); }

  void emitPair(uint32_t at, const Split &split, const Bits &leftTiles,
                const Bits &rightTiles, const Bits &leftTraits,
                const Bits &rightTraits, int64_t depth) {
    emit(split.left, leftTiles, leftTraits, depth + 1);
    forest_.nodes_[at].target = static_cast<uint32_t>(forest_.nodes_.size());
    emit(split.right, rightTiles, rightTraits, depth + 1);
  }

  /// Emits the subtree for the tiles and traits that can reach it.
  void emit(int32_t node, const Bits &tiles, const Bits &traits,
            int64_t depth) {
    forest_.depth_ = std::max(forest_.depth_, depth);
    if (node < 0) {
      auto value = static_cast<int32_t>(
          std::llround((tree_->leaves[~node].value - middle_) *
                       forest_.scale_));
      push(ForestNode::Leaf, setOf(traits), static_cast<uint32_t>(value));
      return;
    }
    const Split &split = tree_->splits[node];
    switch (grid_.axes[split.feature]) {
    case Axis::Problem:
      return emitPair(push(ForestNode::Predicate, predicateOf(split)), split,
                      tiles, tiles, traits, traits, depth);
    case Axis::Mixed: {
      int64_t mask = mixedMask_[{split.feature, floorToFloat(split.threshold)}];
      return emitPair(push(ForestNode::Mask, static_cast<uint32_t>(mask)),
                      split, tiles, tiles, traits, traits, depth);
    }
    case Axis::Tile: {
      Bits left = leftSide(split), leftTiles = both(tiles, left, false),
           rightTiles = both(tiles, left, true);
      if (!any(rightTiles))
        return emit(split.left, leftTiles, traits, depth);
      if (!any(leftTiles))
        return emit(split.right, rightTiles, traits, depth);
      uint32_t at =
          push(ForestNode::Mask,
               static_cast<uint32_t>(mixedCount_ + constantMaskOf(left)));
      return emitPair(at, split, leftTiles, rightTiles, traits, traits, depth);
    }
    case Axis::Trait: {
      Bits left = leftSide(split), leftTraits = both(traits, left, false),
           rightTraits = both(traits, left, true);
      if (!any(rightTraits))
        return emit(split.left, tiles, leftTraits, depth);
      if (!any(leftTraits))
        return emit(split.right, tiles, rightTraits, depth);
      return emitPair(push(ForestNode::Both, 0), split, tiles, tiles,
                      leftTraits, rightTraits, depth);
    }
    }
  }

  uint32_t setOf(const Bits &traits) {
    auto [it, isNew] = setNumber_.try_emplace(
        traits, static_cast<uint32_t>(forest_.sets_.size()));
    if (isNew) {
      std::vector<int32_t> members;
      for (size_t i = 0; i < traits.size(); ++i)
        if (traits[i])
          members.push_back(static_cast<int32_t>(i));
      forest_.sets_.push_back(std::move(members));
    }
    return it->second;
  }

  uint32_t predicateOf(const Split &split) {
    std::vector<uint32_t> categories;
    if (split.categorical)
      categories = tree_->categorySets[static_cast<size_t>(split.threshold)];
    float threshold = split.categorical ? 0 : floorToFloat(split.threshold);
    auto [it, isNew] = predicateNumber_.try_emplace(
        {split.feature, threshold, categories},
        static_cast<uint32_t>(forest_.predicates_.size()));
    if (isNew)
      forest_.predicates_.push_back(
          {split.feature, threshold, split.categorical, categories});
    return it->second;
  }

  int64_t constantMaskOf(const Bits &left) {
    auto [it, isNew] = constantNumber_.try_emplace(
        left, static_cast<int64_t>(constantMasks_.size()));
    if (isNew)
      constantMasks_.push_back(left);
    return it->second;
  }

  /// Constant masks are after the mixed ones in each chunk's table.
  void finishMasks() {
    forest_.staticMaskCount_ = static_cast<int64_t>(constantMasks_.size());
    forest_.firstStaticMask_ = mixedCount_;
    forest_.maskCount_ = mixedCount_ + forest_.staticMaskCount_;
    int64_t words = forest_.words_;
    forest_.staticMasks_.assign(
        forest_.chunks_ * forest_.staticMaskCount_ * words, 0);
    for (size_t mask = 0; mask < constantMasks_.size(); ++mask)
      for (int64_t tile = 0; tile < grid_.tiles; ++tile)
        if (constantMasks_[mask][tile]) {
          int64_t chunk = tile / (words * 64), within = tile % (words * 64);
          forest_
              .staticMasks_[(chunk * forest_.staticMaskCount_ + mask) * words +
                            within / 64] |= uint64_t(1) << (within % 64);
        }
  }

  const TreeModel &model_;
  const ForestGrid &grid_;
  const Tree *tree_ = nullptr;
  double middle_ = 0;
  Forest forest_;
  std::map<std::pair<int32_t, float>, int64_t> mixedMask_;
  std::map<Bits, uint32_t> setNumber_;
  std::map<Bits, int64_t> constantNumber_;
  std::map<std::tuple<int32_t, float, std::vector<uint32_t>>, uint32_t>
      predicateNumber_;
  std::vector<Bits> constantMasks_;
  int64_t mixedCount_ = 0;
};

llvm::Expected<Forest> Forest::compile(const TreeModel &model,
                                       const ForestGrid &grid,
                                       const ForestKernels &kernels) {
  return ForestCompiler(model, grid, kernels).compile();
}

} // namespace assay::select
