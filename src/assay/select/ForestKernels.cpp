// The forest's inner loops for AVX-512, AVX2 and any processor. The walk
// carries the set of tiles that still follow a path as a bit mask: a split that
// depends on the problem alone moves all of them, a split on a tile's feature
// divides them, and a leaf adds its value to the tiles that reach it. Only the
// comparisons and the additions know the instruction set; the walk itself is a
// template that each of them instantiates.
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
  static inline void leaf(int64_t *row, uint64_t mask, int64_t value,
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

// The walk. A macro, because a function may inline code of another instruction
// set only within its own target.
#define ASSAY_FOREST_WALK(NAME, ATTRIBUTE, LEAF)                               \
  template <int W> ATTRIBUTE static void NAME##Words(const ForestWalk &w) {    \
    for (int64_t tree = 0; tree < w.trees; ++tree) {                           \
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
          int64_t *row = w.sums + size_t(index) * (W * 64);                    \
          const bool first = !w.touched[index];                                \
          w.touched[index] = 1;                                                \
          for (int i = 0; i < W; ++i)                                          \
            if (W == 1 || first || mask[i])                                    \
              LEAF(row + i * 64, mask[i], w.values[node.target], first);       \
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

static void addScalar(int64_t *scores, const int64_t *sums, int64_t count) {
  for (int64_t t = 0; t < count; ++t)
    scores[t] += sums[t];
}

static constexpr ForestKernels kScalar = {"scalar", walkScalar, compareScalar,
                                          addScalar};

#if defined(__x86_64__)
ASSAY_AVX512 static inline void leafAvx512(int64_t *row, uint64_t mask,
                                           int64_t value, bool first) {
  const __m512i v = _mm512_set1_epi64(value);
  if (first) {
    for (int i = 0; i < 8; ++i)
      _mm512_storeu_si512(
          row + i * 8,
          _mm512_maskz_mov_epi64(static_cast<__mmask8>(mask >> (i * 8)), v));
    return;
  }
  for (int i = 0; i < 8; ++i) {
    const __m512i old = _mm512_loadu_si512(row + i * 8);
    _mm512_storeu_si512(
        row + i * 8, _mm512_mask_add_epi64(
                         old, static_cast<__mmask8>(mask >> (i * 8)), old, v));
  }
}

ASSAY_FOREST_WALK(walkAvx512, ASSAY_AVX512, leafAvx512)

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

ASSAY_AVX512 static void addAvx512(int64_t *scores, const int64_t *sums,
                                   int64_t count) {
  for (int64_t t = 0; t < count; t += 8)
    _mm512_storeu_si512(scores + t,
                        _mm512_add_epi64(_mm512_loadu_si512(scores + t),
                                         _mm512_loadu_si512(sums + t)));
}

ASSAY_AVX2 static inline void leafAvx2(int64_t *row, uint64_t mask,
                                       int64_t value, bool first) {
  const __m256i v = _mm256_set1_epi64x(value),
                bits = _mm256_setr_epi64x(1, 2, 4, 8);
  for (int i = 0; i < 16; ++i, mask >>= 4) {
    if (!first && !(mask & 15))
      continue;
    const __m256i here =
        _mm256_and_si256(_mm256_set1_epi64x(static_cast<int64_t>(mask)), bits);
    const __m256i term = _mm256_and_si256(_mm256_cmpeq_epi64(here, bits), v);
    __m256i *at = reinterpret_cast<__m256i *>(row + i * 4);
    _mm256_storeu_si256(
        at, first ? term : _mm256_add_epi64(_mm256_loadu_si256(at), term));
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

ASSAY_AVX2 static void addAvx2(int64_t *scores, const int64_t *sums,
                               int64_t count) {
  for (int64_t t = 0; t < count; t += 4) {
    __m256i *at = reinterpret_cast<__m256i *>(scores + t);
    const __m256i term =
        _mm256_loadu_si256(reinterpret_cast<const __m256i *>(sums + t));
    _mm256_storeu_si256(at, _mm256_add_epi64(_mm256_loadu_si256(at), term));
  }
}

static constexpr ForestKernels kAvx512 = {"avx512", walkAvx512, compareAvx512,
                                          addAvx512};
static constexpr ForestKernels kAvx2 = {"avx2", walkAvx2, compareAvx2, addAvx2};
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
