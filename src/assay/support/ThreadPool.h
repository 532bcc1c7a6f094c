/// One pool of worker threads for the whole program. Work is cut into ranges;
/// the calling thread works too, so a pool of one thread runs everything
/// inline. A nested parallelFor runs inline on its own thread.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <memory>

namespace assay {

class ThreadPool {
public:
  /// threads <= 0: all cores that the process may use.
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;

  int threads() const;

  /// Calls body(begin, end) on disjoint ranges that cover [0, count), each of
  /// at least `grain` elements (the last may be shorter). The ranges depend
  /// only on count, grain and the number of threads; which thread runs a range
  /// is not fixed.
  void parallelFor(int64_t count, int64_t grain,
                   llvm::function_ref<void(int64_t begin, int64_t end)> body);

  /// Calls body(thread) once on every thread at the same time, thread in [0,
  /// threads()).
  void runOnAll(llvm::function_ref<void(int thread)> body);

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The number of cores that this process may run on (affinity mask), at least
/// 1.
int availableCores();

} // namespace assay
