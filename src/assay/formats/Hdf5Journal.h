/// FILE.h5.journal: one line of JSON per finished tensor of an HDF5 file that
/// is being written, and the repair of a file whose writer was killed. The
/// lines hold everything that is needed to rebuild the file's metadata. A
/// first line has the attributes of the root, and whether the metadata in the
/// file were being changed ("busy") or agreed ("calm").
#pragma once

#include "assay/formats/Hdf5Writer.h"
#include "assay/support/RecordFile.h"

namespace assay::formats {

struct JournalEntry {
  std::string path; ///< of the dataset
  TensorType type;
  int64_t offset =
      -1; ///< of the data; equal offsets are hard links; -1: an empty tensor
  std::string hash;
  Hdf5Writer::Attributes attributes;
};

/// The writing side. Holds a lock on the journal as long as it lives, which
/// tells a live recording from a killed one.
class JournalWriter {
public:
  /// Errors:  InvalidArgument when another process records into the same file,
  /// or the folder cannot be written
  static llvm::Expected<std::unique_ptr<JournalWriter>>
  create(llvm::StringRef file, const Hdf5Writer::Attributes &rootAttributes);
  llvm::Error append(const JournalEntry &entry);
  /// Says whether the file's metadata are being changed from now on. A new
  /// journal is busy.
  llvm::Error setBusy(bool busy);
  /// The recording ended in order: the journal goes away.
  void remove();
  /// In a forked child: the journal and its lock stay the parent's.
  void leaveToParent() { file_->leaveToParent(); }

private:
  explicit JournalWriter(std::unique_ptr<RecordFile> file)
      : file_(std::move(file)) {}
  std::unique_ptr<RecordFile> file_;
};

struct RepairResult {
  int64_t tensors = 0;  ///< in the repaired file
  bool rebuilt = false; ///< the metadata had to be rebuilt
};

/// If FILE.journal exists and its writer is gone: makes the file hold exactly
/// the tensors of the journal, readable by any HDF5 program, and removes the
/// journal. Nothing is lost when this is interrupted: a rebuilt file replaces
/// the old one only when it is complete. Without a journal nothing happens
/// (nullopt). Errors: InvalidArgument with `busyText` while the recording still
/// runs, InvalidArgument when the folder cannot be written; ResourceLimit
llvm::Expected<std::optional<RepairResult>>
repairFromJournal(llvm::StringRef file, const std::string &busyText);

/// The lines of a journal; a last line that was cut off is left out. Errors:
/// DataLoss for any other damage.
struct JournalContent {
  bool busy = true;
  Hdf5Writer::Attributes rootAttributes;
  std::vector<JournalEntry> entries;
};
llvm::Expected<JournalContent> parseJournal(llvm::StringRef text,
                                            llvm::StringRef path);

} // namespace assay::formats
