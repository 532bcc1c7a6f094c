/// A forest evaluated over all kernels of one problem at once. Kernels form a
/// grid: a tile (the part of a kernel that features of problem and kernel
/// together may depend on) times a trait (the rest of a configuration). See
/// docs/tune.md, "The fast forest".
#pragma once

#include "assay/select/ForestKernels.h"
#include "assay/select/Tree.h"
#include "assay/support/Error.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <memory>

namespace assay::select {

/// The parts of the input that a feature's value depends on.
enum class Axis : uint8_t {
  Problem, ///< the problem alone
  Tile,    ///< the kernel's tile alone
  Mixed,   ///< the problem and the kernel's tile
  Trait,   ///< the kernel's trait alone
};
const char *toString(Axis axis);

/// The grid of kernels and the features that do not depend on the problem.
struct ForestGrid {
  int64_t tiles = 0, traits = 0;
  std::vector<int32_t> tileOf, traitOf; ///< of each kernel
  std::vector<Axis> axes;               ///< of each feature
  std::vector<std::vector<float>>
      constant; ///< [feature]: per tile, per trait, or empty
};

/// The values of one problem: `problem` and `mixed` have a row per feature;
/// rows for features of other axes stay empty.
struct ForestQuery {
  std::vector<float> problem;            ///< [feature]
  std::vector<std::vector<float>> mixed; ///< [feature][paddedTiles]; those
                                         ///< beyond the last tile are ignored
};

/// The compiled forest.
/// Formula:  score(kernel) = sum over trees of round((leaf(tree,
///           features(kernel)) - middle(tree)) * 2^shift) in 32-bit integers;
///           the middle of a tree's leaves is the same for all kernels
/// Types:    features are finite f32 values; thresholds are rounded down to
///           f32, which decides as the f64 threshold does
/// Threads:  immutable; evaluate() may run anywhere, each with its own Scratch
class Forest {
public:
  class Scratch {
    friend class Forest;
    std::vector<uint8_t> predicates_, touched_;
    std::vector<uint64_t> masks_, stack_, allTiles_;
    std::vector<int32_t> sums_, scores_;
  };

  /// Errors: InvalidArgument when the grid does not fit the model; Unsupported
  /// for models that treat zeros as missing or that split a mixed feature by
  /// category.
  static llvm::Expected<Forest>
  compile(const TreeModel &model, const ForestGrid &grid,
          const ForestKernels &kernels = bestForestKernels());

  int64_t kernels() const { return static_cast<int64_t>(cellOf_.size()); }
  int64_t paddedTiles() const { return paddedTiles_; }
  Scratch makeScratch() const;

  /// The score of every kernel, valid until the next call with this scratch:
  /// score(kernel) = scores[cellOf(kernel)].
  llvm::ArrayRef<int32_t> evaluate(const ForestQuery &query,
                                   Scratch &scratch) const;
  int64_t cellOf(int64_t kernel) const { return cellOf_[kernel]; }
  /// A score as the model's own number.
  double toValue(int64_t score) const {
    return middle_ + static_cast<double>(score) * unit_;
  }
  /// The value of a score of 1, for scaling.
  double unit() const { return unit_; }
  /// The score of one row by plain evaluation of the model, which defines the
  /// result of evaluate().
  int64_t plainScore(const TreeModel &model, llvm::ArrayRef<double> row) const;

  struct Size {
    int64_t nodes, masks, predicates, sets;
  };
  Size size() const;

private:
  friend class ForestCompiler;
  struct Group { ///< the thresholds of one mixed feature
    int32_t feature;
    int64_t firstMask;
    std::vector<float> thresholds;
  };
  struct Predicate {
    int32_t feature;
    float threshold;
    bool categorical;
    std::vector<uint32_t> categories;
  };

  const ForestKernels *kernels_ = nullptr;
  std::vector<ForestNode> nodes_;
  std::vector<uint32_t> roots_; ///< the last entry is the end of the last tree
  std::vector<Predicate> predicates_;
  std::vector<Group> groups_;
  std::vector<uint64_t> staticMasks_; ///< [chunk][mask][words]
  int64_t staticMaskCount_ = 0, firstStaticMask_ = 0, maskCount_ = 0;
  std::vector<std::vector<int32_t>> sets_; ///< the traits of each set
  /// [chunk][trait], one bit per word of tiles: whether a kernel has the trait
  /// and a tile of that word.
  std::vector<uint8_t> present_;
  std::vector<int64_t> cellOf_;
  int64_t tiles_ = 0, paddedTiles_ = 0, traits_ = 0, chunks_ = 0, depth_ = 0;
  int words_ = 1;
  double unit_ = 1, scale_ = 1;
  std::vector<double> middles_; ///< of each tree's leaves
  double middle_ = 0;           ///< their sum
};

} // namespace assay::select
