/// Writes an HDF5 file whose finished parts survive a kill: the library only
/// makes metadata, which are flushed before any data are written; plain writes
/// put the data at their offsets.
#pragma once

#include "assay/formats/Stored.h"

#include <string>
#include <vector>

namespace assay::formats {

class Hdf5Writer {
public:
  using Attributes = std::vector<std::pair<std::string, std::string>>;

  /// Creates the file, or empties an existing one. Errors: InvalidArgument with
  /// path and reason; ResourceLimit when the disk is full.
  static llvm::Expected<std::unique_ptr<Hdf5Writer>>
  create(llvm::StringRef path, const Attributes &rootAttributes);
  /// Closes the file and ignores errors; close() reports them.
  ~Hdf5Writer();
  Hdf5Writer(const Hdf5Writer &) = delete;

  /// Makes a contiguous dataset with its space allocated, and the missing
  /// groups of its path with tracked creation order. Returns the offset of the
  /// data in the file, -1 for an empty tensor. The metadata are in the file
  /// only after flush(); write the data after that. Errors: ResourceLimit when
  /// the disk is full, InvalidArgument when the name is not valid
  llvm::Expected<int64_t> allocate(llvm::StringRef path, const TensorType &type,
                                   const Attributes &attributes);
  /// Makes `path` a hard link to the existing dataset `target`; it is in the
  /// file after flush().
  llvm::Error link(llvm::StringRef path, llvm::StringRef target);
  /// Writes the metadata of everything made so far into the file. This walks
  /// all metadata that the library holds, so call it once for many datasets.
  /// Errors: those of allocate()
  llvm::Error flush();
  /// Removes a dataset whose data were not written, which shrinks the file.
  void remove(llvm::StringRef path);
  /// Writes data bytes at an offset that allocate() returned.
  llvm::Error writeData(llvm::ArrayRef<uint8_t> bytes, int64_t offset);
  llvm::Error close();
  /// For a forked child: discards everything that is written later through this
  /// object, including by the library's exit handler; the file is left to the
  /// parent. Makes system calls only.
  void leaveToParent();

private:
  Hdf5Writer();
  struct Kept;
  llvm::Error failure() const;
  std::string path_;
  int64_t file_ = -1; // HDF5's identifier
  int descriptor_ = -1, libraryDescriptor_ = -1;
  std::unique_ptr<Kept> kept_; // null after close()
};

} // namespace assay::formats
