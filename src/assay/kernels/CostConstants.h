/// The analytic model's assumptions about a core that has not been measured
/// (TileSpeeds.h), in one place. Source: fitted on a Sapphire Rapids core.
/// `./dev bench gemm --constants` measures each of them on the current machine,
/// and docs/kernels.md lists the figures of several machines next to these.
#pragma once

namespace assay::kernels::cost {

/// Cycles per nanosecond, sustained under vector code.
constexpr double kGhz = 3.0;
/// Bytes per nanosecond that one core reads from memory, and from its own
/// second level.
constexpr double kBytesPerNs = 22.0, kL2BytesPerNs = 60.0;
/// Bytes read and written per nanosecond by a copy into panels: rows that
/// become columns (16 at a time), and rows that stay rows.
constexpr double kPackAlongBytesPerNs = 32.0, kPackAcrossBytesPerNs = 40.0;
/// Bytes per nanosecond of lines of C that are read before they are
/// overwritten.
constexpr double kOwnBytesPerNs = 12.0;
/// Bytes per nanosecond of adding sums in a buffer; nanoseconds per element of
/// an epilogue in the tile's own store.
constexpr double kSumBytesPerNs = 10.0, kEpilogueNs = 0.3;

/// Cycles between dependent multiply-adds.
constexpr double kProductLatency = 4;
/// Cycles per vector that prefetching adds to a step.
constexpr double kPrefetchCycles = 0.25;

/// Blocks of dot products. Cycles per load of a vector: more than half of one,
/// since rows are not aligned and vectors straddle lines. Cycles per iteration
/// of the loop over k. Nanoseconds that a row or a column from beyond the
/// second level needs to restart its stream after each block of k. Source:
/// measured kernels of 702 problems on a Sapphire Rapids core and 78 on a Zen 1
/// core (23 November 2026). The picks had 93.6 and 96.0 % of the best measured
/// speed, and 93.1 and 93.1 % with the values half a cycle, 0 and 0. Blocks of
/// 512 along k cost 1.2 to 1.8 times as much on the latter, 1.1 to 1.2 times on
/// the former.
/// 512 along k cost 1.2 to 1.8 times on the latter, 1.1 to 1.2 on the former.
constexpr double kDotLoadCycles = 0.65, kDotLoopCycles = 1, kFlowNs = 80;
/// The factor by which a tile is slower on B read in place, once its lines are
/// reused: for rows of B less than 2 KiB apart, up to 3 KiB, further, and a
/// multiple of 4 KiB apart (which share a set of the first level).
constexpr double kNearB = 1.05, kApartB = 1.3, kFarB = 2.2, kAliasedB = 3.5;
/// The same for more than eight rows of A that are a multiple of 4 KiB apart.
constexpr double kAliasedA = 1.25;
/// Cycles that a call of a tile takes longer if A is packed, and if the loop
/// over k is pipelined; visible when k is short. Source: 1024 x 8192 x 32 in
/// f32 on AVX2 (6.2 ms, 7.1 packed, 7.2 pipelined), Sapphire Rapids class,
/// 2026-11.
constexpr double kPackedStartCycles = 30, kPipelinedStartCycles = 35;
/// Strips of C of this many bytes cost about twice as much as wide ones. Source:
/// 512 x 7168 x 256 in bf16 on tile registers, strips of 512 and 2048 bytes
/// (1.11x to 1.22x), Sapphire Rapids class, 2026-11.
constexpr double kNarrowStripBytes = 256;
/// Bytes per nanosecond of C, for each row of a tile beyond the number that the
/// first level can hold when rows are a multiple of 4 KiB apart. Source: 128 x
/// 2048 x 1 in f32 (tiles of 6, 12, 14 rows: 21, 27 to 30, 33 us), Sapphire
/// Rapids class, 2026-11.
constexpr double kAliasedCBytesPerNs = 660;
/// The factor by which a tile is slower when its block exceeds the second
/// level, and when its panel exceeds the first.
constexpr double kBlockBeyondL2 = 2.0, kPanelBeyondL1 = 1.3;

/// Nanoseconds for a call, for waking threads for a grid, for each task of it,
/// and for threads that share rows without a grid.
constexpr double kTileLaunchNs = 60, kGridLaunchNs = 1500, kTaskNs = 40,
                 kRowsLaunchNs = 2500;

} // namespace assay::kernels::cost
