// The hash of tensor bytes: XXH3-128 by the xxHash library, 32 hex digits, most
// significant first (what `xxhsum -H2` and Python's xxhash.xxh3_128_hexdigest
// print). Source: xxHash specification.
#include "assay/tensor/Hdf5Reader.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace assay::tensor {

std::string hashBytes(llvm::ArrayRef<uint8_t> bytes) {
  XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return llvm::formatv("{0:x-16}{1:x-16}", hash.high64, hash.low64).str();
}

} // namespace assay::tensor
