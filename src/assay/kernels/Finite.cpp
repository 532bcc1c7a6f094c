#include "assay/kernels/Finite.h"

namespace assay::kernels {

/// Whether no word has all bits of `exponent` set.
template <typename Word>
static bool areFinite(const std::byte *elements, int64_t count, Word exponent) {
  const auto *words = reinterpret_cast<const Word *>(elements);
  Word found = 0;
  for (int64_t i = 0; i < count; ++i)
    found |= static_cast<Word>((words[i] & exponent) == exponent);
  return found == 0;
}

bool areFinite(DataType type, const std::byte *elements, int64_t count) {
  switch (type) {
  case DataType::F32:
    return areFinite<uint32_t>(elements, count, 0x7f800000);
  case DataType::F64:
    return areFinite<uint64_t>(elements, count, 0x7ff0000000000000);
  case DataType::BF16:
    return areFinite<uint16_t>(elements, count, 0x7f80);
  case DataType::F16:
    return areFinite<uint16_t>(elements, count, 0x7c00);
  default:
    return true;
  }
}

} // namespace assay::kernels
