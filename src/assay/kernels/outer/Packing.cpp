// Packing: a panel of rows of A, or of columns of B, is rewritten in the order
// in which the register tile reads it. After widening, every operand is a
// matrix of words (4 bytes, or 8 for f64), and one word is one step along k for
// one lane. Operands that are contiguous in k are transposed 8 x 8 words at a
// time; operands that are contiguous across lanes are copied or interleaved;
// all others are packed element by element.
#include "assay/kernels/outer/Packing.h"

#include "assay/kernels/outer/Clones.h"
#include "assay/kernels/outer/Transpose.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace assay::kernels {

int64_t panelBytes(MicroMath math, int width, int64_t k) {
  int64_t multiple = depthMultipleOf(math);
  return (k + multiple - 1) / multiple * multiple * width * packedBytesOf(math);
}

namespace {
typedef uint64_t Doubles4 __attribute__((vector_size(32)));

/// How an element in memory becomes an element of the panel.
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

/// Packs operands with any strides, and also the last group and the missing
/// lanes. Covers steps [from, to) of the panel in groups.
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

/// Packs lanes [0, lanes) of one group. If the group is a word, it is assembled
/// as one, whole vectors of words at a time.
template <typename Kind, int Group>
static ASSAY_INLINE void interleave(const typename Kind::In *__restrict in,
                                    int64_t row, int64_t lanes, uint8_t flip,
                                    typename Kind::Out *__restrict panel) {
  using In = typename Kind::In;
  if constexpr (Group * sizeof(In) == 4 && Group > 1 &&
                std::is_same_v<In, typename Kind::Out>) {
    typedef uint32_t __attribute__((may_alias)) Word;
    constexpr int kBits = 8 * sizeof(In);
    auto *__restrict out = reinterpret_cast<Word *>(panel);
    const Word flips = flip * Word(0x01010101);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Word word = in[lane];
      for (int g = 1; g < Group; ++g)
        word |= Word(in[g * row + lane]) << (g * kBits);
      out[lane] = word ^ flips;
    }
  } else {
    for (int64_t lane = 0; lane < lanes; ++lane)
      for (int g = 0; g < Group; ++g)
        panel[lane * Group + g] = Kind::convert(in[g * row + lane], flip);
  }
}

/// Packs operands whose lanes are adjacent in memory: whole groups are
/// interleaved lane by lane. Lanes are processed in blocks as long as reads
/// beyond the last lane hit another row of the operand, and writes there hit a
/// group that is packed later.
template <typename Kind, int Group>
static ASSAY_INLINE void packAcross(const PanelJob &job,
                                    typename Kind::Out *panel) {
  constexpr int64_t kBlock = 16;
  const auto *source = static_cast<const typename Kind::In *>(job.source);
  uint8_t flip = job.flip ? 0x80 : 0;
  int64_t whole = job.k / Group, blocks = (job.lanes + kBlock - 1) / kBlock,
          inBlocks = job.stepStride < kBlock
                         ? 0
                         : whole - (blocks * kBlock + job.width - 1) / job.width;
  for (int64_t group = 0; group < whole; ++group) {
    typename Kind::Out *out = panel + group * job.width * Group;
    const typename Kind::In *in = source + group * Group * job.stepStride;
    if (group < inBlocks)
      for (int64_t lane = 0; lane < blocks * kBlock; lane += kBlock)
        interleave<Kind, Group>(in + lane, job.stepStride, kBlock, flip,
                                out + lane * Group);
    else
      interleave<Kind, Group>(in, job.stepStride, job.lanes, flip, out);
    for (int lane = job.lanes * Group; lane < job.width * Group; ++lane)
      out[lane] = 0;
  }
  int64_t rest = job.k - whole * Group;
  if (rest == 0)
    return;
  typename Kind::Out *out = panel + whole * job.width * Group;
  const typename Kind::In *in = source + whole * Group * job.stepStride;
  std::fill_n(out, job.width * Group, typename Kind::Out(0));
  for (int64_t g = 0; g < rest; ++g)
    for (int lane = 0; lane < job.lanes; ++lane)
      out[lane * Group + g] =
          Kind::convert(in[g * job.stepStride + lane], flip);
}

/// Packs operands whose k is adjacent in memory, without conversion: one word
/// is one group.
template <typename Kind>
static void packAlong(const PanelJob &job, void *panel) {
  constexpr int64_t kSize = sizeof(typename Kind::In);
  transposeWords({static_cast<const char *>(job.source), job.laneStride * kSize,
                  job.lanes, job.width, job.k * kSize,
                  static_cast<uint8_t>(job.flip ? 0x80 : 0)},
                 job.width, static_cast<uint32_t *>(panel));
}

/// Packs operands whose k is adjacent in memory, with conversion: chunks of
/// rows are widened into a buffer in the L1 cache, then transposed.
template <typename Kind>
static ASSAY_INLINE void packAlongWidening(const PanelJob &job, void *panel) {
  using Out = typename Kind::Out;
  constexpr int kLanes = 16;
  constexpr int64_t kChunk = 256; // bytes
  constexpr int64_t kElements = kChunk / int64_t(sizeof(Out));
  alignas(64) Out rows[kLanes][kElements];
  const auto *source = static_cast<const typename Kind::In *>(job.source);
  for (int64_t first = 0; first < job.k; first += kElements) {
    int64_t count = std::min(kElements, job.k - first);
    for (int lane = 0; lane < job.width; lane += kLanes) {
      int valid = std::clamp(job.lanes - lane, 0, kLanes);
      for (int i = 0; i < valid; ++i) {
        const auto *from = source + (lane + i) * job.laneStride + first;
        for (int64_t p = 0; p < count; ++p)
          rows[i][p] = Kind::convert(from[p], 0);
      }
      auto *out = static_cast<uint32_t *>(panel) +
                  first * int64_t(sizeof(Out)) / 4 * job.width + lane;
      transposeWords({reinterpret_cast<const char *>(rows), kChunk, valid,
                      std::min(kLanes, job.width - lane),
                      count * int64_t(sizeof(Out)), 0},
                     job.width, out);
    }
  }
}

/// Packs f64 operands whose k is adjacent: 4 x 4 words of 8 bytes.
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
    packAlongWidening<Kind>(job, panel);
  else
    packAlong<Kind>(job, panel);
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

/// Packs rows of 64 bytes along k, zero-padded; the width is the number of
/// rows. Reads one row after the other, in the order of memory.
static void packTileRows(const PanelJob &job, int64_t elementBytes,
                         char *panel) {
  int64_t perRow = 64 / elementBytes, steps = (job.k + perRow - 1) / perRow,
          apart = int64_t(job.width) * 64;
  for (int lane = 0; lane < job.width; ++lane) {
    const char *from = static_cast<const char *>(job.source) +
                       lane * job.laneStride * elementBytes;
    char *to = panel + int64_t(lane) * 64;
    int64_t whole =
        lane < job.lanes && job.stepStride == 1 ? job.k / perRow : 0;
    for (int64_t step = 0; step < whole; ++step)
      std::memcpy(to + step * apart, from + step * 64, 64);
    for (int64_t step = whole; step < steps; ++step) {
      char *line = to + step * apart;
      std::memset(line, 0, 64);
      int64_t first = step * perRow;
      int64_t count = lane < job.lanes ? std::min(perRow, job.k - first) : 0;
      if (job.stepStride == 1 && count > 0)
        std::memcpy(line, from + first * elementBytes,
                    static_cast<size_t>(count * elementBytes));
      else
        for (int64_t p = 0; p < count; ++p)
          std::memcpy(line + p * elementBytes,
                      from + (first + p) * job.stepStride * elementBytes,
                      static_cast<size_t>(elementBytes));
    }
  }
}

/// The same if rows are adjacent: for each 64 bytes along k, collects the words
/// of all rows as in a panel of B, then transposes them.
static void packTileColumns(const PanelJob &job, MicroMath math, char *panel) {
  constexpr int kWords = 16, kMostRows = 64;
  alignas(64) uint32_t words[kWords * kMostRows];
  int64_t size = packedBytesOf(math), perRow = 64 / size,
          rowBytes = int64_t(job.width) * 4;
  PanelJob part = job;
  part.tileRows = false;
  for (int64_t first = 0; first < job.k; first += perRow) {
    part.k = std::min(perRow, job.k - first);
    part.source = static_cast<const char *>(job.source) +
                  first * job.stepStride * size;
    packPanel(part, math, words);
    transposeWords({reinterpret_cast<const char *>(words), rowBytes, kWords,
                    kWords, rowBytes, 0},
                   kWords, reinterpret_cast<uint32_t *>(panel));
    panel += int64_t(job.width) * 64;
  }
}

void packPanel(const PanelJob &job, MicroMath math, void *panel) {
  if (job.tileRows && job.laneStride == 1 && job.stepStride != 1)
    return packTileColumns(job, math, static_cast<char *>(panel));
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
