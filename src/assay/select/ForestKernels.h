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
        0,    ///< the same answer for all kernels: index names the predicate
    Mask = 1, ///< an answer per tile: index names the mask
    Both = 2, ///< traits part here; both sides are visited with the same tiles
    Leaf = 3, ///< index names the set of traits, target the value
  };
  uint32_t head;
  uint32_t target;
  Kind kind() const { return static_cast<Kind>(head >> 30); }
  uint32_t index() const { return head & 0x3fffffffu; }
};

/// Tiles are handled 64 to a word, `words` (1 to 8) words at a time.
struct ForestWalk {
  const ForestNode *nodes;
  const uint32_t *roots;
  int64_t trees;
  const uint8_t *predicates; ///< [predicate]
  const uint64_t
      *masks; ///< [mask][words]: bit t of word t / 64, tile t goes left
  const uint64_t *allTiles; ///< [words]
  const int64_t *values;    ///< [leaf] in fixed point
  int64_t *sums;            ///< [set][words * 64], defined where touched
  uint8_t *touched;         ///< [set], zero before the walk
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

/// Adds the sums of one set to the scores of one trait: scores[t] += sums[t].
struct ForestKernels {
  const char *name;
  void (*walk)(const ForestWalk &);
  void (*compare)(const ForestCompare &);
  void (*add)(int64_t *scores, const int64_t *sums, int64_t count);
};

/// "scalar", "avx2", "avx512": nullptr when the processor has none or the name
/// is unknown.
const ForestKernels *forestKernels(const char *name);
/// The widest that the processor has.
const ForestKernels &bestForestKernels();

} // namespace assay::select
