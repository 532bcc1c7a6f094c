// A fork-join pool: one job at a time, its chunks handed out by an atomic counter, the caller taking part. Workers spin
// for a short while after a job, because operators follow each other within microseconds, then sleep.
#include "assay/support/ThreadPool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <sched.h>
#include <thread>
#include <vector>

namespace assay {

int availableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

struct ThreadPool::State {
  std::vector<std::thread> workers;
  std::mutex mutex;            // guards job publication and sleeping
  std::condition_variable wake;
  std::mutex jobMutex;         // one job at a time
  llvm::function_ref<void(int)> job;
  std::atomic<uint64_t> generation{0};
  std::atomic<int> running{0};
  std::atomic<bool> stop{false};

  void work(int thread);
};

static thread_local bool insideJob = false;

static void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void ThreadPool::State::work(int thread) {
  insideJob = true;
  uint64_t seen = 0;
  while (true) {
    for (int spin = 0; spin < 2000 && generation.load(std::memory_order_acquire) == seen && !stop; ++spin)
      pause();
    if (generation.load(std::memory_order_acquire) == seen) {
      std::unique_lock<std::mutex> lock(mutex);
      wake.wait(lock, [&] { return stop || generation.load(std::memory_order_acquire) != seen; });
    }
    if (stop)
      return;
    seen = generation.load(std::memory_order_acquire);
    job(thread);
    running.fetch_sub(1, std::memory_order_release);
  }
}

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
  if (threads <= 0)
    threads = availableCores();
  for (int thread = 1; thread < threads; ++thread)
    state_->workers.emplace_back([this, thread] { state_->work(thread); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    state_->stop = true;
  }
  state_->wake.notify_all();
  for (std::thread &worker : state_->workers)
    worker.join();
}

int ThreadPool::threads() const { return static_cast<int>(state_->workers.size()) + 1; }

void ThreadPool::runOnAll(llvm::function_ref<void(int)> body) {
  if (state_->workers.empty() || insideJob) {
    for (int thread = 0; thread < threads(); ++thread)
      body(thread);
    return;
  }
  std::lock_guard<std::mutex> oneJob(state_->jobMutex);
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    state_->job = body;
    state_->running.store(static_cast<int>(state_->workers.size()), std::memory_order_relaxed);
    state_->generation.fetch_add(1, std::memory_order_release);
  }
  state_->wake.notify_all();
  insideJob = true;
  body(0);
  insideJob = false;
  for (int spin = 0; state_->running.load(std::memory_order_acquire) != 0; ++spin) {
    if (spin < 4000)
      pause();
    else
      std::this_thread::yield();
  }
}

void ThreadPool::parallelFor(int64_t count, int64_t grain, llvm::function_ref<void(int64_t, int64_t)> body) {
  if (count <= 0)
    return;
  grain = std::max<int64_t>(1, grain);
  if (state_->workers.empty() || insideJob || count <= grain) {
    body(0, count);
    return;
  }
  // About four chunks a thread balance uneven work without making chunks small.
  int64_t chunk = std::max(grain, (count + 4 * threads() - 1) / (4 * threads()));
  std::atomic<int64_t> next{0};
  runOnAll([&](int) {
    while (true) {
      int64_t begin = next.fetch_add(chunk, std::memory_order_relaxed);
      if (begin >= count)
        return;
      body(begin, std::min(count, begin + chunk));
    }
  });
}

} // namespace assay
