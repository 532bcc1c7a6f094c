/// The answers of a reduction's trials, on disk, so that a killed reduction
/// continues where it stopped: the search is deterministic, so it repeats
/// the same trials and finds their answers here.
#pragma once

#include "assay/support/RecordFile.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace assay::judge {

class Journal {
public:
  Journal() = default; ///< keeps nothing

  /// Opens the file. `heading` says what is reduced (one line); with `resume`
  /// the answers in a file with the same heading are used. Errors:
  /// InvalidArgument for a file that cannot be written or that another
  /// reduction has open, and, with `resume`, for one with another heading.
  static llvm::Expected<Journal> open(llvm::StringRef path,
                                      llvm::StringRef heading, bool resume);
  /// The answer to a question; nullopt if it is new.
  std::optional<int> find(llvm::StringRef key) const;
  /// An answer that cannot be written (a full disk) is computed again after
  /// --resume.
  void add(llvm::StringRef key, int answer);
  int64_t takenOver() const { return takenOver_; }
  /// Closes and removes the file: the work is done.
  void remove();

private:
  std::unique_ptr<RecordFile> file_;
  int64_t takenOver_ = 0;
  llvm::StringMap<int> answers_;
};

} // namespace assay::judge
