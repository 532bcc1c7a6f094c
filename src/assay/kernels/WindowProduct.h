/// Products of windows with a filter, for images whose channels are contiguous:
/// the parts of a convolution. Windows are read in place in a padded piece of
/// the image, so that nothing is gathered. The caller gives the places of a
/// window's taps, so that one code serves any stride, dilation, group and phase
/// of a gradient.
#pragma once

#include "assay/kernels/Machine.h"
#include "assay/kernels/jit/Jit.h"

#include <vector>

namespace assay::kernels {

/// The properties by which a kernel is chosen.
struct WindowProblem {
  TypePair types;        ///< of image and filter
  int64_t columns = 1;   ///< of the filter: output channels
  int64_t pieces = 1;    ///< adjacent runs of channels in a tap
  int64_t channels = 1;  ///< in a run
  int64_t positions = 1; ///< in a line
  int64_t lines = 1;     ///< the most lines in one call of run()
  int64_t taps = 1;      ///< in a window
  /// The type of the result, to which kernels that can (WindowProduct::rounds)
  /// round the sums; nullopt: the type of the sums.
  std::optional<DataType> output = std::nullopt;
  /// Whether runs are adjacent in the image, without padding. Kernels then read
  /// more elements after a tap, up to a full group, and multiply them by zero,
  /// which makes NaN of an element that is not finite.
  bool dense = false;
};

/// A choice that may differ from the rule's; 0: as the rule chooses.
struct WindowChoice {
  int64_t vectors = 0;     ///< of columns in the register block
  int64_t positions = 0;   ///< at most this many in the block, divided evenly
  int64_t filterBytes = 0; ///< of a chunk of the filter
};

/// The kernel for the windows of a problem: tile registers if they are filled
/// well enough, else vectors.
MicroMath windowMath(const WindowProblem &problem, const Isa &isa);

/// Sums in registers: positions by vectors of columns.
struct WindowBlock {
  int64_t rows = 1, vectors = 1;
  int64_t sums() const { return rows * vectors; }
};
/// The block of a choice, or the rule's, with lines divided into blocks of
/// equal height; nullopt if the registers cannot hold it.
std::optional<WindowBlock> windowBlock(const WindowProblem &problem,
                                       const Isa &isa,
                                       const WindowChoice &choice = {});

/// The layout of the filter before it is packed. Element (tap t, run r, channel c,
/// column j) is at starts[t * pieces + r] + c * channelStride + j * columnStride.
/// Units: elements
struct WindowFilter {
  const void *source = nullptr;
  llvm::ArrayRef<int64_t> starts;
  int64_t channelStride = 1, columnStride = 1;
};

/// Lines of positions; each position is one step further along the image.
/// Formula:  out[p, j] = sum over taps t, elements c of the tap (both ascending)
///           of image(p, t)[c] * filter[t, c, j]
/// Units:    bytes; image elements are `WindowProduct::imageBytes()` each
struct WindowLines {
  /// At most the problem's number. Fewer positions must leave no ragged block,
  /// or end where the problem's lines end.
  int64_t positions = 0;
  llvm::ArrayRef<const std::byte *> images; ///< each line's first window
  llvm::ArrayRef<std::byte *> outs;         ///< each line's first result
  int64_t imageStep = 0, outStep = 0;       ///< between positions
  llvm::ArrayRef<int64_t> taps;             ///< from a window's beginning
  const std::byte *filter = nullptr;        ///< the panels that pack() wrote
  std::byte *sums = nullptr; ///< memory of WindowProduct::sumsBytes(), if that
                             ///< is not 0
  /// The distance from the image of a panel to that of the next one, if each
  /// panel is a product with its own filter.
  int64_t panelStep = 0;
};

/// A register block of positions x vectors of columns, compiled and checked.
/// Immutable. Threads: re-entrant.
class WindowProduct {
public:
  /// Why these types have no kernel, or nullopt.
  static std::optional<Refusal> supports(TypePair types);
  /// Errors: Unsupported (see supports); those of Jit::get.
  static llvm::Expected<WindowProduct> prepare(const WindowProblem &problem,
                                               const Machine &machine, Jit &jit,
                                               const WindowChoice &choice = {});

  MicroMath math() const { return math_; }
  /// The form in which the kernel reads the image: elements of this many bytes,
  /// the channels of a run padded with zeros to this number (except in a dense
  /// problem). The type of the sums determines how elements are widened
  /// (ShortPairs: to 16 bits).
  int64_t imageBytes() const { return packedBytesOf(math_); }
  int64_t runElements() const {
    return problem_.dense
               ? problem_.channels
               : (problem_.channels + group_ - 1) / group_ * group_;
  }

  /// Whether results have the problem's output type; otherwise they have that
  /// of the sums.
  bool rounds() const { return rounds_; }
  int64_t outBytes() const;
  /// The memory that run() needs beside the results, for this many positions in
  /// all lines: the sums of a panel that is multiplied in several chunks.
  int64_t sumsBytes(int64_t positions) const;

  int64_t blockPositions() const { return rows_; }
  int64_t panelColumns() const { return width_; }
  int64_t panels() const; ///< of the filter; the unit of pack() and run()
  /// Bytes of all panels of a filter with this many taps.
  int64_t packedBytes(int64_t taps) const;
  /// Writes one panel to its place in `packed`, which is 64-byte aligned. False
  /// when it contains a number that is not finite.
  bool pack(const WindowFilter &filter, int64_t panel, std::byte *packed) const;
  /// Computes the columns of panels [begin, end) at all positions and
  /// overwrites the sums; does nothing if there are no lines.
  void run(const WindowLines &lines, int64_t begin, int64_t end) const;

private:
  struct Chunk; // a part of the filter's depth that the first-level cache holds
  Chunk chunkAt(int64_t taps, int64_t index) const;
  int64_t chunks(int64_t taps) const;
  int64_t panelBytes(int64_t taps) const;
  const void *gatherTap(const WindowFilter &filter, int64_t tap, int64_t column,
                        int64_t lanes, std::vector<std::byte> &memory) const;
  int64_t filterSumsBytes(int64_t taps) const;
  llvm::Error compile(MicroKey key, Jit &jit);
  struct Place;
  Place placeOf(const WindowLines &lines, size_t line, int64_t panel,
                bool last) const;
  void multiply(const WindowLines &lines, int64_t panel, int64_t index,
                MicroArguments &arguments, const std::byte *next,
                int64_t nextBytes) const;

  WindowProblem problem_;
  MicroMath math_ = MicroMath::F32;
  /// The functions for a block of positions and for the last block of a line.
  /// Those that round are for a panel's last chunk.
  struct Functions {
    MicroFunction whole = nullptr, ragged = nullptr;
  };
  Functions wide_, rounding_;
  bool rounds_ = false;
  int64_t group_ = 1, rows_ = 1, width_ = 1; ///< of the register block
  int64_t depth_ = 1;                        ///< elements of a tap
  int64_t together_ = 1, parts_ = 1; ///< taps of a chunk; chunks of a tap
  int64_t linesAsked() const;
  int64_t linesABody_ = 0; ///< lines of the next chunk that the kernel
                           ///< prefetches
  bool flips_ = false; ///< the kernel needs sums of the filter
};

} // namespace assay::kernels
