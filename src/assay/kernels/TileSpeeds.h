/// How fast this machine runs each register tile, packs, and reads. The speeds
/// are measured once (`assay doctor --measure`), stored per user or shipped for
/// a class of machines, and replace the constants of the analytic model.
#pragma once

#include "assay/kernels/Config.h"
#include "assay/kernels/Registry.h"
#include "assay/kernels/jit/MicroKernel.h"

#include <map>
#include <tuple>

namespace assay::kernels {

/// The key of a register tile: the math, rows, vectors along n, and
/// whether A is a packed panel.
using TileShape = std::tuple<MicroMath, int, int, bool>;

struct TileSpeeds {
  /// The nanoseconds of one step along k of a whole tile, with operands in the
  /// first level.
  std::map<TileShape, double> stepNs;
  /// Bytes per nanosecond that one core reads from beyond its second level (16
  /// MiB, the size of operands with a few thousand rows) and from that level;
  /// bytes read and written by copies into panels (CostConstants.h).
  double beyond = 0, l2 = 0, packAlong = 0, packAcross = 0;
  /// Cycles per nanosecond, where a cycle is two vector products, by the best
  /// f32 tile.
  double ghz = 0;

  /// 0 where the shape was not measured.
  double stepOf(TileShape shape) const;
};

/// The speeds of speedsInUse(), read at the first call; null if there are none
/// or the file is damaged. Threads: any.
const TileSpeeds *measuredSpeeds(const Machine &machine);

/// Cycles per nanosecond, and bytes per nanosecond from the second level:
/// measured, else assumed.
double clockGhz(const Machine &machine);
double l2BytesPerNs(const Machine &machine);

/// The file for this machine's speeds, in XDG_DATA_HOME (else ~/.local/share),
/// one for each instruction set and processor; empty without a home.
std::string speedsPath(const Machine &machine);
/// speedsPath() if that file exists; else the speeds measured on another
/// machine of the class, `speeds/PROCESSOR-ISA.json` in one of the model
/// folders (with LLVM's name of the processor); else empty.
std::string speedsInUse(const Machine &machine);

/// Measures every register tile that the registry offers for f32, f64, bf16, s8
/// and u8s8, on one thread; takes the best of several repetitions, so that
/// other work on the machine matters little. Takes some seconds. Errors: those
/// of the compiler
llvm::Expected<TileSpeeds> measureSpeeds(Registry &registry);

/// Errors: InvalidArgument (cannot be written)
llvm::Error saveSpeeds(const TileSpeeds &speeds, const std::string &path);
/// Errors: NotFound, DataLoss
llvm::Expected<TileSpeeds> loadSpeeds(const std::string &path);

} // namespace assay::kernels
