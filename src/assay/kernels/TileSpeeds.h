/// How fast this machine runs each register tile, packs, and reads: measured
/// once (`assay doctor --measure`), kept per user or shipped for a class of
/// machines, and used by the analytic model instead of its constants.
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
  /// Nanoseconds of one step along k of a whole tile, operands in the first
  /// level.
  std::map<TileShape, double> stepNs;
  /// Bytes a nanosecond that one core reads from beyond its second level (16 MiB:
  /// what operands of some thousand rows take) and from it; read and written by
  /// copies into panels (CostConstants.h).
  double beyond = 0, l2 = 0, packAlong = 0, packAcross = 0;
  /// Cycles a nanosecond, a cycle being two products of vectors: by the best f32
  /// tile.
  double ghz = 0;

  /// 0 where the shape was not measured.
  double stepOf(TileShape shape) const;
};

/// Those of speedsInUse(), read at the first call; null if there are none or
/// the file is damaged. Threads: any.
const TileSpeeds *measuredSpeeds(const Machine &machine);

/// Cycles a nanosecond, and bytes a nanosecond of the second level: measured,
/// else assumed.
double clockGhz(const Machine &machine);
double l2BytesPerNs(const Machine &machine);

/// Where the speeds are kept: XDG_DATA_HOME (else ~/.local/share), one file for each
/// instruction set and processor; empty without a home.
std::string speedsPath(const Machine &machine);
/// speedsPath() where that file is; else those that were measured on another
/// machine of the class, `speeds/PROCESSOR-ISA.json` in one of the model folders
/// (LLVM's name of the processor); else empty.
std::string speedsInUse(const Machine &machine);

/// Measures every register tile that the registry offers for f32, f64, bf16, s8
/// and u8s8, on one thread; the best of several repetitions, so that other work
/// on the machine matters little. Some seconds. Errors: those of the compiler
llvm::Expected<TileSpeeds> measureSpeeds(Registry &registry);

/// Errors: InvalidArgument (cannot be written)
llvm::Error saveSpeeds(const TileSpeeds &speeds, const std::string &path);
/// Errors: NotFound, DataLoss
llvm::Expected<TileSpeeds> loadSpeeds(const std::string &path);

} // namespace assay::kernels
