// Turns rows of 4-byte words into columns, sixteen rows (eight with AVX2) at a
// time along their whole length, so that each line of a row is read once while
// few pages are open. The next lines are prefetched, because each row is a
// separate stream that ends before the processor has detected it. The rows are
// loaded 128 bits at a time, into such positions that two rounds of unpacking
// within 128 bits finish the transposition. The version is chosen once, by the
// processor; the result does not depend on it.
#include "assay/kernels/outer/Transpose.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay::kernels {

namespace {
/// A block of rows: where each begins (a missing row points to a line that
/// flips to zeros), and its length.
struct RowBlock {
  const char *rows[16];
  const char *next[16]; ///< the beginning of the next block's rows
  int64_t exists[16];   ///< all ones, or 0 where the row does not exist
  int width;            ///< columns of the panel to write
  int64_t words;        ///< a multiple of the number that the version processes
                        ///< at a time
  uint8_t flip;
};
} // namespace

static constexpr int64_t kAhead = 512; // bytes of prefetch distance

static void transposePlain(const RowBlock &block, int64_t stride,
                           uint32_t *panel) {
  for (int64_t word = 0; word < block.words; ++word)
    for (int lane = 0; lane < block.width; ++lane) {
      uint32_t value;
      std::memcpy(&value, block.rows[lane] + (word * 4 & block.exists[lane]),
                  4);
      panel[word * stride + lane] = value ^ block.flip * 0x01010101u;
    }
}

#if defined(__x86_64__)
static inline void prefetchRows(const RowBlock &block, int lanes,
                                int64_t offset, int64_t bytes) {
  for (int lane = 0; lane < lanes; ++lane) {
    int64_t ahead = offset + kAhead;
    const char *line = ahead < bytes
                           ? block.rows[lane] + (ahead & block.exists[lane])
                           : block.next[lane] + (ahead - bytes);
    __builtin_prefetch(line);
  }
}

#define ASSAY_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))

/// Turns four words of each of sixteen rows, in the order of the loads in
/// t[0..3], into four columns.
ASSAY_AVX512 static inline void turnChunk(const __m512i *t, __m512i *words) {
  __m512i low01 = _mm512_unpacklo_epi32(t[0], t[1]),
          high01 = _mm512_unpackhi_epi32(t[0], t[1]),
          low23 = _mm512_unpacklo_epi32(t[2], t[3]),
          high23 = _mm512_unpackhi_epi32(t[2], t[3]);
  words[0] = _mm512_unpacklo_epi64(low01, low23);
  words[1] = _mm512_unpackhi_epi64(low01, low23);
  words[2] = _mm512_unpacklo_epi64(high01, high23);
  words[3] = _mm512_unpackhi_epi64(high01, high23);
}

ASSAY_AVX512 static inline __m128i part(const RowBlock &block, int row,
                                        int64_t offset) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i *>(
      block.rows[row] + (offset & block.exists[row])));
}

ASSAY_AVX512 static void transposeAvx512(const RowBlock &block, int64_t stride,
                                         uint32_t *panel) {
  __m512i flip = _mm512_set1_epi8(static_cast<char>(block.flip));
  auto mask = static_cast<__mmask16>((1u << block.width) - 1);
  int64_t bytes = block.words * 4;
  for (int64_t offset = 0; offset < bytes; offset += 64) {
    prefetchRows(block, block.width, offset, bytes);
    for (int64_t at = offset; at < offset + 64; at += 16) {
      __m512i t[4], words[4];
      for (int i = 0; i < 4; ++i) {
        __m512i v = _mm512_castsi128_si512(part(block, i, at));
        v = _mm512_inserti32x4(v, part(block, i + 4, at), 1);
        v = _mm512_inserti32x4(v, part(block, i + 8, at), 2);
        v = _mm512_inserti32x4(v, part(block, i + 12, at), 3);
        t[i] = _mm512_xor_si512(v, flip);
      }
      turnChunk(t, words);
      uint32_t *out = panel + at / 4 * stride;
      for (int i = 0; i < 4; ++i)
        _mm512_mask_storeu_epi32(out + i * stride, mask, words[i]);
    }
  }
}

ASSAY_AVX512 static void tailAvx512(const RowBlock &block, int64_t bytes,
                                    int64_t stride, uint32_t *panel) {
  auto mask = static_cast<__mmask16>((1u << block.width) - 1);
  for (int64_t at = 0; at < bytes; at += 16) {
    auto valid = static_cast<__mmask16>(
        bytes - at >= 16 ? 0xffffu : (1u << (bytes - at)) - 1);
    __m128i flip = _mm_maskz_set1_epi8(valid, static_cast<char>(block.flip));
    auto rest = [&](int row) ASSAY_AVX512 {
      return _mm_xor_si128(
          flip, _mm_maskz_loadu_epi8(valid, block.rows[row] +
                                                (at & block.exists[row])));
    };
    __m512i t[4], words[4];
    for (int i = 0; i < 4; ++i) {
      __m512i v = _mm512_castsi128_si512(rest(i));
      v = _mm512_inserti32x4(v, rest(i + 4), 1);
      v = _mm512_inserti32x4(v, rest(i + 8), 2);
      t[i] = _mm512_inserti32x4(v, rest(i + 12), 3);
    }
    turnChunk(t, words);
    for (int64_t i = 0; i < 4 && at + 4 * i < bytes; ++i)
      _mm512_mask_storeu_epi32(panel + (at / 4 + i) * stride, mask, words[i]);
  }
}

#define ASSAY_AVX2 __attribute__((target("avx2")))

/// Stores the first kWidth words. (Masked stores are microcode on the first Zen
/// cores.)
template <int kWidth>
ASSAY_AVX2 static inline void storeWords(__m256i v, uint32_t *to) {
  if constexpr (kWidth == 8)
    return _mm256_storeu_si256(reinterpret_cast<__m256i *>(to), v);
  __m128i part = _mm256_castsi256_si128(v);
  if constexpr ((kWidth & 4) != 0) {
    _mm_storeu_si128(reinterpret_cast<__m128i *>(to), part);
    part = _mm256_extracti128_si256(v, 1);
    to += 4;
  }
  if constexpr ((kWidth & 2) != 0) {
    _mm_storel_epi64(reinterpret_cast<__m128i *>(to), part);
    part = _mm_srli_si128(part, 8);
    to += 2;
  }
  if constexpr ((kWidth & 1) != 0)
    *to = static_cast<uint32_t>(_mm_cvtsi128_si32(part));
}

/// Turns four words of each of eight rows into four columns of the panel.
template <int kWidth>
ASSAY_AVX2 static inline void turnWords(const RowBlock &block, int64_t offset,
                                        int64_t stride, uint32_t *out) {
  __m256i flip = _mm256_set1_epi8(static_cast<char>(block.flip)), t[4];
  auto quarter = [&](int row) ASSAY_AVX2 {
    return _mm_loadu_si128(reinterpret_cast<const __m128i *>(
        block.rows[row] + (offset & block.exists[row])));
  };
  for (int i = 0; i < 4; ++i)
    t[i] = _mm256_xor_si256(
        _mm256_inserti128_si256(_mm256_castsi128_si256(quarter(i)),
                                quarter(i + 4), 1),
        flip);
  __m256i low01 = _mm256_unpacklo_epi32(t[0], t[1]),
          high01 = _mm256_unpackhi_epi32(t[0], t[1]),
          low23 = _mm256_unpacklo_epi32(t[2], t[3]),
          high23 = _mm256_unpackhi_epi32(t[2], t[3]);
  storeWords<kWidth>(_mm256_unpacklo_epi64(low01, low23), out);
  storeWords<kWidth>(_mm256_unpackhi_epi64(low01, low23), out + stride);
  storeWords<kWidth>(_mm256_unpacklo_epi64(high01, high23), out + 2 * stride);
  storeWords<kWidth>(_mm256_unpackhi_epi64(high01, high23), out + 3 * stride);
}

template <int kWidth>
ASSAY_AVX2 static void transposeWidth(const RowBlock &block, int64_t stride,
                                      uint32_t *panel) {
  int64_t bytes = block.words * 4;
  for (int64_t offset = 0; offset < bytes; offset += 16) {
    if (offset % 64 == 0)
      prefetchRows(block, kWidth, offset, bytes);
    turnWords<kWidth>(block, offset, stride, panel + offset / 4 * stride);
  }
}

static void transposeAvx2(const RowBlock &block, int64_t stride,
                          uint32_t *panel) {
  using Function = void (*)(const RowBlock &, int64_t, uint32_t *);
  static constexpr Function kByWidth[] = {
      transposeWidth<1>, transposeWidth<2>, transposeWidth<3>,
      transposeWidth<4>, transposeWidth<5>, transposeWidth<6>,
      transposeWidth<7>, transposeWidth<8>};
  kByWidth[block.width - 1](block, stride, panel);
}
#endif

/// Copies the last words of each row through a buffer of one line whose end is
/// zero.
static void tailByBuffer(const RowBlock &block, int64_t bytes, int64_t stride,
                         uint32_t *panel) {
  for (int lane = 0; lane < block.width; ++lane) {
    uint8_t line[64] = {};
    for (int64_t byte = 0; block.exists[lane] && byte < bytes; ++byte)
      line[byte] = static_cast<uint8_t>(block.rows[lane][byte]) ^ block.flip;
    for (int64_t word = 0; word < (bytes + 3) / 4; ++word)
      std::memcpy(panel + word * stride + lane, line + 4 * word, 4);
  }
}

namespace {
struct Version {
  int lanes;
  int64_t bytes; ///< of each row that `whole` processes at a time
  void (*whole)(const RowBlock &, int64_t stride, uint32_t *panel);
  void (*tail)(const RowBlock &, int64_t bytes, int64_t stride,
               uint32_t *panel);
};
} // namespace

static Version bestVersion() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return {16, 64, transposeAvx512, tailAvx512};
  if (__builtin_cpu_supports("avx2"))
    return {8, 16, transposeAvx2, tailByBuffer};
#endif
  return {16, 64, transposePlain, tailByBuffer};
}

void transposeWords(const WordRows &rows, int64_t stride, uint32_t *panel) {
  static const Version version = bestVersion();
  alignas(64) uint8_t missing[64];
  std::memset(missing, rows.flip, sizeof missing);
  int64_t whole = rows.bytes / version.bytes * version.bytes,
          tail = rows.bytes - whole;
  for (int first = 0; first < rows.width; first += version.lanes) {
    RowBlock block;
    block.width = std::min(version.lanes, rows.width - first);
    block.words = whole / 4;
    block.flip = rows.flip;
    for (int lane = 0; lane < version.lanes; ++lane) {
      bool exists = first + lane < rows.lanes;
      const char *row = rows.source + (first + lane) * rows.rowBytes;
      block.rows[lane] = exists ? row : reinterpret_cast<const char *>(missing);
      block.next[lane] = row + version.lanes * rows.rowBytes;
      block.exists[lane] = exists ? -1 : 0;
    }
    if (whole > 0)
      version.whole(block, stride, panel + first);
    if (tail == 0)
      continue;
    for (int lane = 0; lane < version.lanes; ++lane)
      block.rows[lane] += whole & block.exists[lane];
    version.tail(block, tail, stride, panel + first + whole / 4 * stride);
  }
}

} // namespace assay::kernels
