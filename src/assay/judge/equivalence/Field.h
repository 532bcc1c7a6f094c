/// Arithmetic in the prime fields of the algebraic shadow. The primes are a
/// chain, p[i] = 2 p[i+1] + 1, so that exp of a number of field i+1 is a number
/// of field i: exp(a) exp(b) = exp(a + b) holds exactly. All are 3 modulo 4
/// (half of all numbers have a root in the field, x^((p+1)/4)) and 2 modulo 3
/// (every number has one cube root). Numbers are in Montgomery form, below p.
/// Source: Montgomery, "Modular multiplication without trial division", 1985.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace assay::judge {

/// Fields in the chain: exp keeps its law through kLevels - 1 nestings.
constexpr int kLevels = 3;
constexpr uint64_t kPrimes[kLevels] = {4611686018427266399, 2305843009213633199,
                                       1152921504606816599};

/// -1/p modulo 2^64.
constexpr uint64_t negativeInverse(uint64_t p) {
  uint64_t inverse = 1;
  for (int i = 0; i < 6; ++i)
    inverse *= 2 - p * inverse;
  return 0 - inverse;
}
constexpr uint64_t kNegativeInverses[kLevels] = {negativeInverse(kPrimes[0]),
                                                 negativeInverse(kPrimes[1]),
                                                 negativeInverse(kPrimes[2])};

using Wide = unsigned __int128;

/// x modulo p, for x < 2 p, and x + p for x "below zero": no branch, since no
/// predictor learns it.
inline uint64_t reduceOnce(uint64_t x, uint64_t p) {
  return std::min(x, x - p);
}
inline uint64_t raiseOnce(uint64_t x, uint64_t p) { return std::min(x, x + p); }

/// t / 2^64 modulo p, for t < p * 2^64.
inline uint64_t redc(int level, Wide t) {
  uint64_t p = kPrimes[level];
  uint64_t m = static_cast<uint64_t>(t) * kNegativeInverses[level];
  auto r = static_cast<uint64_t>((t + static_cast<Wide>(m) * p) >> 64);
  return reduceOnce(r, p);
}
inline uint64_t mulMod(int level, uint64_t a, uint64_t b) {
  return redc(level, static_cast<Wide>(a) * b);
}
inline uint64_t addMod(int level, uint64_t a, uint64_t b) {
  return reduceOnce(a + b, kPrimes[level]);
}
inline uint64_t negMod(int level, uint64_t a) {
  return a == 0 ? 0 : kPrimes[level] - a;
}
inline uint64_t subMod(int level, uint64_t a, uint64_t b) {
  return raiseOnce(a - b, kPrimes[level]);
}
uint64_t powMod(int level, uint64_t base, uint64_t exponent);
/// 1/a; 0 for 0.
inline uint64_t invMod(int level, uint64_t a) {
  return powMod(level, a, kPrimes[level] - 2);
}
/// In and out of Montgomery form.
uint64_t toField(int level, uint64_t number);
inline uint64_t fromField(int level, uint64_t a) { return redc(level, a); }
/// A finite double as a rational number, exactly.
uint64_t fieldOf(int level, double value);
/// The law of exp: a number of field level + 1 to one of field `level`.
uint64_t expMod(int level, uint64_t exponentOfNextLevel);
/// The root of the number if it has one, else the root of its negative.
inline uint64_t sqrtMod(int level, uint64_t a) {
  return powMod(level, a, (kPrimes[level] + 1) / 4);
}
inline uint64_t cbrtMod(int level, uint64_t a) {
  return powMod(level, a, (2 * (kPrimes[level] - 1) + 1) / 3);
}

/// A fixed pseudo-random function of two words.
inline uint64_t mixWords(uint64_t a, uint64_t b) {
  Wide product = static_cast<Wide>(a ^ 0x9e3779b97f4a7c15) *
                 (b ^ 0xd1b54a32d192ed03 ^ (a << 32 | a >> 32));
  uint64_t z = static_cast<uint64_t>(product) ^
               static_cast<uint64_t>(product >> 64) ^ (b + 0x632be59bd9b4e019);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}
/// A word as a number of the field; uniform except for 2^-40.
inline uint64_t hashToField(int level, uint64_t word) {
  uint64_t number = word >> (2 + level);
  return number >= kPrimes[level] ? number - kPrimes[level] : number;
}

} // namespace assay::judge
