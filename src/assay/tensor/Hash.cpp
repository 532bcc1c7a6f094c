// The hash of tensor bytes: XXH3-128 by the xxHash library, 32 hex digits, most
// significant first (what `xxhsum -H2` and Python's xxhash.xxh3_128_hexdigest
// print). Its bits do not depend on the vectors that it is computed with, so
// the widest that the processor has are chosen at run time: a recorder hashes
// everything while the model waits. Source: xxHash specification.
#include "assay/tensor/HashVectors.h"
#include "assay/tensor/Hdf5Reader.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace assay::tensor {

static Hash128 hashGeneric(const void *data, size_t size) {
  XXH128_hash_t hash = XXH3_128bits(data, size);
  return {hash.high64, hash.low64};
}

static Hash128 (*chooseHash())(const void *, size_t) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return hashAvx512;
  if (__builtin_cpu_supports("avx2"))
    return hashAvx2;
#endif
  return hashGeneric;
}

std::string hashBytes(llvm::ArrayRef<uint8_t> bytes) {
  static auto *const hash = chooseHash();
  Hash128 value = hash(bytes.data(), bytes.size());
  return llvm::formatv("{0:x-16}{1:x-16}", value.high, value.low).str();
}

} // namespace assay::tensor
