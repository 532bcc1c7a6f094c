// The hash of tensor bytes: XXH3-128 by the xxHash library, 32 hex digits, most
// significant first (as `xxhsum -H2` and Python's xxhash.xxh3_128_hexdigest
// print it). The result does not depend on the vector width, so the widest one
// of the processor is chosen at run time: a recorder hashes every tensor while
// the model waits. Source: xxHash specification.
#include "assay/formats/HashVectors.h"
#include "assay/formats/Hdf5Reader.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "assay/formats/HashCopy.inc"

namespace assay::formats {

namespace {
struct Hashing {
  Hash128 (*hash)(const void *, size_t);
  Hash128 (*copyAndHash)(void *, const void *, size_t);
};
} // namespace

Hash128 hashGeneric(const void *data, size_t size) {
  return hashWith(data, size);
}

static Hashing chooseHashing() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return {hashAvx512, copyAndHashAvx512};
  if (__builtin_cpu_supports("avx2"))
    return {hashAvx2, copyAndHashAvx2};
#endif
  return {hashGeneric, copyAndHashWith};
}

static const Hashing &hashing() {
  static const Hashing chosen = chooseHashing();
  return chosen;
}

static std::string hex(Hash128 value) {
  return llvm::formatv("{0:x-16}{1:x-16}", value.high, value.low).str();
}

std::string hashBytes(llvm::ArrayRef<uint8_t> bytes) {
  return hex(hashing().hash(bytes.data(), bytes.size()));
}

std::string copyAndHash(void *to, llvm::ArrayRef<uint8_t> bytes) {
  return hex(hashing().copyAndHash(to, bytes.data(), bytes.size()));
}

} // namespace assay::formats
