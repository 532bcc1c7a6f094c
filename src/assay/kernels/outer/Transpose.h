/// Turns rows of 4-byte words into columns: the core of packing operands that
/// are contiguous along k.
#pragma once

#include <cstdint>

namespace assay::kernels {

/// `lanes` rows of `bytes` bytes each, `rowBytes` apart.
struct WordRows {
  const char *source = nullptr;
  int64_t rowBytes = 0;
  int lanes = 0; ///< rows that exist
  int width = 0; ///< rows of the panel: lanes..width are zero
  int64_t bytes = 0;
  uint8_t flip = 0; ///< xor-ed with every byte of the rows
};

/// panel[word * stride + lane] = word `word` of row `lane`, for all words that
/// begin within the row (the last one is padded with zeros) and lane < width.
/// Threads: re-entrant.
void transposeWords(const WordRows &rows, int64_t stride, uint32_t *panel);

} // namespace assay::kernels
