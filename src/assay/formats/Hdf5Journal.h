/// FILE.h5.journal: one line of JSON per finished tensor of an HDF5 file that
/// is being written, and the repair of a file whose writer was killed. The
/// lines hold everything that is needed to rebuild the file's metadata. The
/// first line has the attributes of the root and a state: whether the metadata
/// in the file were being changed ("busy") or were consistent ("calm").
#pragma once

#include "assay/formats/Hdf5Writer.h"
#include "assay/support/RecordFile.h"

namespace assay::formats {

struct JournalEntry {
  std::string path; ///< path of the dataset
  TensorType type;
  int64_t offset =
      -1; ///< offset of the data; equal for hard links; -1: an empty tensor
  std::string hash;
  Hdf5Writer::Attributes attributes;
};

/// The writing side. It locks the journal as long as it exists, so that a
/// running recording can be told from a killed one.
class JournalWriter {
public:
  /// Errors: InvalidArgument when another process records into the same file,
  /// or the folder is not writable
  static llvm::Expected<std::unique_ptr<JournalWriter>>
  create(llvm::StringRef file, const Hdf5Writer::Attributes &rootAttributes);
  llvm::Error append(const JournalEntry &entry);
  /// Records that the file's metadata are about to be changed (busy) or are
  /// consistent again. A new journal is busy.
  llvm::Error setBusy(bool busy);
  /// Deletes the journal after a recording that ended normally.
  void remove();
  /// For a forked child: leaves the journal and its lock to the parent.
  void leaveToParent() { file_->leaveToParent(); }

private:
  explicit JournalWriter(std::unique_ptr<RecordFile> file)
      : file_(std::move(file)) {}
  std::unique_ptr<RecordFile> file_;
};

struct RepairResult {
  int64_t tensors = 0;  ///< number of tensors in the repaired file
  bool rebuilt = false; ///< the metadata had to be rebuilt
};

/// Repairs FILE if FILE.journal exists and its writer is gone: afterwards the
/// file holds exactly the tensors of the journal and any HDF5 program can read
/// it; the journal is deleted. An interruption loses nothing, because a rebuilt
/// file replaces the old one only when it is complete. Returns nullopt where
/// there is no journal. Errors: InvalidArgument with `busyText` while the
/// recording is running, InvalidArgument when the folder is not writable;
/// ResourceLimit
llvm::Expected<std::optional<RepairResult>>
repairFromJournal(llvm::StringRef file, const std::string &busyText);

/// The lines of a journal, without a last line that was cut off. Errors:
/// DataLoss for any other damage.
struct JournalContent {
  bool busy = true;
  Hdf5Writer::Attributes rootAttributes;
  std::vector<JournalEntry> entries;
};
llvm::Expected<JournalContent> parseJournal(llvm::StringRef text,
                                            llvm::StringRef path);

} // namespace assay::formats
