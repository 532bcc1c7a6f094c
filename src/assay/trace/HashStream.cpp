// Streaming XXH3-128 by the xxHash library, for tensors that are read window by
// window.
#include "assay/trace/HashStream.h"
#include "llvm/Support/FormatVariadic.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace assay::trace {

struct HashStream::State {
  XXH3_state_t hash;
};

HashStream::HashStream() : state_(std::make_unique<State>()) {
  XXH3_INITSTATE(&state_->hash);
  XXH3_128bits_reset(&state_->hash);
}

HashStream::~HashStream() = default;

void HashStream::add(const void *data, int64_t sizeBytes) {
  XXH3_128bits_update(&state_->hash, data, static_cast<size_t>(sizeBytes));
}

std::string HashStream::hex() const {
  XXH128_hash_t hash = XXH3_128bits_digest(&state_->hash);
  return llvm::formatv("{0:x-16}{1:x-16}", hash.high64, hash.low64).str();
}

} // namespace assay::trace
