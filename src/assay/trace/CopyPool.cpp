// Between the hooks and the writer's queue. A parameter is prepared before the
// step, so that its hook only hashes it; contents that were recorded before
// (unchanged parameters, an input that is an earlier output) are hashed and
// linked. The hash is taken when the hook runs: bytes that changed since they
// were prepared or stored have another hash and are copied.
#include "assay/trace/CopyPool.h"
#include "assay/formats/Hdf5Reader.h"

namespace assay::trace {

using tensor::Tensor;
using tensor::TensorType;

std::string CopyPool::key(llvm::StringRef hash, const TensorType &type) {
  return hash.str() + toString(type);
}

static std::string hashOf(const void *bytes, int64_t size) {
  return formats::hashBytes(
      {static_cast<const uint8_t *>(bytes), static_cast<size_t>(size)});
}

llvm::Error CopyPool::prepare(const TensorType &type, const void *bytes) {
  llvm::Expected<int64_t> count = tensor::elementCount(type.shape);
  if (!count)
    return count.takeError();
  int64_t size = *count * type.element.storageBytes();
  std::string name = key(hashOf(bytes, size), type);
  {
    std::lock_guard<std::mutex> guard(lock_);
    if (known_.contains(name) || prepared_.contains(name) ||
        preparedBytes_ + size > limit_)
      return llvm::Error::success();
  }
  llvm::Expected<Copied> made = arena_->copy(type, bytes);
  if (!made)
    return made.takeError();
  std::lock_guard<std::mutex> guard(lock_);
  if (prepared_.try_emplace(key(made->hash, type), made->tensor).second)
    preparedBytes_ += size;
  return llvm::Error::success();
}

void CopyPool::dropPrepared() {
  std::lock_guard<std::mutex> guard(lock_);
  prepared_.clear();
  preparedBytes_ = 0;
}

/// The entry for a content that is known or prepared.
std::optional<Copied> CopyPool::held(const std::string &hash,
                                     const TensorType &type) {
  std::string name = key(hash, type);
  std::lock_guard<std::mutex> guard(lock_);
  if (known_.contains(name))
    return Copied{Tensor(), hash};
  auto found = prepared_.find(name);
  if (found == prepared_.end())
    return std::nullopt;
  Copied result{std::move(found->second), hash};
  preparedBytes_ -= result.tensor.denseBytes();
  prepared_.erase(found);
  return result;
}

llvm::Expected<Copied> CopyPool::take(const TensorType &type, const void *bytes,
                                      int64_t size, bool likelyNew) {
  if (!likelyNew)
    if (std::optional<Copied> found = held(hashOf(bytes, size), type))
      return std::move(*found);
  llvm::Expected<Copied> made = arena_->copy(type, bytes);
  if (!made)
    return made.takeError();
  if (std::optional<Copied> found = held(made->hash, type))
    return std::move(*found);
  return made;
}

llvm::Expected<Copied> CopyPool::lend(const TensorType &type, const void *bytes,
                                      int64_t size) const {
  std::string hash = hashOf(bytes, size);
  {
    std::lock_guard<std::mutex> guard(lock_);
    if (known_.contains(key(hash, type)))
      return Copied{Tensor(), std::move(hash)};
  }
  // The caller is the owner; the buffer only needs something to hold.
  static const std::shared_ptr<const void> lender = std::make_shared<int>(0);
  llvm::Expected<Tensor> view =
      Tensor::fromBuffer(type, tensor::Buffer::view(bytes, size, lender));
  if (!view)
    return view.takeError();
  return Copied{std::move(*view), std::move(hash)};
}

bool CopyPool::setKnown(llvm::StringRef key) {
  std::lock_guard<std::mutex> guard(lock_);
  return known_.insert(key).second;
}

} // namespace assay::trace
