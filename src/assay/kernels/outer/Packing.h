/// Copies of A and B in the order in which the register tile reads them.
#pragma once

#include "assay/kernels/jit/MicroKernel.h"

#include <cstdint>

namespace assay::kernels {

/// One panel: `lanes` rows of A (or columns of B) along k.
/// Layout:  panel[k / group][width][group], group = groupOf(math); rows
///          lanes..width and the last group are zero-filled
/// Types:   f32 from f32|bf16|f16; f64; bf16 pairs; byte quads; s8|u8 as shorts
struct PanelJob {
  DataType type = DataType::F32; ///< in memory
  const void *source = nullptr;
  int64_t laneStride = 0, stepStride = 0; ///< elements from one row of the
                                          ///< panel to the next, and from one
                                          ///< step along k to the next
  int lanes = 0, width = 0;
  int64_t k = 0;
  /// Whether this is A for tile registers: panel[k / 64 bytes][width][64 bytes]
  /// instead; at most 64 wide.
  bool tileRows = false;
  bool flip = false; ///< xor each byte with 0x80 (ByteQuads)
};

/// Bytes of a packed panel of that width and depth.
int64_t panelBytes(MicroMath math, int width, int64_t k);

/// Packs one panel. `panel` is 64-byte aligned. Threads: re-entrant.
void packPanel(const PanelJob &job, MicroMath math, void *panel);

/// init[j] = factor * sum over k of a packed ByteQuads panel of B (signed or
/// unsigned bytes), j < width.
void panelSums(const void *panel, int width, int64_t k, bool isUnsigned,
               int32_t factor, int32_t *init);

} // namespace assay::kernels
