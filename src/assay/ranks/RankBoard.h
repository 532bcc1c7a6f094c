/// The state that several processes share while they work on one list of items:
/// who does which item, which items are finished, who writes the report. A launcher
/// (mpirun) starts the same command N times. The processes meet in a folder and
/// share nothing else, so that any of them may die at any moment.
///
/// An item belongs to the process that holds a lock on its byte of the file
/// `state`. The system releases the lock when the process dies in any way, and
/// another process then takes the unfinished item. Answers are in one file per
/// rank, one line of JSON each, written before the item is marked as finished.
/// Locks are POSIX record locks: they work on one machine and on file systems
/// that support them over the network (NFS version 4).
#pragma once

#include "assay/support/RecordFile.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <memory>
#include <optional>

namespace assay::ranks {

/// One of `size` processes that a launcher started with the same command line.
struct RankIdentity {
  int rank = 0, size = 1;
  int onMachine = 1; ///< number of ranks on this machine
  std::string job;   ///< the launcher's name for this run

  /// Read from Open MPI's environment; nullopt outside of mpirun and for one
  /// rank.
  static std::optional<RankIdentity> ofLauncher();
};

class RankBoard {
public:
  /// The first process creates the folder. Runs with other arguments (`words`)
  /// use another folder. `resumeFile` is copied once, so that all ranks start
  /// from the same content. Errors: InvalidArgument where the folder cannot be
  /// written or there are too many ranks.
  static llvm::Expected<std::unique_ptr<RankBoard>>
  open(RankIdentity identity, llvm::ArrayRef<const char *> words,
       llvm::StringRef resumeFile);
  ~RankBoard();

  enum class Answer {
    Mine,     ///< this process holds it until finish() and has to do it
    Running,  ///< another process holds it
    Finished, ///< its answer can be read
    GivenUp, ///< two processes died on it; held here, never retried
  };
  /// Takes an item that is free or whose process has died. `lostBy` is then the
  /// rank of the dead process, else -1.
  Answer take(int64_t item, int &lostBy);
  bool isFree(int64_t item) const;
  llvm::Error finish(int64_t item, llvm::json::Value answer);
  /// The answer of a finished item; call once. Errors: DataLoss when it is
  /// missing.
  llvm::Expected<llvm::json::Value> answerOf(int64_t item);

  /// Becomes the one that reports; rank 0 tries first.
  bool takeReport();
  bool isReported() const;
  void setReported();
  /// Deletes the folder if every rank has arrived. Call after the report is
  /// written.
  void removeIfComplete();

  const RankIdentity &identity() const { return identity_; }
  const std::string &resumeCopy() const { return resume_; }

private:
  explicit RankBoard(RankIdentity identity);
  llvm::Error prepare(llvm::StringRef resumeFile);
  std::string answersOf(int rank) const;
  bool lock(int64_t at, bool waits);
  void unlock(int64_t at);
  uint8_t read(int64_t at) const;
  void write(int64_t at, uint8_t value);

  struct Lines; ///< the answers of one rank that were read so far
  RankIdentity identity_;
  std::string folder_, resume_;
  int state_ = -1;
  std::unique_ptr<RecordFile> answers_; ///< of this rank
  std::map<int, std::unique_ptr<Lines>> lines_;
};

} // namespace assay::ranks
