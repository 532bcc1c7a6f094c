/// A kernel's configuration as data: everything that distinguishes two ways of
/// computing the same product. Its name can be parsed, so that logs, data sets
/// and models can refer to kernels by text.
#pragma once

#include "assay/kernels/Problem.h"

#include <cstdint>
#include <string>

namespace assay::kernels {

/// The kind of loop nest that computes the product; a row of Families.def each.
///   Tile   register tile of mr x nr sums, vectors along n, five blocked loops
///   Dot    mr x nr dot products, vectors along k, nothing packed: few rows,
///          both operands contiguous in k
///   Gemv   one row times a row-major matrix, rows of B added up in L1
///   Tiny   the register tile directly on the operands: no blocks, no threads
enum class Family : uint8_t {
#define ASSAY_FAMILY(id, name, description) id,
#include "assay/kernels/Families.def"
#undef ASSAY_FAMILY
};
const char *toString(Family family);
const char *describe(Family family);

enum class Packing : uint8_t { None, Pack };
/// The two outermost loops: which operand's block stays in the L2 cache.
///   NKM   columns, depth, rows: a block of A (mc x kc) in L2, a panel of B
///         (kc x nc) in L3
///   MKN   rows, depth, columns: B (kc x nc) in L2, A (mc x kc) in L3
enum class LoopOrder : uint8_t { NKM, MKN };
/// The order of loads in the register tile's loop over k.
///   Plain       load, then multiply
///   Pipelined   B's vectors of the next step are loaded before the products
///   Prefetch    plain, and the cache lines that are read `prefetch` steps of k
///               later are prefetched
enum class Pipeline : uint8_t { Plain, Pipelined, Prefetch };
/// How the ragged bottom and right of C are computed.
///   Exact    a register tile of exactly the remaining rows, columns masked
///   Padded   the full tile on zero-padded panels, into a buffer, whose valid
///            part is copied
enum class Edge : uint8_t { Exact, Padded };
/// When bias, activation and rounding are applied: per cache block, or in a
/// separate pass over C.
enum class EpilogueMode : uint8_t { Fused, Separate };

/// The configuration. Units: mr, nr, mc, nc in elements of C; kr, kc in
/// elements along k.
struct GemmConfig {
  Family family = Family::Tile;
  int32_t mr = 0, nr = 0, kr = 0; ///< register tile; the loop over k does kr
                                  ///< steps at once
  int32_t mc = 0, nc = 0, kc = 0; ///< cache blocks; 0 where the family has none
  Packing packA = Packing::Pack, packB = Packing::Pack;
  LoopOrder order = LoopOrder::NKM;
  Pipeline pipeline = Pipeline::Plain;
  int32_t prefetch = 0; ///< distance in steps of k, for Pipeline::Prefetch
  int32_t splitK = 1;   ///< parts of k that are summed separately and added in
                        ///< order
  /// Threads along rows and columns of C. 0 x 0: chosen per problem; 0 x 1: all
  /// along rows; 1 x 0: all along columns.
  int32_t gridM = 0, gridN = 0;
  Edge edge = Edge::Exact;
  EpilogueMode epilogue = EpilogueMode::Fused;

  friend bool operator==(const GemmConfig &, const GemmConfig &) = default;

  /// For example "tile_14x32x4_168x3072x256_pp_nkm_plain_sk1_t0x0_exact_fused":
  /// family, mr x nr x kr, mc x nc x kc, A and B packed (p) or not (n), order,
  /// pipeline (plain | pipe | pfD), split-K, thread grid, edge, epilogue.
  std::string name() const;
};

/// Parses a name(). Errors: InvalidArgument naming the field that does not
/// parse.
llvm::Expected<GemmConfig> parseConfig(llvm::StringRef name);

} // namespace assay::kernels
