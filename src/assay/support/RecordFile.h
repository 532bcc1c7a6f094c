/// A file of records that only grows, one line of text each: every journal of the project (recordings, collections,
/// batches with --resume, reductions, kept choices, answers of ranks).
///
/// A record is complete once its newline is written. A process that is killed loses at most the record that it was
/// writing: the next process that appends cuts that part off. A full disk loses the new record, not the earlier ones.
#pragma once

#include "assay/support/Error.h"

#include <memory>
#include <string>
#include <sys/types.h>

namespace assay {

/// Makes the descriptor refer to /dev/null; for the parent's files in a forked
/// child. Calls only system functions.
void sendNowhere(int descriptor);

class RecordFile {
public:
  /// Which processes may have the file open for writing at the same time.
  enum class Writers {
    One,    ///< only this process; a second one gets `onLocked`
    Group,  ///< those that also open it as Group; only one of them may append
    Anybody ///< no lock: each record is one write at the end of the file
  };

  /// Opens or creates the file and reads its complete records. An incomplete
  /// record at the end stays until the first append(), which cuts it off, or
  /// ends it with a newline under Writers::Anybody (readers skip torn and empty
  /// lines).
  /// Errors: InvalidArgument with `onLocked` as its text where another process
  /// holds the lock; InvalidArgument or ResourceLimit with path and reason
  /// where the file cannot be opened, read or cut.
  static llvm::Expected<std::unique_ptr<RecordFile>>
  open(llvm::StringRef path, Writers writers, llvm::StringRef onLocked = "");
  /// Closes the file and releases the lock.
  ~RecordFile();
  RecordFile(const RecordFile &) = delete;
  RecordFile &operator=(const RecordFile &) = delete;

  const std::string &path() const { return path_; }
  /// The complete records that open() found, each with its newline.
  llvm::StringRef found() const { return found_; }
  /// True while no record was found or appended.
  bool isEmpty() const { return sizeBytes_ == 0; }

  /// Appends one record; `record` has no newline. A partly written record is
  /// removed again, so that the next one begins a line.
  /// Errors: ResourceLimit when the disk is full, else InvalidArgument; both
  /// name path and reason.
  llvm::Error append(llvm::StringRef record);
  /// Overwrites bytes of a record in place. Not for Writers::Anybody.
  llvm::Error overwrite(int64_t offset, llvm::StringRef bytes);
  /// Drops all records. Not for Writers::Anybody.
  llvm::Error clear();
  /// Deletes the file once it is not needed any more.
  void remove();
  /// For a forked child: leaves the file and its lock to the parent. Call
  /// nothing else on this object afterwards.
  void leaveToParent() { sendNowhere(file_); }
  /// Deletes the file if it has no record and no other process has it open
  /// under a lock.
  void removeIfEmpty();

private:
  RecordFile(llvm::StringRef path, Writers writers)
      : path_(path.str()), writers_(writers) {}
  llvm::Error lock(llvm::StringRef onLocked);
  llvm::Error readFound();
  llvm::Error mendEnd();
  llvm::Error cut(int64_t sizeBytes);

  std::string path_, found_;
  Writers writers_;
  int file_ = -1;
  int64_t sizeBytes_ = 0; ///< of the complete records that this process knows
                          ///< of
  bool isTorn_ = false;   ///< an incomplete record follows them
};

/// The complete records of a file that may be growing: its text up to the last
/// newline; empty if there is no file.
/// Errors: InvalidArgument where it cannot be read.
llvm::Expected<std::string> readRecords(llvm::StringRef path);

/// Calls `each(line, number)` for each line of `text`, counted from 1, until it
/// returns false.
template <typename Function>
void forEachRecord(llvm::StringRef text, Function each) {
  for (int64_t number = 1; !text.empty(); ++number) {
    auto [line, rest] = text.split('\n');
    if (!each(line, number))
      return;
    text = rest;
  }
}

} // namespace assay
