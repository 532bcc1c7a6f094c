/// The three inner loops of the forest, one set per instruction set. All sets
/// give the same bits: comparisons of floats are exact and sums are integers.
#pragma once

#include <cstdint>

namespace assay::select {

/// One instruction of the compiled forest. The left side of a split is the next
/// node; `target` is the right side.
struct ForestNode {
  enum Kind : uint32_t {
    Predicate =
        0,    ///< all kernels have one answer: index names the predicate
    Mask = 1, ///< one answer per tile: index names the mask
    Both = 2, ///< divides the traits; both sides are visited with the same
              ///< tiles
    Leaf = 3, ///< index names the set of traits, target is the value
  };
  uint32_t head;
  uint32_t target; ///< in a leaf: 32 bits of fixed point, signed
  Kind kind() const { return static_cast<Kind>(head >> 30); }
  uint32_t index() const { return head & 0x3fffffffu; }
  int32_t value() const { return static_cast<int32_t>(target); }
};

/// Tiles are handled 64 to a word, `words` (1 to 8) words at a time.
struct ForestWalk {
  const ForestNode *nodes;
  const uint32_t *roots; ///< [trees + 1]: the start of each tree; the next
                         ///< entry is its end
  int64_t trees;
  const uint8_t *predicates; ///< [predicate]
  const uint64_t
      *masks; ///< [mask][words]: bit t % 64 of word t / 64: tile t goes left
  const uint64_t *allTiles; ///< [words]
  int32_t *sums;            ///< [set][words * 64], defined where touched
  uint8_t *touched; ///< [set], one bit per word of tiles; zero before the walk
  uint64_t *stack;          ///< (1 + words) * the greatest depth
  int words;
};

/// Thresholds of one feature against its values over the tiles.
struct ForestCompare {
  const float *values;     ///< [words * 64]
  const float *thresholds; ///< [count]
  uint64_t *masks;         ///< [count][words]
  int64_t count;
  int words;
};

/// Adds the sums of one set to the scores of each trait in it, one word of
/// tiles at a time: scores[trait * stride + t] += sums[t], where the set was
/// touched and the trait has kernels.
struct ForestSpread {
  const int32_t *sums; ///< [words * 64]
  int32_t *scores;     ///< [trait][stride]
  int64_t stride;
  const int32_t *traits; ///< the traits of the set
  int64_t count;
  const uint8_t *present; ///< [trait], one bit per word of tiles
  uint32_t touched;       ///< one bit per word
};

struct ForestKernels {
  const char *name;
  int wholeWords; ///< more than half of this many words take as long as all of
                  ///< them
  void (*walk)(const ForestWalk &);
  void (*compare)(const ForestCompare &);
  void (*spread)(const ForestSpread &);
};

/// "scalar", "avx2", "avx512"; nullptr when the processor lacks it or the name
/// is unknown.
const ForestKernels *forestKernels(const char *name);
/// The kernels of the widest instruction set that the processor has.
const ForestKernels &bestForestKernels();

} // namespace assay::select
