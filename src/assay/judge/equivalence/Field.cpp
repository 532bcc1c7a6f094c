// Powers, the numbers of doubles, and tables for exp: the base is 4, a square,
// whose order is the next prime of the chain.
#include "assay/judge/equivalence/Field.h"

#include <bit>
#include <vector>

using namespace assay;

static constexpr int kMostExponent = 1100;

uint64_t judge::toField(int level, uint64_t number) {
  // number * 2^64 modulo p by doubling twice 2^64: p is just below 2^62.
  static const std::array<uint64_t, kLevels> square = [] {
    std::array<uint64_t, kLevels> r{};
    for (int level = 0; level < kLevels; ++level) {
      uint64_t x = 1;
      for (int i = 0; i < 128; ++i)
        x = addMod(level, x, x);
      r[level] = x;
    }
    return r;
  }();
  return mulMod(level, number % kPrimes[level], square[level]);
}

uint64_t judge::powMod(int level, uint64_t base, uint64_t exponent) {
  uint64_t result = toField(level, 1);
  // Four bits at a time.
  uint64_t table[16];
  table[0] = result;
  for (int i = 1; i < 16; ++i)
    table[i] = mulMod(level, table[i - 1], base);
  bool started = false;
  for (int shift = 60; shift >= 0; shift -= 4) {
    if (started)
      for (int i = 0; i < 4; ++i)
        result = mulMod(level, result, result);
    auto digit = (exponent >> shift) & 15;
    if (digit == 0 && !started)
      continue;
    result = started ? mulMod(level, result, table[digit]) : table[digit];
    started = true;
  }
  return result;
}

namespace {
/// Powers of two in Montgomery form twice: a whole number times one of them is
/// the product's Montgomery form.
struct PowersOfTwo {
  uint64_t at[assay::judge::kLevels][2 * kMostExponent + 1];
  PowersOfTwo() {
    for (int level = 0; level < judge::kLevels; ++level) {
      uint64_t two = judge::toField(level, 2), half = judge::invMod(level, two),
               up = judge::toField(level, judge::toField(level, 1)), down = up;
      for (int e = 0; e <= kMostExponent; ++e) {
        at[level][kMostExponent + e] = up;
        at[level][kMostExponent - e] = down;
        up = judge::mulMod(level, up, two);
        down = judge::mulMod(level, down, half);
      }
    }
  }
};

/// 4^(digit * 256^i) for every digit: an exponent is eight of them.
struct ExpTable {
  std::vector<uint64_t> at[judge::kLevels];
  ExpTable() {
    for (int level = 0; level < judge::kLevels; ++level) {
      at[level].resize(8 * 256);
      uint64_t base = judge::toField(level, 4);
      for (int i = 0; i < 8; ++i) {
        uint64_t power = judge::toField(level, 1);
        for (int digit = 0; digit < 256; ++digit) {
          at[level][static_cast<size_t>(i * 256 + digit)] = power;
          power = judge::mulMod(level, power, base);
        }
        base = power;
      }
    }
  }
};
} // namespace

uint64_t judge::fieldOf(int level, double value) {
  static const PowersOfTwo powers;
  if (value == 0)
    return 0;
  auto bits = std::bit_cast<uint64_t>(value);
  uint64_t whole = bits & ((uint64_t{1} << 52) - 1);
  auto exponent = static_cast<int>(bits >> 52 & 2047);
  if (exponent == 0)
    exponent = 1; // a subnormal number
  else
    whole |= uint64_t{1} << 52;
  uint64_t result =
      mulMod(level, whole, powers.at[level][kMostExponent + exponent - 1075]);
  return value < 0 ? negMod(level, result) : result;
}

uint64_t judge::expMod(int level, uint64_t exponentOfNextLevel) {
  static const ExpTable table;
  uint64_t exponent = fromField(level + 1, exponentOfNextLevel),
           result = table.at[level][exponent & 255];
  for (int i = 1; i < 8; ++i)
    result = mulMod(level, result,
                    table.at[level][static_cast<size_t>(
                        i * 256 + ((exponent >> (8 * i)) & 255))]);
  return result;
}
