// A fork-join pool: it runs one job at a time, and the caller takes part. Each
// thread owns neighbouring chunks, the same ones for jobs of the same size:
// data that it wrote in one step is still in its cache in the next. A worker
// that has finished its own chunks takes those of others, the last first.
// Workers spin for a short while after a job, because operators follow each
// other within microseconds, then sleep. Workers are kept off the caller's
// core: a scheduler that puts both on one core (seen beside the idle threads of
// other libraries) corrects that only after milliseconds, in which every job
// takes ten times as long.
#include "assay/support/ThreadPool.h"

#include "assay/support/SharedRanges.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <pthread.h>
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
  std::mutex mutex; // guards job publication and sleeping
  std::condition_variable wake;
  std::mutex jobMutex; // one job at a time
  llvm::function_ref<void(int)> job;
  // Counts jobs; the lowest bit says that every worker must run this one.
  std::atomic<uint64_t> generation{0};
  // For jobs that any idle thread may join: how many workers are inside, and
  // whether more may enter. The caller waits only for those inside, not for a
  // worker that has not come (its core may be busy with something else).
  static constexpr int64_t kClosed = int64_t{1} << 32;
  std::atomic<int64_t> gate{kClosed};
  std::atomic<int> running{0};
  std::atomic<bool> stop{false};

  cpu_set_t cores;     // those of the process when the pool was made
  int callerCore = -1; // the core that workers are kept off

  void work(int thread);
  void awaitJob(uint64_t seen) const;
  void keepOffCallersCore();
  bool enter() {
    int64_t inside = gate.load(std::memory_order_relaxed);
    while (!(inside & kClosed))
      if (gate.compare_exchange_weak(inside, inside + 1,
                                     std::memory_order_acquire,
                                     std::memory_order_relaxed))
        return true;
    return false;
  }
  void publish(llvm::function_ref<void(int)> body, bool everyWorker);
};

static thread_local bool insideJob = false;

static void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// How long a worker polls for the next job before it sleeps. Waking one takes
/// tens of microseconds, on virtual machines more; the sequential work between
/// two parallel steps is often as long.
static constexpr std::chrono::microseconds kAwake(200);

void ThreadPool::State::awaitJob(uint64_t seen) const {
  using Clock = std::chrono::steady_clock;
  constexpr int kPausesBetweenLooks = 64; // polls between two reads of the
                                          // clock
  for (Clock::time_point end = Clock::now() + kAwake; Clock::now() < end;)
    for (int spin = 0; spin < kPausesBetweenLooks; ++spin) {
      if (generation.load(std::memory_order_acquire) != seen || stop)
        return;
      pause();
    }
}

void ThreadPool::State::work(int thread) {
  insideJob = true;
  uint64_t seen = 0;
  while (true) {
    awaitJob(seen);
    if (generation.load(std::memory_order_acquire) == seen) {
      std::unique_lock<std::mutex> lock(mutex);
      wake.wait(lock, [&] {
        return stop || generation.load(std::memory_order_acquire) != seen;
      });
    }
    if (stop)
      return;
    seen = generation.load(std::memory_order_acquire);
    if (seen & 1) {
      job(thread);
      running.fetch_sub(1, std::memory_order_release);
    } else if (enter()) {
      job(thread);
      gate.fetch_sub(1, std::memory_order_release);
    }
  }
}

static void spinUntil(llvm::function_ref<bool()> done) {
  for (int spin = 0; !done(); ++spin) {
    if (spin < 4000)
      pause();
    else
      std::this_thread::yield();
  }
}

/// Costs one system call per worker when the caller has moved to another core,
/// else only a read of the core's number.
void ThreadPool::State::keepOffCallersCore() {
  int core = sched_getcpu();
  if (core == callerCore || core < 0 || core >= CPU_SETSIZE)
    return;
  callerCore = core;
  cpu_set_t others = cores;
  CPU_CLR(static_cast<size_t>(core), &others);
  if (CPU_COUNT(&others) == 0)
    return;
  for (std::thread &worker : workers)
    pthread_setaffinity_np(worker.native_handle(), sizeof(others), &others);
}

void ThreadPool::State::publish(llvm::function_ref<void(int)> body,
                                bool everyWorker) {
  keepOffCallersCore();
  {
    std::lock_guard<std::mutex> lock(mutex);
    job = body;
    if (everyWorker)
      running.store(static_cast<int>(workers.size()),
                    std::memory_order_relaxed);
    else
      gate.store(0, std::memory_order_release);
    uint64_t next =
        (generation.load(std::memory_order_relaxed) | 1) + 1 + everyWorker;
    generation.store(next, std::memory_order_release);
  }
  wake.notify_all();
}

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
  if (threads <= 0)
    threads = availableCores();
  CPU_ZERO(&state_->cores);
  sched_getaffinity(0, sizeof(state_->cores), &state_->cores);
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

int ThreadPool::threads() const {
  return static_cast<int>(state_->workers.size()) + 1;
}

void ThreadPool::runOnAll(llvm::function_ref<void(int)> body) {
  if (state_->workers.empty() || insideJob) {
    for (int thread = 0; thread < threads(); ++thread)
      body(thread);
    return;
  }
  std::lock_guard<std::mutex> oneJob(state_->jobMutex);
  state_->publish(body, /*everyWorker=*/true);
  insideJob = true;
  body(0);
  insideJob = false;
  spinUntil(
      [&] { return state_->running.load(std::memory_order_acquire) == 0; });
}

void ThreadPool::parallelFor(int64_t count, int64_t grain,
                             llvm::function_ref<void(int64_t, int64_t)> body) {
  if (count <= 0)
    return;
  grain = std::max<int64_t>(1, grain);
  if (state_->workers.empty() || insideJob || count <= grain) {
    body(0, count);
    return;
  }
  // About four chunks per thread balance uneven work without being too small.
  int64_t chunk =
      std::max(grain, (count + 4 * threads() - 1) / (4 * threads()));
  SharedRanges chunks((count + chunk - 1) / chunk, threads());
  auto takeChunks = [&](int thread) {
    auto run = [&](int64_t index) {
      if (index >= 0)
        body(index * chunk, std::min(count, (index + 1) * chunk));
      return index >= 0;
    };
    while (run(chunks.takeFront(thread)) || run(chunks.takeBack()))
      ;
  };
  std::lock_guard<std::mutex> oneJob(state_->jobMutex);
  state_->publish(takeChunks, /*everyWorker=*/false);
  insideJob = true;
  takeChunks(0);
  insideJob = false;
  state_->gate.fetch_or(State::kClosed, std::memory_order_acquire);
  spinUntil([&] {
    return state_->gate.load(std::memory_order_acquire) == State::kClosed;
  });
}

} // namespace assay
