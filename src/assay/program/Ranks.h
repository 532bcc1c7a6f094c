/// One of several operating-system processes that a launcher (mpirun) started
/// with the same arguments to run one program. Each rank runs some of the
/// program's processes, and all run the code around them. They exchange files
/// in a folder on one machine. A small shared memory holds each rank's
/// progress, its last action and whether it is alive, so that a message can
/// name the rank that died or waits for something that never comes.
#pragma once

#include "assay/program/RunContext.h"

namespace assay::program {

class Ranks {
public:
  struct Options {
    int rank = 0, size = 1;
    std::string meeting;       ///< the same text on every rank of one run
    double timeoutSeconds = 0; ///< limit on waiting without any news; 0: none
  };
  /// Errors: InvalidArgument if the folder or the memory cannot be made.
  static llvm::Expected<std::unique_ptr<Ranks>> open(const Options &options);
  ~Ranks();
  Ranks(const Ranks &) = delete;

  int rank() const { return options_.rank; }
  int size() const { return options_.size; }

  /// Begins a collective operation; its number is the same on every rank.
  int64_t begin() { return ++epoch_; }

  /// Sends bytes to a rank under a key that is used only once. Errors:
  /// DataLoss.
  llvm::Error send(int to, const std::string &key, llvm::StringRef bytes);
  /// Takes the message for this rank, if it has arrived. Errors: DataLoss.
  llvm::Expected<std::optional<std::string>> receive(const std::string &key);

  /// How many messages all ranks have sent. Read it before looking for a
  /// message, so that a late message is not mistaken for one that never comes.
  uint64_t sent() const;
  /// Waits briefly, because no message had arrived when `sent` was read. `what`
  /// says what this rank waits for. Errors: Mismatch when all ranks wait, when
  /// one has died or failed, or when nothing came in time.
  llvm::Error wait(uint64_t sent, const std::string &what);

  /// Records what this rank is doing, for the message in case it dies.
  void say(const std::string &doing);
  /// Tells the other ranks that this one cannot continue, and why.
  void fail(ErrorCode code, const std::string &message);
  /// Records that a signal ended this rank's process; called by the parent that
  /// watches it.
  void died(int signal);

  /// True for the rank that prints: the first one that is alive.
  bool reports() const;
  /// Says that the report is written, so that all ranks may end.
  void reported();
  /// Says that this rank is finished, so that it does not count as dead when
  /// its process ends. The last one to leave removes the folder.
  void leave();
  /// Waits for the report, a few seconds at most, because a launcher ends all
  /// ranks when one ends with a nonzero code.
  void awaitReport() const;

private:
  struct Slot;
  explicit Ranks(Options options) : options_(std::move(options)) {}
  llvm::Error prepare();
  Slot &slot(int rank) const;
  bool isDead(int rank) const;
  bool isDeadlock(uint64_t sent) const;
  std::string pathOf(int to, const std::string &key) const;

  Options options_;
  std::string folder_;
  void *board_ = nullptr;
  int64_t epoch_ = 0;
  uint64_t seenSent_ = 0;
  int64_t quietSinceMs_ = 0;
};

} // namespace assay::program
