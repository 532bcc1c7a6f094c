// Memory is allocated once for all threads, from the run's budget; whoever takes
// pieces takes a part of it meanwhile.
#include "assay/engine/native/Pieces.h"

#include "assay/support/Math.h"

#include <algorithm>
#include <mutex>

namespace assay::engine {

llvm::Error forEachPiece(
    StepContext &context, int64_t count, int64_t bytes,
    llvm::function_ref<llvm::Error(int64_t piece, std::byte *memory)> body) {
  ThreadPool &pool = context.run.threads;
  bytes = roundUp(bytes, 64);
  llvm::Expected<Tensor> memory =
      context.allocate({*numerics::parseElementType("ui8"),
                        {std::max<int64_t>(1, bytes * pool.threads())}});
  if (!memory)
    return memory.takeError();
  std::vector<std::byte *> free; // parts that no thread has
  for (int thread = 0; thread < pool.threads(); ++thread)
    free.push_back(memory->mutableBytes() + thread * bytes);
  std::mutex mutex; // guards `free` and `failure`
  llvm::Error failure = llvm::Error::success();
  pool.parallelFor(count, 1, [&](int64_t begin, int64_t end) {
    std::unique_lock<std::mutex> lock(mutex);
    std::byte *mine = free.back();
    free.pop_back();
    lock.unlock();
    llvm::Error error = llvm::Error::success();
    for (int64_t piece = begin; piece < end; ++piece)
      error = llvm::joinErrors(std::move(error), body(piece, mine));
    lock.lock();
    free.push_back(mine);
    failure = llvm::joinErrors(std::move(failure), std::move(error));
  });
  return failure;
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
