// The forest's inner loops for AVX-512, AVX2 and any processor. The walk
// carries the set of tiles that still follow a path as a bit mask. A split that
// depends on the problem alone moves all of them, a split on a tile's feature
// divides them, and a leaf adds its value to the tiles that reach it. Only the
// comparisons and the additions depend on the instruction set; the walk is a
// template, instantiated for each of them.
#include "assay/select/ForestKernels.h"

#include <cstring>
#include <initializer_list>

#if defined(__x86_64__)
#include <immintrin.h>
#define ASSAY_AVX512                                                           \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define ASSAY_AVX2 __attribute__((target("avx2")))
#endif

using namespace assay;
using namespace assay::select;

namespace {
struct Scalar {
  static inline void leaf(int32_t *row, uint64_t mask, int32_t value,
                          bool first) {
    if (first)
      for (int t = 0; t < 64; ++t)
        row[t] = (mask >> t) & 1 ? value : 0;
    else
      for (; mask; mask &= mask - 1)
        row[__builtin_ctzll(mask)] += value;
  }
};
} // namespace

/// Prefetches the lines of a tree that is walked later: its nodes are adjacent,
/// but the processor learns too late which of them are needed next.
static inline void prefetchTree(const ForestWalk &w, int64_t tree) {
  if (tree >= w.trees)
    return;
  const auto *at = reinterpret_cast<const char *>(w.nodes + w.roots[tree]),
             *end = reinterpret_cast<const char *>(w.nodes + w.roots[tree + 1]);
  for (; at < end; at += 64)
    __builtin_prefetch(at);
}

// The walk is a macro, because a function may inline code of another
// instruction set only if it has that code's target.
#define ASSAY_FOREST_WALK(NAME, ATTRIBUTE, LEAF)                               \
  template <int W> ATTRIBUTE static void NAME##Words(const ForestWalk &w) {    \
    for (int64_t tree = 0; tree < w.trees; ++tree) {                           \
      prefetchTree(w, tree + 2);                                               \
      uint64_t mask[W];                                                        \
      for (int i = 0; i < W; ++i)                                              \
        mask[i] = w.allTiles[i];                                               \
      uint64_t *top = w.stack;                                                 \
      uint32_t at = w.roots[tree];                                             \
      for (;;) {                                                               \
        const ForestNode node = w.nodes[at];                                   \
        const uint32_t index = node.index();                                   \
        if (node.kind() == ForestNode::Mask) {                                 \
          const uint64_t *goLeft = w.masks + size_t(index) * W;                \
          uint64_t left[W], right[W], anyLeft = 0, anyRight = 0;               \
          for (int i = 0; i < W; ++i) {                                        \
            left[i] = mask[i] & goLeft[i];                                     \
            right[i] = mask[i] & ~goLeft[i];                                   \
            anyLeft |= left[i];                                                \
            anyRight |= right[i];                                              \
          }                                                                    \
          if (!anyRight) {                                                     \
            ++at;                                                              \
            continue;                                                          \
          }                                                                    \
          if (!anyLeft) {                                                      \
            at = node.target;                                                  \
            continue;                                                          \
          }                                                                    \
          *top++ = node.target;                                                \
          for (int i = 0; i < W; ++i) {                                        \
            *top++ = right[i];                                                 \
            mask[i] = left[i];                                                 \
          }                                                                    \
          ++at;                                                                \
        } else if (node.kind() == ForestNode::Predicate) {                     \
          at = w.predicates[index] ? at + 1 : node.target;                     \
        } else if (node.kind() == ForestNode::Both) {                          \
          *top++ = node.target;                                                \
          for (int i = 0; i < W; ++i)                                          \
            *top++ = mask[i];                                                  \
          ++at;                                                                \
        } else {                                                               \
          int32_t *row = w.sums + size_t(index) * (W * 64);                    \
          const unsigned known = w.touched[index];                             \
          unsigned now = known;                                                \
          for (int i = 0; i < W; ++i)                                          \
            if (mask[i]) {                                                     \
              LEAF(row + i * 64, mask[i], node.value(), !((known >> i) & 1));  \
              now |= 1u << i;                                                  \
            }                                                                  \
          w.touched[index] = static_cast<uint8_t>(now);                        \
          if (top == w.stack)                                                  \
            break;                                                             \
          top -= W + 1;                                                        \
          at = static_cast<uint32_t>(top[0]);                                  \
          for (int i = 0; i < W; ++i)                                          \
            mask[i] = top[i + 1];                                              \
        }                                                                      \
      }                                                                        \
    }                                                                          \
  }                                                                            \
  ATTRIBUTE static void NAME(const ForestWalk &w) {                            \
    switch (w.words) {                                                         \
    case 1:                                                                    \
      return NAME##Words<1>(w);                                                \
    case 2:                                                                    \
      return NAME##Words<2>(w);                                                \
    case 3:                                                                    \
      return NAME##Words<3>(w);                                                \
    case 4:                                                                    \
      return NAME##Words<4>(w);                                                \
    case 5:                                                                    \
      return NAME##Words<5>(w);                                                \
    case 6:                                                                    \
      return NAME##Words<6>(w);                                                \
    case 7:                                                                    \
      return NAME##Words<7>(w);                                                \
    default:                                                                   \
      return NAME##Words<8>(w);                                                \
    }                                                                          \
  }

ASSAY_FOREST_WALK(walkScalar, , Scalar::leaf)

static void compareScalar(const ForestCompare &c) {
  for (int64_t i = 0; i < c.count; ++i)
    for (int w = 0; w < c.words; ++w) {
      uint64_t mask = 0;
      for (int t = 0; t < 64; ++t)
        mask |= uint64_t(c.values[w * 64 + t] <= c.thresholds[i]) << t;
      c.masks[i * c.words + w] = mask;
    }
}

/// Calls `add` with the scores of each trait that has kernels in a word of
/// tiles, and the sums of that word.
#define ASSAY_FOREST_SPREAD(NAME, ATTRIBUTE, ADD)                              \
  ATTRIBUTE static void NAME(const ForestSpread &s) {                          \
    for (uint32_t left = s.touched; left; left &= left - 1) {                  \
      const int word = __builtin_ctz(left);                                    \
      for (int64_t i = 0; i < s.count; ++i) {                                  \
        const int32_t trait = s.traits[i];                                     \
        if ((s.present[trait] >> word) & 1)                                    \
          ADD(s.scores + trait * s.stride + word * 64, s.sums + word * 64);    \
      }                                                                        \
    }                                                                          \
  }

static inline void addScalar(int32_t *scores, const int32_t *sums) {
  for (int t = 0; t < 64; ++t)
    scores[t] += sums[t];
}

ASSAY_FOREST_SPREAD(spreadScalar, , addScalar)

static constexpr ForestKernels kScalar = {"scalar", 1, walkScalar, compareScalar,
                                          spreadScalar};

#if defined(__x86_64__)
ASSAY_AVX512 static inline void leafAvx512(int32_t *row, uint64_t mask,
                                           int32_t value, bool first) {
  const __m512i v = _mm512_set1_epi32(value);
  if (first) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i)
      _mm512_storeu_si512(
          row + i * 16,
          _mm512_maskz_mov_epi32(static_cast<__mmask16>(mask >> (i * 16)), v));
    return;
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const __m512i old = _mm512_loadu_si512(row + i * 16);
    _mm512_storeu_si512(
        row + i * 16,
        _mm512_mask_add_epi32(old, static_cast<__mmask16>(mask >> (i * 16)),
                              old, v));
  }
}

ASSAY_FOREST_WALK(walkNarrowAvx512, ASSAY_AVX512, leafAvx512)

/// Adds a leaf to the words of tiles that reach it (one bit per word).
ASSAY_AVX512 static inline void leafWide(const ForestWalk &w, ForestNode node,
                                         __m512i mask, uint32_t words) {
  alignas(64) uint64_t tiles[8];
  _mm512_store_si512(tiles, mask);
  const uint32_t index = node.index(), known = w.touched[index];
  w.touched[index] = static_cast<uint8_t>(known | words);
  int32_t *row = w.sums + size_t(index) * 512;
  for (; words; words &= words - 1) {
    const int word = __builtin_ctz(words);
    leafAvx512(row + word * 64, tiles[word], node.value(),
               !((known >> word) & 1));
  }
}

/// Eight words of tiles in one register.
ASSAY_AVX512 static void walkWideAvx512(const ForestWalk &w) {
  const __m512i all = _mm512_loadu_si512(w.allTiles);
  for (int64_t tree = 0; tree < w.trees; ++tree) {
    prefetchTree(w, tree + 2);
    __m512i mask = all;
    uint64_t *top = w.stack;
    uint32_t at = w.roots[tree];
    for (;;) {
      const ForestNode node = w.nodes[at];
      const uint32_t index = node.index();
      if (node.kind() == ForestNode::Mask) {
        const __m512i goLeft = _mm512_loadu_si512(w.masks + size_t(index) * 8),
                      left = _mm512_and_si512(mask, goLeft),
                      right = _mm512_andnot_si512(goLeft, mask);
        if (!_mm512_test_epi64_mask(right, right)) {
          ++at;
          continue;
        }
        if (!_mm512_test_epi64_mask(left, left)) {
          at = node.target;
          continue;
        }
        *top = node.target;
        _mm512_storeu_si512(top + 1, right);
        top += 9;
        mask = left;
        ++at;
      } else if (node.kind() == ForestNode::Predicate) {
        at = w.predicates[index] ? at + 1 : node.target;
      } else if (node.kind() == ForestNode::Both) {
        *top = node.target;
        _mm512_storeu_si512(top + 1, mask);
        top += 9;
        ++at;
      } else {
        leafWide(w, node, mask, _mm512_test_epi64_mask(mask, mask));
        if (top == w.stack)
          break;
        top -= 9;
        at = static_cast<uint32_t>(*top);
        mask = _mm512_loadu_si512(top + 1);
      }
    }
  }
}

ASSAY_AVX512 static void walkAvx512(const ForestWalk &w) {
  w.words == 8 ? walkWideAvx512(w) : walkNarrowAvx512(w);
}

ASSAY_AVX512 static void compareAvx512(const ForestCompare &c) {
  for (int w = 0; w < c.words; ++w) {
    const float *values = c.values + w * 64;
    const __m512 v0 = _mm512_loadu_ps(values),
                 v1 = _mm512_loadu_ps(values + 16),
                 v2 = _mm512_loadu_ps(values + 32),
                 v3 = _mm512_loadu_ps(values + 48);
    for (int64_t i = 0; i < c.count; ++i) {
      const __m512 threshold = _mm512_set1_ps(c.thresholds[i]);
      const uint64_t m0 = _mm512_cmp_ps_mask(v0, threshold, _CMP_LE_OQ),
                     m1 = _mm512_cmp_ps_mask(v1, threshold, _CMP_LE_OQ),
                     m2 = _mm512_cmp_ps_mask(v2, threshold, _CMP_LE_OQ),
                     m3 = _mm512_cmp_ps_mask(v3, threshold, _CMP_LE_OQ);
      c.masks[i * c.words + w] = m0 | m1 << 16 | m2 << 32 | m3 << 48;
    }
  }
}

ASSAY_AVX512 static inline void addAvx512(int32_t *scores,
                                          const int32_t *sums) {
#pragma GCC unroll 4
  for (int t = 0; t < 64; t += 16)
    _mm512_storeu_si512(scores + t,
                        _mm512_add_epi32(_mm512_loadu_si512(scores + t),
                                         _mm512_loadu_si512(sums + t)));
}

ASSAY_FOREST_SPREAD(spreadAvx512, ASSAY_AVX512, addAvx512)

ASSAY_AVX2 static inline void leafAvx2(int32_t *row, uint64_t mask,
                                       int32_t value, bool first) {
  const __m256i v = _mm256_set1_epi32(value),
                bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  for (int i = 0; i < 8; ++i, mask >>= 8) {
    if (!first && !(mask & 255))
      continue;
    const __m256i here = _mm256_and_si256(
        _mm256_set1_epi32(static_cast<int32_t>(mask & 255)), bits);
    const __m256i term = _mm256_and_si256(_mm256_cmpeq_epi32(here, bits), v);
    __m256i *at = reinterpret_cast<__m256i *>(row + i * 8);
    _mm256_storeu_si256(
        at, first ? term : _mm256_add_epi32(_mm256_loadu_si256(at), term));
  }
}

ASSAY_FOREST_WALK(walkAvx2, ASSAY_AVX2, leafAvx2)

ASSAY_AVX2 static void compareAvx2(const ForestCompare &c) {
  for (int w = 0; w < c.words; ++w)
    for (int64_t i = 0; i < c.count; ++i) {
      const __m256 threshold = _mm256_set1_ps(c.thresholds[i]);
      uint64_t mask = 0;
      for (int part = 0; part < 8; ++part) {
        const __m256 less =
            _mm256_cmp_ps(_mm256_loadu_ps(c.values + w * 64 + part * 8),
                          threshold, _CMP_LE_OQ);
        mask |= static_cast<uint64_t>(
                    static_cast<uint32_t>(_mm256_movemask_ps(less)))
                << (part * 8);
      }
      c.masks[i * c.words + w] = mask;
    }
}

ASSAY_AVX2 static inline void addAvx2(int32_t *scores, const int32_t *sums) {
  for (int t = 0; t < 64; t += 8) {
    __m256i *at = reinterpret_cast<__m256i *>(scores + t);
    const __m256i term =
        _mm256_loadu_si256(reinterpret_cast<const __m256i *>(sums + t));
    _mm256_storeu_si256(at, _mm256_add_epi32(_mm256_loadu_si256(at), term));
  }
}

ASSAY_FOREST_SPREAD(spreadAvx2, ASSAY_AVX2, addAvx2)

static constexpr ForestKernels kAvx512 = {"avx512", 8, walkAvx512, compareAvx512,
                                          spreadAvx512};
static constexpr ForestKernels kAvx2 = {"avx2", 1, walkAvx2, compareAvx2, spreadAvx2};
#endif

const ForestKernels *select::forestKernels(const char *name) {
#if defined(__x86_64__)
  if (!std::strcmp(name, "avx512"))
    return __builtin_cpu_supports("avx512f") &&
                   __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512vl")
               ? &kAvx512
               : nullptr;
  if (!std::strcmp(name, "avx2"))
    return __builtin_cpu_supports("avx2") ? &kAvx2 : nullptr;
#endif
  return !std::strcmp(name, "scalar") ? &kScalar : nullptr;
}

const ForestKernels &select::bestForestKernels() {
  for (const char *name : {"avx512", "avx2"})
    if (const ForestKernels *kernels = forestKernels(name))
      return *kernels;
  return kScalar;
}
