// Memory is allocated once for all threads, from the run's budget; each thread
// that computes pieces uses a part of it.
#include "assay/engine/native/Pieces.h"

#include "assay/support/Math.h"
#include "assay/support/SharedRanges.h"

#include <algorithm>
#include <mutex>

namespace assay::engine {

namespace {
/// The memory for all threads, and the errors of pieces.
class PieceMemory {
public:
  static llvm::Expected<std::unique_ptr<PieceMemory>>
  make(StepContext &context, int64_t bytes) {
    int threads = context.run.threads.threads();
    bytes = roundUp(bytes, 64);
    llvm::Expected<Tensor> memory =
        context.allocate({*numerics::parseElementType("ui8"),
                          {std::max<int64_t>(1, bytes * threads)}});
    if (!memory)
      return memory.takeError();
    return std::make_unique<PieceMemory>(std::move(*memory), bytes, threads);
  }
  PieceMemory(Tensor memory, int64_t bytes, int threads)
      : memory_(std::move(memory)) {
    for (int thread = 0; thread < threads; ++thread)
      free_.push_back(memory_.mutableBytes() + thread * bytes);
  }
  /// Calls body(memory) with a part that no other call uses at the same time.
  void lend(llvm::function_ref<llvm::Error(std::byte *)> body) {
    std::unique_lock<std::mutex> lock(mutex_);
    std::byte *mine = free_.back();
    free_.pop_back();
    lock.unlock();
    llvm::Error error = body(mine);
    lock.lock();
    free_.push_back(mine);
    failure_ = llvm::joinErrors(std::move(failure_), std::move(error));
  }
  llvm::Error takeFailure() { return std::move(failure_); }

private:
  Tensor memory_;
  std::mutex mutex_; // guards the members below
  std::vector<std::byte *> free_; ///< parts that no thread uses
  llvm::Error failure_ = llvm::Error::success();
};
} // namespace

llvm::Error forEachPiece(
    StepContext &context, int64_t count, int64_t bytes,
    llvm::function_ref<llvm::Error(int64_t piece, std::byte *memory)> body) {
  auto memory = PieceMemory::make(context, bytes);
  if (!memory)
    return memory.takeError();
  context.run.threads.parallelFor(count, 1, [&](int64_t begin, int64_t end) {
    (*memory)->lend([&](std::byte *mine) {
      llvm::Error error = llvm::Error::success();
      for (int64_t piece = begin; piece < end; ++piece)
        error = llvm::joinErrors(std::move(error), body(piece, mine));
      return error;
    });
  });
  return (*memory)->takeFailure();
}

llvm::Error forEachLongPiece(
    StepContext &context, int64_t count, int64_t bytes,
    llvm::function_ref<llvm::Error(int64_t piece, std::byte *memory)> body) {
  auto memory = PieceMemory::make(context, bytes);
  if (!memory)
    return memory.takeError();
  forEachInRanges(context.run.threads, count, 1, [&](int64_t piece) {
    (*memory)->lend([&](std::byte *mine) { return body(piece, mine); });
  });
  return (*memory)->takeFailure();
}

int64_t rowsOfAPiece(int64_t rows, int64_t rowBytes, int threads,
                     const kernels::Caches &caches) {
  constexpr int64_t kMostBytes = 3 << 18, kFewestRows = 96;
  int64_t bytes = std::min(kMostBytes, caches.l2 * 3 / 4),
          pieces = std::max<int64_t>(threads, ceilDiv(rows * rowBytes, bytes));
  pieces = std::min(roundUp(pieces, threads), rows / kFewestRows);
  return ceilDiv(rows, std::max<int64_t>(1, pieces));
}

} // namespace assay::engine
