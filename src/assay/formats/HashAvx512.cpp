// XXH3-128 with 512-bit vectors: the xxHash library's own code, compiled for
// AVX-512.
#include "assay/formats/HashVectors.h"

#if defined(__x86_64__)
#include <cstdlib>
#include <cstring>
#include <immintrin.h>
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f"))),               \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f")
#endif
#define XXH_VECTOR XXH_AVX512
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "assay/formats/HashCopy.inc"

namespace assay::formats {

Hash128 hashAvx512(const void *data, size_t size) {
  return hashWith(data, size);
}

Hash128 copyAndHashAvx512(void *to, const void *from, size_t size) {
  return copyAndHashWith(to, from, size);
}

} // namespace assay::formats
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
