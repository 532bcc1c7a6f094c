/// Processes that run side by side, and the values that they send each other.
/// All of them run in one thread, each until it has to wait, in the order of
/// the grid: a program has the same results in every run.
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

/// The values that processes leave for each other.
class Grid {
public:
  /// If the run is one of several ranks, values for a process of another rank
  /// are sent to that rank.
  Grid(int64_t replicas, int64_t partitions, RunContext *run = nullptr)
      : replicas_(replicas), partitions_(partitions), run_(run),
        ranks_(run ? run->ranks : nullptr) {}
  int64_t replicas() const { return replicas_; }
  int64_t partitions() const { return partitions_; }
  Ranks *ranks() const { return ranks_; }
  bool has(ProcessId id) const {
    return id.replica >= 0 && id.replica < replicas_ && id.partition >= 0 &&
           id.partition < partitions_;
  }

  /// Sets the rank that runs a process; the default is 0.
  void setOwner(ProcessId id, int rank) { owners_[id] = rank; }
  bool isMine(ProcessId id) const;

  /// Leaves a process's values under a key for its readers. A process posts
  /// under the same key repeatedly; `number` counts the posts.
  void post(ProcessId from, const std::string &key, int64_t number,
            std::vector<Value> values, llvm::ArrayRef<ProcessId> readers);
  bool isPosted(ProcessId from, const std::string &key, int64_t number);
  /// Takes the posted values; they are removed after the last reader.
  std::vector<Value> read(ProcessId from, const std::string &key,
                          int64_t number);

  /// Values in the order of arrival: those of send and recv by channel, and the
  /// infeed under "infeed". The first process to ask gets them. Between
  /// processes of different ranks that order is not defined, so it is a failure
  /// there.
  std::deque<std::vector<Value>> &queue(const std::string &name);
  /// Values from one process to one other.
  void sendTo(ProcessId to, const std::string &name, std::vector<Value> values);
  std::deque<std::vector<Value>> &queueOf(ProcessId to,
                                          const std::string &name);

  /// The error that has occurred between the ranks since the last call.
  llvm::Error takeFailure();

private:
  struct Posting {
    std::vector<Value> values;
    int64_t readers;
  };
  using Key = std::tuple<ProcessId, std::string, int64_t>;
  void note(llvm::Error error);
  /// The message for this rank under a key, if it has arrived.
  std::optional<std::string> arrived(const std::string &key);

  int64_t replicas_, partitions_;
  RunContext *run_;
  Ranks *ranks_;
  std::map<ProcessId, int> owners_;
  std::map<std::string, int64_t> queued_; ///< values put into or taken from
                                          ///< each queue
  std::optional<ErrorText> failure_;
  std::map<Key, Posting> postings_;
  std::map<std::string, std::deque<std::vector<Value>>> queues_;
};

/// One process. It observes its own run, and steps find it through
/// RunContext::process.
class Process final : public Observer {
public:
  Process(Grid &grid, ProcessId id) : grid(grid), id(id) {}

  bool wants(mlir::Operation *) const override { return false; }
  void beforeStep(const StepNode &node, llvm::ArrayRef<Value *>) override;
  void onStep(const StepNode &, llvm::ArrayRef<Value *>, llvm::ArrayRef<Value>,
              int64_t) override {}
  /// How many times the process has asked for this key before.
  int64_t count(const std::string &key) { return counts_[key]++; }

  Grid &grid;
  const ProcessId id;
  std::string waitsFor; ///< in words, while the process waits

private:
  std::map<std::string, int64_t> counts_;
};

/// Whether a step starts processes: interpreter.run_parallel,
/// sdy.manual_computation. It is not a call of a function, though it names one.
inline bool startsProcesses(const StepNode &node) {
  return node.name == "interpreter.run_parallel" ||
         node.name == "sdy.manual_computation";
}

/// Runs all processes of such a step and makes its results from theirs. Errors:
/// those of the processes, with the process's number; Mismatch for a deadlock,
/// with what each process waits for.
llvm::Expected<std::vector<Value>> runProcesses(const Plan &plan,
                                                RunContext &run,
                                                const StepNode &node,
                                                std::vector<Value> operands);

} // namespace assay::program
