/// What the code generator makes: the innermost loop over k for one block of C,
/// described by a small key.
#pragma once

#include "assay/kernels/Config.h"
#include "assay/kernels/Machine.h"

#include <string>

namespace assay::kernels {

/// How one step along k is computed.
///   F32, F64     one multiply-add per element
///   BF16Pairs    two bfloat16 products added to an f32 sum (dpbf16ps)
///   ByteQuads    four u8 x s8 products added to an s32 sum (vpdpbusd)
///   ShortPairs   two 16-bit products added to an s32 sum (pmaddwd; bytes are
///                widened first, so nothing saturates)
///   AmxBf16, AmxBytes  a tile register of A (16 rows of 64 bytes along k)
///                times one of B, into 16 x 16 sums
enum class MicroMath : uint8_t {
  F32,
  F64,
  BF16Pairs,
  ByteQuads,
  ShortPairs,
  AmxBf16,
  AmxBytes
};
/// The elements along k of one step, and the bytes of one of them in a packed
/// panel.
int groupOf(MicroMath math);
int packedBytesOf(MicroMath math);
DataType accumulatorOf(MicroMath math);
inline bool isAmx(MicroMath math) {
  return math == MicroMath::AmxBf16 || math == MicroMath::AmxBytes;
}
/// The number to whose multiple a packed panel is padded along k: the group, or
/// the elements of 64 bytes for tile registers.
int depthMultipleOf(MicroMath math);
/// The cycles of one vector instruction of that math when the units are kept
/// busy (for the cost model): half a cycle, but bfloat16 products take longer
/// on the processors that have them.
double cyclesPerProduct(MicroMath math);
/// The vector math for a type pair on a machine, and the math of a
/// configuration's family.
MicroMath mathFor(TypePair types, const Isa &isa);
MicroMath mathOf(const GemmConfig &config, TypePair types, const Isa &isa);

enum class MicroForm : uint8_t { Tile, Dot, Depthwise };
/// Where the register tile finds element (i, p) of A.
///   Packed       panel [k / group][rows][group]
///   RowMajor     rows apart by a stride, consecutive k adjacent
///   ColumnMajor  rows adjacent, consecutive k apart by a stride
///   Windows      RowMajor at each of `tapCount` places one after the other; k
///                counts the steps of one place
///   ColumnWindows  ColumnMajor at each of them
enum class AForm : uint8_t {
  Packed,
  RowMajor,
  ColumnMajor,
  Windows,
  ColumnWindows
};
inline bool isOfWindows(AForm form) {
  return form == AForm::Windows || form == AForm::ColumnWindows;
}
inline bool isColumnMajor(AForm form) {
  return form == AForm::ColumnMajor || form == AForm::ColumnWindows;
}

/// One micro-kernel. For Tile, `columns` counts vectors along n; for Dot it
/// counts rows of the transposed B. For Depthwise, `rows` counts positions,
/// `columns` vectors of channels, `unroll` entries of the table between
/// positions; with bMasked only the first n channels of one vector are
/// accessed. Its taps form runs of `run` taps, with `apart` entries from one to
/// the next. Each channel is a sum over the `inputs` channels of its group (a
/// power of two that divides a vector), or the product with the `only` one of
/// them.
struct MicroKey {
  MicroForm form = MicroForm::Tile;
  MicroMath math = MicroMath::F32;
  int rows = 1, columns = 1;
  int unroll = 1; ///< steps in one iteration of the main loop
  Pipeline pipeline = Pipeline::Plain;
  /// With Pipeline::Prefetch: the distance in steps. If negative: the number of
  /// cache lines of the next block of B that an iteration prefetches, which is
  /// MicroArguments::bStride after B.
  int prefetch = 0;
  AForm aForm = AForm::Packed;
  bool bPacked = true;
  /// Tile with unpacked B: only the first n columns are read.
  bool bMasked = false;
  int run = 1, apart = 1, inputs = 1, only = -1; ///< Depthwise
  /// ByteQuads: B holds the unsigned factor; and A is xor-ed with 0x80 as it is
  /// read (s8 x s8 and u8 x u8).
  bool bUnsigned = false, flipA = false;
  /// Dot: the types in memory (widened on load if the math requires it).
  DataType aType = DataType::F32, bType = DataType::F32;
  /// The type that sums are rounded to, to nearest even, as they are stored.
  /// Depthwise: the type of C. Tile: BF16 or F16, for sums in f32; else C has
  /// the sums' type.
  DataType cType = DataType::F32;
  bool tileRounds() const {
    return cType == DataType::BF16 || cType == DataType::F16;
  }

  /// A symbol name that identifies the kernel: equal keys have equal texts.
  std::string text() const;
};

/// The arguments of a micro-kernel. Strides in bytes.
///   Tile  C[i,j] = alpha * (init[j] + sum_p A[i,p] * B[p,j]) + beta * C[i,j],
///         i < rows, j < n <= columns * lanes; a kernel that rounds reads
///         `sums` in place of C
///   Dot   C[i,j] = alpha * sum_p A[i,p] * B[j,p] + beta * C[i,j], j < columns
///   Depthwise  C[i,j] = sum_p,r,g X[p,r,i][j - j % inputs + g] *
///         B[(p * run + r) * inputs + g, j], where `a` is a table of addresses and
///         X[p,r,i] the one at byte taps[p] + 8 * (apart * r + unroll * i) of it,
///         plus `channel` bytes; k runs, k > 0. With `only`, g has that value
///         and B has one row for each p, r
/// Tile reads whole vectors of B; `k` counts groups for Tile and elements for
/// Dot. alpha and beta are in the accumulator's type (s32: alpha is 1, beta 0
/// or 1). beta == 0 never reads C or sums.
struct MicroArguments {
  int64_t k = 0;
  const void *a = nullptr;
  int64_t aStride = 0; ///< RowMajor, Windows and Dot: bytes between rows;
                       ///< ColumnMajor and ColumnWindows: bytes between steps
                       ///< of k
  const void *b = nullptr;
  int64_t bStride = 0; ///< Tile with unpacked B: bytes between steps of k; with
                       ///< a negative `prefetch`: bytes to the data to
                       ///< prefetch; Dot: bytes between rows of the transposed
                       ///< B
  void *c = nullptr;
  int64_t cRow = 0;
  int64_t cColumn = 0; ///< Dot only: bytes between columns
  int64_t n = 0;
  const int32_t *init = nullptr; ///< with flipA: one per column, whole vectors
  union Scalar {
    float f32;
    double f64;
    int32_t s32;
    uint64_t bits;
  } alpha = {.bits = 0}, beta = {.bits = 0};
  /// Tile: not 0 when stores of C may bypass the caches (each row of C begins
  /// on a 64-byte line and is not read soon). Whole tiles with beta 0 then do
  /// so.
  int64_t stream = 0;
  /// Depthwise: see above. Forms of windows: bytes from `a` to each place.
  const int64_t *taps = nullptr;
  int64_t channel = 0;
  /// Tile registers: the number of consecutive blocks, and the bytes from each
  /// to the next in A, B and C. They are set up once for all.
  int64_t repeat = 1, aStep = 0, bStep = 0, cStep = 0;
  int64_t tapCount = 1; ///< forms of windows: the number of places, at least
                        ///< one
  const void *sums = nullptr; ///< Tile that rounds: whole vectors of sums for each row
  int64_t sumsRow = 0;
};

/// Whether kernels can round sums in f32 to this type as they store them: bf16
/// by integer arithmetic, f16 where the processor has an instruction.
inline bool canRoundTo(DataType type, const Isa &isa) {
  return type == DataType::BF16 || (type == DataType::F16 && isa.fma);
}

using MicroFunction = void (*)(const MicroArguments *);

/// The iterations of a register tile's loop that prefetch together, and the
/// bytes that a tile with a negative `prefetch` prefetches.
/// Units: k in groups; lines of 64 bytes per iteration
inline constexpr int kBodiesAtOnce = 4;
inline int64_t bytesAsked(int64_t k, int unroll, int64_t lines) {
  return k / unroll / kBodiesAtOnce * kBodiesAtOnce * lines * 64;
}

/// Sets alpha and beta in the accumulator's type.
void setScalars(MicroArguments &arguments, DataType accumulator, double alpha,
                double beta);

} // namespace assay::kernels
