/// A file of records that only grows, one line of text each: every journal of the project (recordings, collections,
/// batches with --resume, reductions, kept choices, answers of ranks).
///
/// A record is complete when its newline is there. A process that is killed loses at most the record that it was
/// writing: the next process that appends cuts that part off. A disk that is full loses the record, not those before it.
#pragma once

#include "assay/support/Error.h"

#include <memory>
#include <string>
#include <sys/types.h>

namespace assay {

/// From now on the descriptor refers to /dev/null: for files of the parent in a
/// forked child. Calls nothing but the system.
void sendNowhere(int descriptor);

class RecordFile {
public:
  /// Which processes may have the file open for writing at the same time.
  enum class Writers {
    One,    ///< only this process; a second one gets `onLocked`
    Group,  ///< those that open it in this way; at most one of them appends
    Anybody ///< no lock: each record is one write at the end of the file
  };

  /// Opens or creates the file and reads its complete records. A part of a
  /// record at the end is left until the first append(), which cuts it off, or
  /// ends it with a newline where anybody may write (readers skip lines that are
  /// torn or empty).
  /// Errors: InvalidArgument with `onLocked` as its text where another process
  /// holds the lock; InvalidArgument or ResourceLimit with path and reason
  /// where it cannot be opened, read or cut.
  static llvm::Expected<std::unique_ptr<RecordFile>>
  open(llvm::StringRef path, Writers writers, llvm::StringRef onLocked = "");
  /// Closes the file, and gives up the lock.
  ~RecordFile();
  RecordFile(const RecordFile &) = delete;
  RecordFile &operator=(const RecordFile &) = delete;

  const std::string &path() const { return path_; }
  /// The complete records that open() found, each with its newline.
  llvm::StringRef found() const { return found_; }
  /// True while no record was found or appended.
  bool isEmpty() const { return sizeBytes_ == 0; }

  /// Appends one record; `record` has no newline. A record that could not be
  /// written whole is taken back, so that the next one begins a line.
  /// Errors: ResourceLimit when the disk is full, else InvalidArgument; both
  /// name path and reason.
  llvm::Error append(llvm::StringRef record);
  /// Overwrites bytes of a record in place. Not for Writers::Anybody.
  llvm::Error overwrite(int64_t offset, llvm::StringRef bytes);
  /// Drops all records. Not for Writers::Anybody.
  llvm::Error clear();
  /// Removes the file from its folder: it is not needed any more.
  void remove();
  /// In a forked child: the file and its lock stay the parent's. Nothing else may
  /// be called here later.
  void leaveToParent() { sendNowhere(file_); }
  /// Removes the file if no record is in it and no other process has it open
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
  int64_t sizeBytes_ = 0; ///< of complete records, as far as this process knows
  bool isTorn_ = false;   ///< a part of a record follows them
};

/// The complete records of a file that may be written meanwhile: its text up to
/// the last newline; empty if there is no file.
/// Errors: InvalidArgument where it cannot be read.
llvm::Expected<std::string> readRecords(llvm::StringRef path);

/// Calls `each(line, number)` for the lines of such a text, counted from 1,
/// until it returns false.
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
