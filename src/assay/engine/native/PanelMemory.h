/// Memory for weights in panels: many of them side by side, so that they are on
/// large pages even where each is smaller than one.
#pragma once

#include "assay/program/Step.h"

#include <memory>
#include <mutex>

namespace assay::engine {

/// Chunks that grow with what was requested. A chunk lives as long as panels in
/// it do. Threads: any.
class PanelMemory {
public:
  /// A tensor of this many bytes that begin on a 64-byte line, written by `fill`
  /// before others see it; one that is not `kept` has memory of its own. Charged to the
  /// run's budget, with the rest of a chunk. Errors: ResourceLimit
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
  std::weak_ptr<Chunk> chunk_; ///< the one that still has room
  int64_t total_ = 0;          ///< bytes requested so far
};

/// Asks for large pages wherever the memory covers a whole one.
void adviseLargePages(std::byte *memory, int64_t bytes);

} // namespace assay::engine
