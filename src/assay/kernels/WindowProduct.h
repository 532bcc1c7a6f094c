/// Products of windows with a filter, for images whose channels are
/// contiguous: the parts of a convolution of them. Windows are read in place
/// in a padded piece of the image, so that nothing is gathered; the caller
/// says where the taps of a window are, so that any stride, dilation, group and
/// phase of a gradient is the same code here.
#pragma once

#include "assay/kernels/Machine.h"
#include "assay/kernels/jit/Jit.h"

#include <vector>

namespace assay::kernels {

/// The properties that a kernel is chosen by.
struct WindowProblem {
  TypePair types;        ///< of image and filter
  int64_t columns = 1;   ///< of the filter: output channels
  int64_t pieces = 1;    ///< runs of channels that follow each other in a tap
  int64_t channels = 1;  ///< of a run
  int64_t positions = 1; ///< of a line
  int64_t lines = 1;     ///< that run() gets together, at most
  int64_t taps = 1;      ///< of a window
  /// The type of the result: what the sums are rounded to by kernels that can
  /// (WindowProduct::rounds); nothing: it has the sums' type.
  std::optional<DataType> output = std::nullopt;
  /// Runs are adjacent in the image, none is filled up: kernels read as many
  /// elements after a tap as fill its last group, and multiply them by zero, which
  /// makes NaN of one that is not finite.
  bool dense = false;
};

/// Choices that may differ from the rule; 0: by the rule.
struct WindowChoice {
  int64_t vectors = 0;     ///< of columns in the register block
  int64_t positions = 0;   ///< at most this many in the block, cut evenly
  int64_t filterBytes = 0; ///< of a chunk of the filter
};

/// The kernel for windows of a problem: tile registers where they are filled well
/// enough, else vectors.
MicroMath windowMath(const WindowProblem &problem, const Isa &isa);

/// Sums in registers: positions by vectors of columns.
struct WindowBlock {
  int64_t rows = 1, vectors = 1;
  int64_t sums() const { return rows * vectors; }
};
/// The block of a choice, or the rule's, with lines cut into blocks of equal
/// height; nullopt where registers do not hold it.
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

/// Lines of positions, each a step further along the image than the one before.
/// Formula:  out[p, j] = sum over taps t, elements c of the tap (both ascending)
///           of image(p, t)[c] * filter[t, c, j]
/// Units:    bytes; image elements are `WindowProduct::imageBytes()` each
struct WindowLines {
  /// At most the problem's; fewer must leave no ragged block, or end where the
  /// problem's lines do.
  int64_t positions = 0;
  llvm::ArrayRef<const std::byte *> images; ///< a line's first window
  llvm::ArrayRef<std::byte *> outs;         ///< and its first result
  int64_t imageStep = 0, outStep = 0;       ///< between positions
  llvm::ArrayRef<int64_t> taps;             ///< from a window's beginning
  const std::byte *filter = nullptr;        ///< the panels that pack() wrote
  std::byte *sums = nullptr; ///< WindowProduct::sumsBytes(), where that is not 0
  /// From the images of a panel to those of the next: each panel is a product with its own
  /// filter.
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
  /// What the kernel reads of the image: elements of this many bytes, the
  /// channels of a run filled up with zeros to this number (a dense problem's are
  /// not). The type of the sums says how they are widened (ShortPairs: to 16 bits).
  int64_t imageBytes() const { return packedBytesOf(math_); }
  int64_t runElements() const {
    return problem_.dense
               ? problem_.channels
               : (problem_.channels + group_ - 1) / group_ * group_;
  }

  /// Results have the problem's output type; else that of the sums.
  bool rounds() const { return rounds_; }
  int64_t outBytes() const;
  /// What run() needs beside the results, for this many positions in all lines: sums of
  /// a panel that is not multiplied in one go.
  int64_t sumsBytes(int64_t positions) const;

  int64_t blockPositions() const { return rows_; }
  int64_t panelColumns() const { return width_; }
  int64_t panels() const; ///< of the filter: what pack() and run() count
  /// Bytes of all panels of a filter with this many taps.
  int64_t packedBytes(int64_t taps) const;
  /// Writes one panel to its place in `packed`, which is 64-byte aligned. False
  /// when it holds a number that is not finite.
  bool pack(const WindowFilter &filter, int64_t panel, std::byte *packed) const;
  /// Columns of panels [begin, end) of all positions, sums overwritten; nothing
  /// if there are no lines.
  void run(const WindowLines &lines, int64_t begin, int64_t end) const;

private:
  struct Chunk; // of the filter's depth: what the first-level cache holds
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
  /// Functions for a block of positions and for the last one of a line; those that
  /// round are for a panel's last chunk.
  struct Functions {
    MicroFunction whole = nullptr, ragged = nullptr;
  };
  Functions wide_, rounding_;
  bool rounds_ = false;
  int64_t group_ = 1, rows_ = 1, width_ = 1; ///< of the register block
  int64_t depth_ = 1;                        ///< elements of a tap
  int64_t together_ = 1, parts_ = 1; ///< taps of a chunk; chunks of a tap
  int64_t linesAsked() const;
  int64_t linesABody_ = 0; ///< of the next chunk, which the kernel asks for
  bool flips_ = false; ///< the kernel wants sums of the filter
};

} // namespace assay::kernels
