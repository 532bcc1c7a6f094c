/// Counter-based random numbers: each element of a tensor is computed from
/// (seed, stream, index) alone, so that fills do not depend on the number of
/// threads and a single element can be computed again without the others.
/// Source: Philox4x32-10, Salmon, Moraes, Dror, Shaw: "Parallel random numbers:
/// as easy as 1, 2, 3", SC 2011.
#pragma once

#include <array>
#include <cstdint>

namespace assay {

/// Four 32-bit words for a 128-bit counter under a 64-bit key.
std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter,
                                   std::array<uint32_t, 2> key);

/// The random words of one tensor: `seed` is that of the run, `stream`
/// (argument number, role) distinguishes the tensors of the run.
class CounterRandom {
public:
  CounterRandom(uint64_t seed, uint64_t stream)
      : seed_(seed), stream_(stream) {}

  /// 64 uniform bits for element `index`.
  uint64_t bits(uint64_t index) const;
  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform(uint64_t index) const;
  /// Standard normal (Box and Muller on the two 64-bit halves of the element's
  /// block).
  double normal(uint64_t index) const;
  /// Uniform integer in [low, high], both included; low <= high. Bias below
  /// 2^-32 for ranges up to 2^32.
  int64_t integer(uint64_t index, int64_t low, int64_t high) const;

private:
  std::array<uint32_t, 4> block(uint64_t index) const;
  uint64_t seed_, stream_;
};

} // namespace assay
