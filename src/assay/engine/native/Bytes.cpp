#include "assay/engine/native/Bytes.h"

namespace assay::engine {

template <typename Byte>
static void widen(const Byte *from, int64_t count, float *to) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = static_cast<float>(from[i]);
}

void widenBytes(bool isSigned, const std::byte *from, int64_t count,
                float *to) {
  if (isSigned)
    widen(reinterpret_cast<const int8_t *>(from), count, to);
  else
    widen(reinterpret_cast<const uint8_t *>(from), count, to);
}

void toWholeNumbers(const float *from, int64_t count, int32_t *to) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = static_cast<int32_t>(from[i]);
}

} // namespace assay::engine
