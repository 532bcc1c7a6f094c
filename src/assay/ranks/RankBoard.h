/// What several processes that share one list of work know about each other: which
/// does which item, what is finished, which one reports. A launcher (mpirun) starts the same
/// command N times; the processes meet in a folder and share nothing else, so
/// that any of them may die at any moment.
///
/// An item belongs to the process that holds a lock on its byte of the file
/// `state`. The system gives the lock up when the process dies, however it dies,
/// and the item, not marked as finished, is then taken by another. Answers
/// are in a file per rank, a line of JSON each, written before the mark. Locks
/// are POSIX record locks: they hold on one machine and on file systems that
/// pass them on (NFS version 4).
#pragma once

#include "assay/support/RecordFile.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <memory>
#include <optional>

namespace assay::ranks {

/// One of `size` processes that a launcher started with the same words.
struct RankIdentity {
  int rank = 0, size = 1;
  int onMachine = 1; ///< ranks of this machine
  std::string job;   ///< tells runs of the launcher apart

  /// From Open MPI's environment; nullopt outside of mpirun, and for a single rank.
  static std::optional<RankIdentity> ofLauncher();
};

class RankBoard {
public:
  /// The folder is created by the first process. `words` tells runs
  /// with other arguments apart; `resumeFile` is copied once, so that all ranks
  /// begin with the same. Errors: a folder that cannot be written.
  static llvm::Expected<std::unique_ptr<RankBoard>>
  open(RankIdentity identity, llvm::ArrayRef<const char *> words,
       llvm::StringRef resumeFile);
  ~RankBoard();

  enum class Answer {
    Mine,     ///< to be done by this process, which holds it until finish()
    Running,  ///< by another
    Finished, ///< its answer can be read
    GivenUp, ///< two processes died on it: it is not retried; this one holds it
  };
  /// Takes an item that is free, or whose process has died; `lostBy` is that
  /// one's rank then, else -1.
  Answer take(int64_t item, int &lostBy);
  bool isFree(int64_t item) const;
  llvm::Error finish(int64_t item, llvm::json::Value answer);
  /// The answer of a finished item, once. Errors: DataLoss when it cannot be found.
  llvm::Expected<llvm::json::Value> answerOf(int64_t item);

  bool hasCome(int rank) const;
  /// Becomes the one that reports; rank 0 tries first.
  bool takeReport();
  bool isReported() const;
  void setReported();
  /// When all ranks have come and the report is out, the folder can go.
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

  struct Lines; ///< one rank's answers, read so far
  RankIdentity identity_;
  std::string folder_, resume_;
  int state_ = -1;
  std::unique_ptr<RecordFile> answers_; ///< of this rank
  std::map<int, std::unique_ptr<Lines>> lines_;
};

} // namespace assay::ranks
