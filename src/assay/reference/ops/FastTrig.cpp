// The table of FastTrig.h, computed from the bits of 2/pi.
#include "assay/reference/ops/FastTrig.h"

namespace assay::reference::fast {

/// The first 256 bits of 2/pi after the binary point (mpmath, 100 digits).
static constexpr uint64_t kTwoOverPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561};

/// Bits [first, first + count) after the binary point, as a number below
/// 2^count; bits before the point are zero.
static constexpr uint64_t bitsAt(int first, int count) {
  uint64_t value = 0;
  for (int bit = first; bit < first + count; ++bit) {
    value <<= 1;
    if (bit >= 0 && bit < 256)
      value |= kTwoOverPi[bit / 64] >> (63 - bit % 64) & 1;
  }
  return value;
}

static constexpr double powerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(1023 + exponent) << 52);
}

static constexpr std::array<ReductionRow, 254> makeReduction() {
  std::array<ReductionRow, 254> table{};
  for (int index = 0; index < 254; ++index) {
    int exponent = index - 149;
    // After scaling by 2^exponent, bit `first` has the weight 2 (the highest
    // below 4). Where the whole number is below 4, begin with the first bit.
    int first = exponent - 2 > 0 ? exponent - 2 : 0;
    auto part = [&](int from, int count) {
      return static_cast<double>(bitsAt(from, count)) *
             powerOfTwo(exponent - from - count);
    };
    table[static_cast<size_t>(index)] = {part(first, 29), part(first + 29, 29),
                                         part(first + 58, 53)};
  }
  return table;
}

constexpr std::array<ReductionRow, 254> kReduction = makeReduction();

} // namespace assay::reference::fast
