/// Elements that are no numbers one can add: a factor like that makes NaN of each zero
/// it meets, which kernels that leave zeros out have to put right.
#pragma once

#include "assay/kernels/Problem.h"

#include <cstring>

namespace assay::engine {

/// False for an infinity or a NaN; `type` is one that kernels take.
inline bool isFinite(kernels::DataType type, const std::byte *element) {
  auto hasAllOnes = [&](auto exponent) {
    auto bits = exponent;
    std::memcpy(&bits, element, sizeof(bits));
    return (bits & exponent) == exponent;
  };
  switch (type) {
  case kernels::DataType::F32:
    return !hasAllOnes(uint32_t(0x7f800000));
  case kernels::DataType::F64:
    return !hasAllOnes(uint64_t(0x7ff0000000000000));
  case kernels::DataType::BF16:
    return !hasAllOnes(uint16_t(0x7f80));
  case kernels::DataType::F16:
    return !hasAllOnes(uint16_t(0x7c00));
  default:
    return true;
  }
}

/// Whether `count` elements in a row are. Threads: re-entrant.
bool areFinite(kernels::DataType type, const std::byte *elements, int64_t count);

} // namespace assay::engine
