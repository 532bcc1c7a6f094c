// Packing: a panel of rows of A, or of columns of B, is rewritten so that the
// register tile reads it front to back. Everything that is packed is, after
// widening, a matrix of words (4 bytes, or 8 for f64) of which one word is one
// step along k for one lane. Operands contiguous in k are transposed 8 x 8
// words at a time; operands contiguous across lanes are copied or interleaved;
// anything else goes element by element.
#include "assay/kernels/outer/Packing.h"

#include "assay/kernels/outer/Clones.h"

#include <algorithm>
#include <cstring>

namespace assay::kernels {

int64_t panelBytes(MicroMath math, int width, int64_t k) {
  int64_t multiple = depthMultipleOf(math);
  return (k + multiple - 1) / multiple * multiple * width * packedBytesOf(math);
}

namespace {
typedef uint32_t Words8 __attribute__((vector_size(32)));
typedef uint64_t Doubles4 __attribute__((vector_size(32)));

/// How one element in memory becomes one element of the panel.
struct CopyF32 {
  using In = float;
  using Out = float;
  static ASSAY_INLINE Out convert(In value, uint8_t) { return value; }
};
struct CopyF64 {
  using In = double;
  using Out = double;
  static ASSAY_INLINE Out convert(In value, uint8_t) { return value; }
};
struct CopyBf16 {
  using In = uint16_t;
  using Out = uint16_t;
  static ASSAY_INLINE Out convert(In value, uint8_t) { return value; }
};
struct WidenBf16 {
  using In = uint16_t;
  using Out = float;
  static ASSAY_INLINE Out convert(In value, uint8_t) {
    uint32_t bits = uint32_t(value) << 16;
    float result;
    std::memcpy(&result, &bits, 4);
    return result;
  }
};
struct WidenF16 {
  using In = _Float16;
  using Out = float;
  static ASSAY_INLINE Out convert(In value, uint8_t) {
    return static_cast<float>(value);
  }
};
struct CopyByte {
  using In = uint8_t;
  using Out = uint8_t;
  static ASSAY_INLINE Out convert(In value, uint8_t flip) {
    return value ^ flip;
  }
};
struct WidenS8 {
  using In = int8_t;
  using Out = int16_t;
  static ASSAY_INLINE Out convert(In value, uint8_t) { return value; }
};
struct WidenU8 {
  using In = uint8_t;
  using Out = int16_t;
  static ASSAY_INLINE Out convert(In value, uint8_t) { return value; }
};
} // namespace

/// Any strides; also the last group and the lanes that are missing. Covers
/// steps [from, to) of the panel in groups.
template <typename Kind, int Group>
static ASSAY_INLINE void packStrided(const PanelJob &job,
                                     typename Kind::Out *panel,
                                     int64_t fromGroup, int64_t toGroup) {
  const auto *source = static_cast<const typename Kind::In *>(job.source);
  uint8_t flip = job.flip ? 0x80 : 0;
  for (int64_t group = fromGroup; group < toGroup; ++group)
    for (int lane = 0; lane < job.width; ++lane)
      for (int g = 0; g < Group; ++g) {
        int64_t p = group * Group + g;
        bool valid = lane < job.lanes && p < job.k;
        panel[(group * job.width + lane) * Group + g] =
            valid
                ? Kind::convert(
                      source[lane * job.laneStride + p * job.stepStride], flip)
                : typename Kind::Out(0);
      }
}

/// Lanes adjacent in memory: whole groups are interleaved lane by lane.
template <typename Kind, int Group>
static ASSAY_INLINE void packAcross(const PanelJob &job,
                                    typename Kind::Out *panel) {
  const auto *source = static_cast<const typename Kind::In *>(job.source);
  uint8_t flip = job.flip ? 0x80 : 0;
  int64_t whole = job.k / Group;
  for (int64_t group = 0; group < whole; ++group) {
    typename Kind::Out *out = panel + group * job.width * Group;
    const typename Kind::In *in = source + group * Group * job.stepStride;
    for (int lane = 0; lane < job.lanes; ++lane)
      for (int g = 0; g < Group; ++g)
        out[lane * Group + g] =
            Kind::convert(in[g * job.stepStride + lane], flip);
    for (int lane = job.lanes * Group; lane < job.width * Group; ++lane)
      out[lane] = 0;
  }
  packStrided<Kind, Group>(job, panel, whole, (job.k + Group - 1) / Group);
}

/// rows[i][j] becomes columns[j][i], 8 x 8 words of 4 bytes.
static ASSAY_INLINE void transpose8(Words8 *v) {
  Words8 t[8];
  for (int i = 0; i < 4;
       ++i) { // words of rows 2i and 2i + 1 interleaved within 128-bit halves
    t[2 * i] = __builtin_shufflevector(v[2 * i], v[2 * i + 1], 0, 8, 1, 9, 4,
                                       12, 5, 13);
    t[2 * i + 1] = __builtin_shufflevector(v[2 * i], v[2 * i + 1], 2, 10, 3, 11,
                                           6, 14, 7, 15);
  }
  Words8 u[8];
  for (int i = 0; i < 2; ++i) { // pairs interleaved: u[4i + c] holds column c
                                // (and c + 4) of rows 4i .. 4i + 3
    u[4 * i] = __builtin_shufflevector(t[4 * i], t[4 * i + 2], 0, 1, 8, 9, 4, 5,
                                       12, 13);
    u[4 * i + 1] = __builtin_shufflevector(t[4 * i], t[4 * i + 2], 2, 3, 10, 11,
                                           6, 7, 14, 15);
    u[4 * i + 2] = __builtin_shufflevector(t[4 * i + 1], t[4 * i + 3], 0, 1, 8,
                                           9, 4, 5, 12, 13);
    u[4 * i + 3] = __builtin_shufflevector(t[4 * i + 1], t[4 * i + 3], 2, 3, 10,
                                           11, 6, 7, 14, 15);
  }
  for (int c = 0; c < 4; ++c) {
    v[c] = __builtin_shufflevector(u[c], u[4 + c], 0, 1, 2, 3, 8, 9, 10, 11);
    v[c + 4] =
        __builtin_shufflevector(u[c], u[4 + c], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

/// Rows of words, `rowBytes` apart, into panel words [step][width]; steps is a
/// multiple of 8, lanes of any number.
static ASSAY_INLINE void transposeWords(const char *source, int64_t rowBytes,
                                        int lanes, int width, int64_t steps,
                                        uint32_t flip, uint32_t *panel) {
  Words8 flips = {flip, flip, flip, flip, flip, flip, flip, flip};
  for (int64_t step = 0; step < steps; step += 8)
    for (int lane = 0; lane < width; lane += 8) {
      Words8 v[8];
      for (int i = 0; i < 8; ++i)
        if (lane + i < lanes) {
          std::memcpy(&v[i], source + (lane + i) * rowBytes + step * 4, 32);
          v[i] ^= flips;
        } else {
          v[i] = Words8{};
        }
      transpose8(v);
      uint32_t *out = panel + step * width + lane;
      if (lane + 8 <= width) {
        for (int i = 0; i < 8; ++i)
          std::memcpy(out + int64_t(i) * width, &v[i], 32);
      } else {
        for (int i = 0; i < 8; ++i)
          for (int rest = 0; rest < width - lane; ++rest)
            out[int64_t(i) * width + rest] = v[i][rest];
      }
    }
}

/// Lanes far apart, k adjacent, no conversion: one word is one group.
template <typename Kind, int Group>
static ASSAY_INLINE void packAlong(const PanelJob &job,
                                   typename Kind::Out *panel) {
  int64_t words = job.k / Group / 8 * 8;
  transposeWords(static_cast<const char *>(job.source),
                 job.laneStride * int64_t(sizeof(typename Kind::In)), job.lanes,
                 job.width, words, job.flip ? 0x80808080u : 0,
                 reinterpret_cast<uint32_t *>(panel));
  packStrided<Kind, Group>(job, panel, words, (job.k + Group - 1) / Group);
}

/// Lanes far apart, k adjacent, converted: chunks of rows are widened into a
/// buffer in the L1 cache, then transposed.
template <typename Kind, int Group>
static ASSAY_INLINE void packAlongWidening(const PanelJob &job,
                                           typename Kind::Out *panel) {
  constexpr int64_t kChunk = 32; // words
  alignas(64) typename Kind::Out rows[8][kChunk * Group];
  const auto *source = static_cast<const typename Kind::In *>(job.source);
  int64_t words = job.k / Group / 8 * 8;
  for (int64_t first = 0; first < words; first += kChunk) {
    int64_t steps = std::min(kChunk, words - first);
    for (int lane = 0; lane < job.width; lane += 8) {
      int valid = std::clamp(job.lanes - lane, 0, 8);
      for (int i = 0; i < valid; ++i)
        for (int64_t p = 0; p < steps * Group; ++p)
          rows[i][p] = Kind::convert(
              source[(lane + i) * job.laneStride + first * Group + p], 0);
      for (int64_t step = 0; step < steps; step += 8) {
        Words8 v[8];
        for (int i = 0; i < 8; ++i)
          if (i < valid)
            std::memcpy(&v[i], &rows[i][step * Group], 32);
          else
            v[i] = Words8{};
        transpose8(v);
        uint32_t *out = reinterpret_cast<uint32_t *>(panel) +
                        (first + step) * job.width + lane;
        for (int i = 0; i < 8; ++i)
          std::memcpy(out + int64_t(i) * job.width, &v[i],
                      static_cast<size_t>(std::min(8, job.width - lane)) * 4);
      }
    }
  }
  packStrided<Kind, Group>(job, panel, words, (job.k + Group - 1) / Group);
}

/// f64, k adjacent: 4 x 4 words of 8 bytes.
static ASSAY_INLINE void packAlongF64(const PanelJob &job, double *panel) {
  const auto *source = static_cast<const double *>(job.source);
  int64_t steps = job.k / 4 * 4;
  for (int64_t step = 0; step < steps; step += 4)
    for (int lane = 0; lane < job.width; lane += 4) {
      Doubles4 v[4];
      for (int i = 0; i < 4; ++i)
        if (lane + i < job.lanes)
          std::memcpy(&v[i], source + (lane + i) * job.laneStride + step, 32);
        else
          v[i] = Doubles4{};
      Doubles4 low01 = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6);
      Doubles4 high01 = __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
      Doubles4 low23 = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6);
      Doubles4 high23 = __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
      Doubles4 out[4] = {__builtin_shufflevector(low01, low23, 0, 1, 4, 5),
                         __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
                         __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
                         __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
      for (int i = 0; i < 4; ++i)
        std::memcpy(panel + (step + i) * job.width + lane, &out[i],
                    static_cast<size_t>(std::min(4, job.width - lane)) * 8);
    }
  packStrided<CopyF64, 1>(job, panel, steps, job.k);
}

template <typename Kind, int Group, bool Widening>
static ASSAY_INLINE void packKind(const PanelJob &job, void *target) {
  auto *panel = static_cast<typename Kind::Out *>(target);
  int64_t groups = (job.k + Group - 1) / Group;
  if (job.laneStride == 1)
    packAcross<Kind, Group>(job, panel);
  else if (job.stepStride != 1)
    packStrided<Kind, Group>(job, panel, 0, groups);
  else if constexpr (sizeof(typename Kind::Out) == 8)
    packAlongF64(job, panel);
  else if constexpr (Widening)
    packAlongWidening<Kind, Group>(job, panel);
  else
    packAlong<Kind, Group>(job, panel);
}

ASSAY_CLONES static void packF32(const PanelJob &job, void *panel) {
  packKind<CopyF32, 1, false>(job, panel);
}
ASSAY_CLONES static void packF64(const PanelJob &job, void *panel) {
  packKind<CopyF64, 1, false>(job, panel);
}
ASSAY_CLONES static void packBf16(const PanelJob &job, void *panel) {
  packKind<CopyBf16, 2, false>(job, panel);
}
ASSAY_CLONES static void packBytes(const PanelJob &job, void *panel) {
  packKind<CopyByte, 4, false>(job, panel);
}
ASSAY_CLONES static void widenBf16(const PanelJob &job, void *panel) {
  packKind<WidenBf16, 1, true>(job, panel);
}
ASSAY_CLONES static void widenF16(const PanelJob &job, void *panel) {
  packKind<WidenF16, 1, true>(job, panel);
}
ASSAY_CLONES static void widenS8(const PanelJob &job, void *panel) {
  packKind<WidenS8, 2, true>(job, panel);
}
ASSAY_CLONES static void widenU8(const PanelJob &job, void *panel) {
  packKind<WidenU8, 2, true>(job, panel);
}

/// Rows of 64 bytes along k, zero-filled; the width is the number of rows.
static void packTileRows(const PanelJob &job, int64_t elementBytes,
                         char *panel) {
  int64_t perRow = 64 / elementBytes;
  const auto *source = static_cast<const char *>(job.source);
  for (int64_t first = 0; first < job.k; first += perRow)
    for (int lane = 0; lane < job.width; ++lane, panel += 64) {
      int64_t count = lane < job.lanes ? std::min(perRow, job.k - first) : 0;
      const char *from =
          source +
          (lane * job.laneStride + first * job.stepStride) * elementBytes;
      if (count < perRow)
        std::memset(panel, 0, 64);
      if (job.stepStride == 1)
        std::memcpy(panel, from, static_cast<size_t>(count * elementBytes));
      else
        for (int64_t p = 0; p < count; ++p)
          std::memcpy(panel + p * elementBytes,
                      from + p * job.stepStride * elementBytes,
                      static_cast<size_t>(elementBytes));
    }
}

void packPanel(const PanelJob &job, MicroMath math, void *panel) {
  if (job.tileRows)
    return packTileRows(job, packedBytesOf(math), static_cast<char *>(panel));
  if (isAmx(math)) { // groups up to the last whole tile are zeros
    int64_t group = groupOf(math), used = (job.k + group - 1) / group * group *
                                          job.width * packedBytesOf(math);
    std::memset(static_cast<char *>(panel) + used, 0,
                static_cast<size_t>(panelBytes(math, job.width, job.k) - used));
  }
  switch (math) {
  case MicroMath::F64:
    return packF64(job, panel);
  case MicroMath::BF16Pairs:
  case MicroMath::AmxBf16:
    return packBf16(job, panel);
  case MicroMath::ByteQuads:
  case MicroMath::AmxBytes:
    return packBytes(job, panel);
  case MicroMath::ShortPairs:
    return job.type == DataType::S8 ? widenS8(job, panel) : widenU8(job, panel);
  case MicroMath::F32:
    return job.type == DataType::F32    ? packF32(job, panel)
           : job.type == DataType::BF16 ? widenBf16(job, panel)
                                        : widenF16(job, panel);
  }
}

template <typename Byte>
static ASSAY_INLINE void sumBytes(const Byte *panel, int width, int64_t k,
                                  int32_t factor, int32_t *init) {
  std::fill_n(init, width, 0);
  for (int64_t group = 0; group < (k + 3) / 4; ++group)
    for (int lane = 0; lane < width; ++lane)
      for (int g = 0; g < 4; ++g)
        init[lane] += panel[(group * width + lane) * 4 + g];
  for (int lane = 0; lane < width; ++lane)
    init[lane] *= factor;
}

ASSAY_CLONES void panelSums(const void *panel, int width, int64_t k,
                            bool isUnsigned, int32_t factor, int32_t *init) {
  if (isUnsigned)
    sumBytes(static_cast<const uint8_t *>(panel), width, k, factor, init);
  else
    sumBytes(static_cast<const int8_t *>(panel), width, k, factor, init);
}

} // namespace assay::kernels
