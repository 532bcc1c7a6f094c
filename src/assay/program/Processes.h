/// Processes that run side by side: the grid of interpreter.run_parallel, and
/// what its processes send each other. All of them run in one thread, each until
/// it waits, in the order of the grid: a program has the same results on every
/// run.
#pragma once

#include "assay/program/Observer.h"
#include "assay/program/Plan.h"

#include <compare>
#include <deque>
#include <map>

namespace assay::program {

struct ProcessId {
  int64_t replica = 0, partition = 0;
  friend auto operator<=>(const ProcessId &, const ProcessId &) = default;
};
/// "(replica 1, partition 0)"
std::string toString(ProcessId id);

/// What processes leave for each other.
class Grid {
public:
  Grid(int64_t replicas, int64_t partitions)
      : replicas_(replicas), partitions_(partitions) {}
  int64_t replicas() const { return replicas_; }
  int64_t partitions() const { return partitions_; }
  bool has(ProcessId id) const {
    return id.replica >= 0 && id.replica < replicas_ && id.partition >= 0 &&
           id.partition < partitions_;
  }

  /// Leaves a process's values under a key for `readers` readers. A process
  /// posts under one key again and again; `number` counts.
  void post(ProcessId from, const std::string &key, int64_t number,
            std::vector<Value> values, int64_t readers);
  bool isPosted(ProcessId from, const std::string &key, int64_t number) const;
  /// What was posted; gone after the last reader.
  std::vector<Value> read(ProcessId from, const std::string &key,
                          int64_t number);

  /// Values in the order of their arrival: send and recv by channel, and the
  /// infeed under "infeed".
  std::deque<std::vector<Value>> &queue(const std::string &name) {
    return queues_[name];
  }

private:
  struct Posting {
    std::vector<Value> values;
    int64_t readers;
  };
  using Key = std::tuple<ProcessId, std::string, int64_t>;
  int64_t replicas_, partitions_;
  std::map<Key, Posting> postings_;
  std::map<std::string, std::deque<std::vector<Value>>> queues_;
};

/// One process; it is an observer of its own run, where its steps find it.
class Process final : public Observer {
public:
  Process(Grid &grid, ProcessId id) : grid(grid), id(id) {}
  /// The process that a run is of; null: a program run by itself.
  static Process *of(RunContext &run);

  bool wants(mlir::Operation *) const override { return false; }
  void onStep(const StepNode &, llvm::ArrayRef<Value *>, llvm::ArrayRef<Value>,
              int64_t) override {}
  /// How often the process asked for this key before.
  int64_t count(const std::string &key) { return counts_[key]++; }

  Grid &grid;
  const ProcessId id;
  std::string waitsFor; ///< in words, while it waits

private:
  std::map<std::string, int64_t> counts_;
};

/// interpreter.run_parallel: function programs[replica][partition] in each
/// process, on its part of the operands; the results of all, in the same order.
/// Errors: those of the processes, with the process's number; Mismatch for
/// processes that wait for each other without end, with who waits for what.
llvm::Expected<std::vector<Value>> runParallel(const Plan &plan,
                                               RunContext &run,
                                               mlir::Operation *op,
                                               std::vector<Value> operands);

} // namespace assay::program
