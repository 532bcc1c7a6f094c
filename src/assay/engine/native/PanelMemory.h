/// Memory for weights in panels: many of them next to each other, so that they
/// are on large pages even if each is smaller than a page.
#pragma once

#include "assay/program/Step.h"

#include <memory>
#include <mutex>

namespace assay::engine {

/// Chunks whose size grows with the number of requested bytes. A chunk lives as
/// long as panels in it. Threads: any.
class PanelMemory {
public:
  /// A tensor of this many bytes that begins on a 64-byte line. `fill` writes
  /// it before others see it. One that is not `kept` has its own memory. The
  /// run's budget is charged for it, with the rest of a chunk. Errors:
  /// ResourceLimit
  llvm::Expected<tensor::Tensor>
  make(const program::StepContext &context, int64_t bytes,
       llvm::function_ref<void(std::byte *)> fill, bool kept = true);

private:
  struct Chunk {
    tensor::Tensor memory;
    std::byte *begin = nullptr;
    int64_t size = 0, used = 0;
  };
  std::shared_ptr<Chunk> take(const program::StepContext &context,
                              int64_t bytes, std::byte *&place);

  std::mutex mutex_;           // guards the members below
  std::weak_ptr<Chunk> chunk_; ///< the one that may still have room
  int64_t total_ = 0;          ///< bytes requested so far
};

/// Requests large pages where the memory covers a whole one.
void adviseLargePages(std::byte *memory, int64_t bytes);

} // namespace assay::engine
