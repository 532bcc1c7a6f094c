/// What the analytic model assumes about a core that has not been measured
/// (TileSpeeds.h), in one place. Source: fitted on a Sapphire Rapids core;
/// `./dev bench gemm --constants` measures each on the machine at hand, and
/// docs/kernels.md shows the figures of several machines beside these.
#pragma once

namespace assay::kernels::cost {

/// Cycles a nanosecond; sustained under vector code.
constexpr double kGhz = 3.0;
/// Bytes a nanosecond that one core reads from memory, and from its own second
/// level.
constexpr double kBytesPerNs = 22.0, kL2BytesPerNs = 60.0;
/// Bytes read and written a nanosecond by a copy into panels: rows that become
/// columns (16 at a time), and rows that stay rows.
constexpr double kPackAlongBytesPerNs = 32.0, kPackAcrossBytesPerNs = 40.0;
/// Bytes a nanosecond of lines of C that are read before they are overwritten.
constexpr double kOwnBytesPerNs = 12.0;
/// Bytes a nanosecond of adding up sums in a buffer; nanoseconds an element of
/// an epilogue in the tile's own store.
constexpr double kSumBytesPerNs = 10.0, kEpilogueNs = 0.3;

/// Cycles between dependent multiply-adds.
constexpr double kProductLatency = 4;
/// Cycles a vector that prefetching costs a step.
constexpr double kPrefetchCycles = 0.25;

/// Blocks of dot products. Cycles a load of a vector, more than half of one since
/// rows are not aligned and vectors straddle lines; cycles an iteration of the loop
/// over k; nanoseconds until a row or a column that comes from beyond the second level
/// flows again after each block of k. Source: measured kernels of 702 problems on a
/// Sapphire Rapids core and 78 on a Zen 1 core (23 November 2026): the picks had 93.6
/// and 96.0 % of the best measured (half a cycle, 0 and 0: 93.1 and 93.1 %). Blocks of
/// 512 along k cost 1.2 to 1.8 times on the latter, 1.1 to 1.2 on the former.
constexpr double kDotLoadCycles = 0.65, kDotLoopCycles = 1, kFlowNs = 80;
/// How much longer a tile takes on B read in place, once its lines are
/// reused: rows of B less than 2 KiB apart, up to 3 KiB, further, and a multiple
/// of 4 KiB apart (which share a set of the first level).
constexpr double kNearB = 1.05, kApartB = 1.3, kFarB = 2.2, kAliasedB = 3.5;
/// The same for more than eight rows of A a multiple of 4 KiB apart.
constexpr double kAliasedA = 1.25;
/// Cycles a call of a tile takes more where A is packed, and where the loop over k
/// is pipelined: what short k shows. Source: 1024 x 8192 x 32 in f32 on AVX2
/// (6.2 ms, 7.1 packed, 7.2 pipelined), Sapphire Rapids class, 2026-11.
constexpr double kPackedStartCycles = 30, kPipelinedStartCycles = 35;
/// Strips of C of this many bytes cost as much again as wide ones. Source: 512 x
/// 7168 x 256 in bf16 on tile registers, strips of 512 and 2048 bytes (1.11x to
/// 1.22x), Sapphire Rapids class, 2026-11.
constexpr double kNarrowStripBytes = 256;
/// Bytes a nanosecond of C for each row of a tile beyond what the first level
/// keeps of rows a multiple of 4 KiB apart. Source: 128 x 2048 x 1 in f32 (tiles
/// of 6, 12, 14 rows: 21, 27 to 30, 33 us), Sapphire Rapids class, 2026-11.
constexpr double kAliasedCBytesPerNs = 660;
/// How much longer a tile takes when its block outgrows the second level, and
/// when its panel outgrows the first.
constexpr double kBlockBeyondL2 = 2.0, kPanelBeyondL1 = 1.3;

/// Nanoseconds of a call, of waking threads for a grid, of each task of it, and
/// of threads that share rows without a grid.
constexpr double kTileLaunchNs = 60, kGridLaunchNs = 1500, kTaskNs = 40,
                 kRowsLaunchNs = 2500;

} // namespace assay::kernels::cost
