// Runs the compiled forest (ForestCompiler.cpp makes it). For each problem: (1)
// it evaluates every distinct test of a problem feature once; (2) it evaluates
// every distinct test of a mixed feature once over all tiles, 64 answers per
// word; (3) it walks the trees and adds each reached leaf to a rectangle of
// tiles times a static set of traits; (4) it adds the sums of the sets to the
// scores of the traits they contain. Sums are integers, so the order does not
// matter and all processors agree. The idea: all kernels of one problem share
// the problem's features, so most of each tree is decided once for all of them.
#include "assay/select/Forest.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace assay;
using namespace assay::select;

const char *select::toString(Axis axis) {
  switch (axis) {
  case Axis::Problem:
    return "problem";
  case Axis::Tile:
    return "tile";
  case Axis::Mixed:
    return "mixed";
  case Axis::Trait:
    return "trait";
  }
  return "";
}

Forest::Scratch Forest::makeScratch() const {
  Scratch scratch;
  scratch.predicates_.resize(predicates_.size());
  scratch.touched_.resize(sets_.size());
  scratch.masks_.resize(maskCount_ * words_);
  scratch.stack_.resize((depth_ + 1) * (words_ + 1));
  scratch.allTiles_.resize(words_);
  scratch.sums_.resize(sets_.size() * words_ * 64);
  scratch.scores_.resize(traits_ * paddedTiles_);
  return scratch;
}

llvm::ArrayRef<int32_t> Forest::evaluate(const ForestQuery &query,
                                         Scratch &scratch) const {
  for (size_t i = 0; i < predicates_.size(); ++i) {
    const Predicate &predicate = predicates_[i];
    float x = query.problem[predicate.feature];
    if (!predicate.categorical) {
      scratch.predicates_[i] = x <= predicate.threshold;
      continue;
    }
    auto category = static_cast<int64_t>(x);
    scratch.predicates_[i] =
        x >= 0 &&
        category < 32 * static_cast<int64_t>(predicate.categories.size()) &&
        ((predicate.categories[category / 32] >> (category % 32)) & 1);
  }
  std::fill(scratch.scores_.begin(), scratch.scores_.end(), 0);
  const int64_t chunkTiles = words_ * 64;
  for (int64_t chunk = 0; chunk < chunks_; ++chunk) {
    std::copy_n(staticMasks_.begin() + chunk * staticMaskCount_ * words_,
                staticMaskCount_ * words_,
                scratch.masks_.begin() + firstStaticMask_ * words_);
    for (const Group &group : groups_)
      kernels_->compare({query.mixed[group.feature].data() + chunk * chunkTiles,
                         group.thresholds.data(),
                         scratch.masks_.data() + group.firstMask * words_,
                         static_cast<int64_t>(group.thresholds.size()),
                         words_});
    for (int w = 0; w < words_; ++w) {
      int64_t left = tiles_ - chunk * chunkTiles - w * 64;
      scratch.allTiles_[w] = left >= 64  ? ~uint64_t(0)
                             : left <= 0 ? 0
                                         : (uint64_t(1) << left) - 1;
    }
    std::fill(scratch.touched_.begin(), scratch.touched_.end(), 0);
    kernels_->walk(
        {nodes_.data(), roots_.data(), static_cast<int64_t>(roots_.size()) - 1,
         scratch.predicates_.data(), scratch.masks_.data(),
         scratch.allTiles_.data(), scratch.sums_.data(),
         scratch.touched_.data(), scratch.stack_.data(), words_});
    for (size_t set = 0; set < sets_.size(); ++set)
      if (scratch.touched_[set])
        kernels_->spread({scratch.sums_.data() + set * chunkTiles,
                          scratch.scores_.data() + chunk * chunkTiles,
                          paddedTiles_, sets_[set].data(),
                          static_cast<int64_t>(sets_[set].size()),
                          present_.data() + chunk * traits_,
                          scratch.touched_[set]});
  }
  return scratch.scores_;
}

int64_t Forest::plainScore(const TreeModel &model,
                           llvm::ArrayRef<double> row) const {
  int64_t sum = 0;
  for (size_t t = 0; t < model.trees.size(); ++t) {
    const Tree &tree = model.trees[t];
    sum += std::llround((tree.leaves[tree.leafOf(row)].value - middles_[t]) *
                        scale_);
  }
  return sum;
}

Forest::Size Forest::size() const {
  return {static_cast<int64_t>(nodes_.size()), maskCount_,
          static_cast<int64_t>(predicates_.size()),
          static_cast<int64_t>(sets_.size())};
}
