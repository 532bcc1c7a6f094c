/// Rows of 4-byte words turned into columns: the heart of packing operands that
/// are contiguous along k.
#pragma once

#include <cstdint>

namespace assay::kernels {

/// `lanes` rows of `bytes` bytes each, `rowBytes` apart.
struct WordRows {
  const char *source = nullptr;
  int64_t rowBytes = 0;
  int lanes = 0; ///< rows that exist
  int width = 0; ///< rows that the panel shall have: lanes..width are zero
  int64_t bytes = 0;
  uint8_t flip = 0; ///< xor-ed to every byte that exists
};

/// panel[word * stride + lane] = word `word` of row `lane`, for all words that
/// begin within the row (the last one is filled up with zeros) and lane <
/// width. Threads: re-entrant.
void transposeWords(const WordRows &rows, int64_t stride, uint32_t *panel);

} // namespace assay::kernels
