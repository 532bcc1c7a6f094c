/// The resources that a session keeps between problems: worker processes, the
/// memory that they share, threads, and the seconds of each stage. Serves one
/// thread.
#pragma once

#include "assay/engine/Arena.h"
#include "assay/engine/Worker.h"
#include "assay/support/ThreadPool.h"
#include "assay/verify/Options.h"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace assay::verify {

struct SessionOptions {
  std::string workerProgram; ///< empty: this program
  int threads = 0;
  int64_t memoryLimitBytes = 0; ///< 0: defaultMemoryBytes()
};

class Resources {
public:
  explicit Resources(SessionOptions options);

  ThreadPool &pool() { return pool_; }
  /// The number of threads for engines; 0: their own choice.
  int threads() const { return options_.threads; }
  /// Valid after makeReady().
  engine::Arena &arena() { return *arena_; }
  std::byte *memory() const { return arena_->data(); }
  /// The first element of a tensor in the arena.
  std::byte *at(const engine::Placement &place) const {
    return memory() + place.fileOffset + place.dataOffset;
  }

  /// Makes the arena for a problem that needs about this many bytes. Errors:
  /// ResourceLimit, when that is beyond the limit or the arena cannot be made.
  llvm::Error makeReady(double bytes);
  /// The process of an engine, started at its first use. A name with blanks at
  /// its end means a second process of the same engine. Errors: those of
  /// resolveEngine.
  llvm::Expected<engine::Worker *> worker(const std::string &engineName,
                                          const RunOptions &run);
  /// Gives memory back, but keeps a few GiB: pages that were given back would
  /// have to be cleared again for the next problem. The workers end with the
  /// pages: the memory that they keep for the next problem would exceed the
  /// limit that a small arena sets.
  void giveMemoryBack();
  /// Cuts the memory limit into as many parts as sessions run at the same time.
  void shareMemory(int sessions) { options_.memoryLimitBytes /= sessions; }

  /// Room for the floats of one tensor of the current problem, kept for the
  /// next one: fresh pages would cost more than the work on them.
  float *floats(size_t tensor, int64_t count);

  const std::map<std::string, double> &times() const { return times_; }
  /// Adds its lifetime to one part of the time breakdown.
  class Timer {
  public:
    Timer(Resources &resources, const char *part)
        : seconds_(resources.times_[part]) {}
    ~Timer() {
      seconds_ += std::chrono::duration<double>(
                      std::chrono::steady_clock::now() - start_)
                      .count();
    }

  private:
    double &seconds_;
    std::chrono::steady_clock::time_point start_ =
        std::chrono::steady_clock::now();
  };

private:
  SessionOptions options_;
  ThreadPool pool_;
  std::optional<engine::Arena> arena_;
  std::map<std::string, std::unique_ptr<engine::Worker>> workers_;
  std::map<std::string, double> times_;
  std::vector<std::vector<float>> floats_;
};

/// A size in the unit that fits it: "3.1 MiB".
std::string sizeText(double bytes);

} // namespace assay::verify
