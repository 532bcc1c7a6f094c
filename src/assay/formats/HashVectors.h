/// XXH3-128 compiled for wider vectors. Private; Hash.cpp picks one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::formats {

struct Hash128 {
  uint64_t high = 0, low = 0;
};

Hash128 hashGeneric(const void *data, size_t size);
Hash128 hashAvx2(const void *data, size_t size);
Hash128 hashAvx512(const void *data, size_t size);
Hash128 copyAndHashAvx2(void *to, const void *from, size_t size);
Hash128 copyAndHashAvx512(void *to, const void *from, size_t size);

} // namespace assay::formats
