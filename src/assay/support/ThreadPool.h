/// One pool of worker threads for the whole program. The calling thread works too.
/// One job runs at a time: other callers wait. Inside a job (of any pool) there are
/// no further threads: the parts of a nested call run one after another on the
/// thread that calls, so none may wait for another. Workers run on any core that the
/// pool found but the caller's; the caller is never moved or pinned.
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

  /// Calls body(thread) once for each thread in [0, threads()): on all threads
  /// at the same time, or, inside a job, one after another on this one.
  void runOnAll(llvm::function_ref<void(int thread)> body);

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The number of cores that this process may run on (affinity mask), at least
/// 1.
int availableCores();

} // namespace assay
