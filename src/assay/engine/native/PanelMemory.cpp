// A weight of a megabyte streams through the caches at two thirds of the speed
// if it is on small pages (9.5 against 13.8 GB/s on a virtual Zen 1, where each
// miss in the page table goes through two levels of tables). Therefore panels
// are placed next to each other in chunks that begin on a large page.
#include "assay/engine/native/PanelMemory.h"

#include "assay/support/Math.h"

#include <algorithm>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace assay::engine {

using tensor::Buffer;
using tensor::Tensor;

static constexpr int64_t kPage = int64_t(2) << 20;
/// If all weights have fewer bytes than this, they are not moved into chunks.
static constexpr int64_t kLeastTotal = int64_t(1) << 20;
static constexpr int64_t kMostChunk = int64_t(16) << 20;

void adviseLargePages(std::byte *memory, int64_t bytes) {
#if defined(__linux__)
  auto begin = reinterpret_cast<uintptr_t>(memory),
       first = (begin + kPage - 1) / kPage * kPage,
       last = (begin + static_cast<uintptr_t>(bytes)) / kPage * kPage;
  if (first < last)
    madvise(reinterpret_cast<void *>(first), last - first, MADV_HUGEPAGE);
#else
  (void)memory, (void)bytes;
#endif
}

static llvm::Expected<Tensor> allocate(const program::StepContext &context,
                                       int64_t bytes) {
  return context.allocate({*numerics::parseElementType("ui8"), {bytes}});
}

/// A part of the current chunk, or of a new one; null if the bytes should have
/// their own memory or the budget has no room for a chunk.
std::shared_ptr<PanelMemory::Chunk>
PanelMemory::take(const program::StepContext &context, int64_t bytes,
                  std::byte *&place) {
  std::lock_guard<std::mutex> lock(mutex_);
  total_ += bytes;
  std::shared_ptr<Chunk> chunk = chunk_.lock();
  if (!chunk || chunk->size - chunk->used < bytes) {
    int64_t size = std::clamp(roundUp(total_, kPage), kPage, kMostChunk);
    if (total_ < kLeastTotal || bytes > size / 2)
      return nullptr;
    llvm::Expected<Tensor> memory = allocate(context, size + kPage);
    if (!memory) {
      llvm::consumeError(memory.takeError());
      return nullptr;
    }
    chunk = std::make_shared<Chunk>();
    chunk->memory = std::move(*memory);
    std::byte *first = chunk->memory.mutableBytes();
    chunk->begin = reinterpret_cast<std::byte *>(
        roundUp(reinterpret_cast<intptr_t>(first), kPage));
    chunk->size = size;
    adviseLargePages(chunk->begin, size);
    chunk_ = chunk;
  }
  place = chunk->begin + chunk->used;
  chunk->used += bytes;
  return chunk;
}

llvm::Expected<Tensor>
PanelMemory::make(const program::StepContext &context, int64_t bytes,
                  llvm::function_ref<void(std::byte *)> fill, bool kept) {
  bytes = roundUp(std::max<int64_t>(1, bytes), 64);
  std::byte *place = nullptr;
  std::shared_ptr<Chunk> chunk = kept ? take(context, bytes, place) : nullptr;
  if (chunk) {
    fill(place);
    return Tensor::fromBuffer({*numerics::parseElementType("ui8"), {bytes}},
                              Buffer::view(place, bytes, chunk));
  }
  llvm::Expected<Tensor> memory = allocate(context, bytes);
  if (!memory)
    return memory;
  if (kept)
    adviseLargePages(memory->mutableBytes(), bytes);
  fill(memory->mutableBytes());
  return memory;
}

} // namespace assay::engine
