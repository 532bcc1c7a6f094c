/// What trials of a reduction came to, on disk, so that one that was killed
/// goes on where it was: the search is deterministic, so it asks the same
/// questions again and finds their answers here.
#pragma once

#include "assay/support/Error.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace assay::judge {

class Journal {
public:
  Journal() = default; ///< keeps nothing
  Journal(Journal &&other) noexcept;
  Journal &operator=(Journal &&other) noexcept;
  ~Journal();

  /// Opens the file. `heading` says what is reduced (one line); with `resume`
  /// the answers in a file of the same heading are taken over, a last line
  /// that is not whole is dropped. Errors: InvalidArgument for a file that
  /// cannot be written, and, with `resume`, for one of another heading.
  static llvm::Expected<Journal> open(llvm::StringRef path,
                                      llvm::StringRef heading, bool resume);
  /// The answer to a question; none: not asked yet.
  std::optional<int> find(llvm::StringRef key) const;
  void add(llvm::StringRef key, int answer);
  int64_t takenOver() const { return takenOver_; }
  /// Closes and removes the file: the work is done.
  void remove();

private:
  std::string path_;
  int file_ = -1;
  int64_t takenOver_ = 0;
  llvm::StringMap<int> answers_;
};

} // namespace assay::judge
