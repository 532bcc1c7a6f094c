/// Bytes as f32 and back to whole numbers: loops that the compiler vectorises.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::engine {

/// to[i] = from[i] for bytes of either sign. Threads: re-entrant.
void widenBytes(bool isSigned, const std::byte *from, int64_t count, float *to);

/// to[i] = from[i], whole numbers below 2^24 in size. Threads: re-entrant.
void toWholeNumbers(const float *from, int64_t count, int32_t *to);

} // namespace assay::engine
