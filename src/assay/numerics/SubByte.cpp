// Packs and unpacks 2- and 4-bit elements. Simple loops suffice: tensors of
// such types are read and written once per run, and the products between cost
// far more.
#include "assay/numerics/SubByte.h"

#include <cassert>

using namespace assay;

int64_t numerics::packedBytes(ElementType type, int64_t elements) {
  return isPacked(type) ? (elements * type.bits + 7) / 8
                        : elements * type.storageBytes();
}

void numerics::unpackElements(ElementType type, const void *packed,
                              int64_t first, int64_t stride, int64_t n,
                              void *out) {
  assert(isPacked(type) && "elements that share bytes");
  const auto *bytes = static_cast<const uint8_t *>(packed);
  auto *target = static_cast<uint8_t *>(out);
  int bits = type.bits;
  auto mask = static_cast<uint8_t>((1 << bits) - 1),
       sign = static_cast<uint8_t>(type.isSigned() ? 1 << (bits - 1) : 0);
  for (int64_t i = 0; i < n; ++i) {
    int64_t at = (first + i * stride) * bits;
    auto code = static_cast<uint8_t>(bytes[at >> 3] >> (at & 7) & mask);
    target[i] = static_cast<uint8_t>((code ^ sign) - sign);
  }
}

void numerics::packElements(ElementType type, const void *in, void *packed,
                            int64_t first, int64_t stride, int64_t n) {
  assert(isPacked(type) && "elements that share bytes");
  const auto *source = static_cast<const uint8_t *>(in);
  auto *bytes = static_cast<uint8_t *>(packed);
  int bits = type.bits;
  auto mask = static_cast<uint8_t>((1 << bits) - 1);
  for (int64_t i = 0; i < n; ++i) {
    int64_t at = (first + i * stride) * bits;
    int shift = static_cast<int>(at & 7);
    uint8_t &byte = bytes[at >> 3];
    byte = static_cast<uint8_t>((byte & ~(mask << shift)) | (source[i] & mask)
                                                                << shift);
  }
}
