/// Writing an HDF5 file whose finished parts survive a kill: the library only
/// makes metadata, flushed before any data are written; the data go to their
/// offsets by plain writes.
#pragma once

#include "assay/formats/Stored.h"

#include <string>
#include <vector>

namespace assay::formats {

class Hdf5Writer {
public:
  using Attributes = std::vector<std::pair<std::string, std::string>>;

  /// Creates (or empties) the file. Errors: InvalidArgument with path and
  /// reason; ResourceLimit when the disk is full.
  static llvm::Expected<std::unique_ptr<Hdf5Writer>>
  create(llvm::StringRef path, const Attributes &rootAttributes);
  /// Closes and ignores errors; close() reports them.
  ~Hdf5Writer();
  Hdf5Writer(const Hdf5Writer &) = delete;

  /// Makes a contiguous dataset with its space allocated, and groups on the way
  /// with tracked creation order. Returns the offset of the data in the file,
  /// -1 for an empty tensor. The metadata are in the file after flush(); write
  /// the data after that. Errors:  ResourceLimit when the disk is full,
  /// InvalidArgument when the name cannot be made
  llvm::Expected<int64_t> allocate(llvm::StringRef path, const TensorType &type,
                                   const Attributes &attributes);
  /// Makes `path` a hard link to the existing dataset `target`; in the file
  /// after flush().
  llvm::Error link(llvm::StringRef path, llvm::StringRef target);
  /// Writes the metadata of everything made so far into the file. It looks
  /// through all metadata that the library holds, so call it for many datasets
  /// at once. Errors: as allocate()
  llvm::Error flush();
  /// Takes a dataset out again (its data were not written); the file shrinks by
  /// it.
  void remove(llvm::StringRef path);
  /// Writes data bytes at an offset that allocate() gave.
  llvm::Error writeData(llvm::ArrayRef<uint8_t> bytes, int64_t offset);
  llvm::Error close();
  /// In a forked child: everything written here later, by the library's own
  /// handler at exit too, is discarded; the file stays the parent's. Calls
  /// only the system.
  void leaveToParent();

private:
  Hdf5Writer();
  struct Kept;
  llvm::Error failure() const;
  std::string path_;
  int64_t file_ = -1; // HDF5's identifier
  int descriptor_ = -1, libraryDescriptor_ = -1;
  std::unique_ptr<Kept> kept_; // until close()
};

} // namespace assay::formats
