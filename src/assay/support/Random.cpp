// Philox4x32-10 and draws from it. See Random.h for the source.
#include "assay/support/Random.h"

#include <cmath>

namespace assay {

std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> c,
                                   std::array<uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    uint64_t p0 = uint64_t{0xD2511F53} * c[0];
    uint64_t p1 = uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k[0],
         static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k[1],
         static_cast<uint32_t>(p0)};
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  return c;
}

std::array<uint32_t, 4> CounterRandom::block(uint64_t index) const {
  return philox4x32(
      {static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32),
       static_cast<uint32_t>(stream_), static_cast<uint32_t>(stream_ >> 32)},
      {static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32)});
}

uint64_t CounterRandom::bits(uint64_t index) const {
  std::array<uint32_t, 4> b = block(index);
  return (uint64_t{b[1]} << 32) | b[0];
}

double CounterRandom::uniform(uint64_t index) const {
  return static_cast<double>(bits(index) >> 11) * 0x1p-53;
}

double CounterRandom::normal(uint64_t index) const {
  std::array<uint32_t, 4> b = block(index);
  uint64_t first = ((uint64_t{b[1]} << 32) | b[0]) >> 11,
           second = ((uint64_t{b[3]} << 32) | b[2]) >> 11;
  double u = (static_cast<double>(first) + 1.0) *
             0x1p-53; // (0, 1]: the logarithm stays finite
  double v = static_cast<double>(second) * 0x1p-53;
  return std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * v);
}

int64_t CounterRandom::integer(uint64_t index, int64_t low,
                               int64_t high) const {
  uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
  uint64_t word = bits(index);
  if (range == 0) // the whole 64-bit range
    return static_cast<int64_t>(word);
  return static_cast<int64_t>(
      static_cast<uint64_t>(low) +
      static_cast<uint64_t>((static_cast<unsigned __int128>(word) * range) >>
                            64));
}

} // namespace assay
