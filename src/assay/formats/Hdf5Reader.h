/// Datasets of an HDF5 file: a catalogue made once, then reads by window.
/// Contiguous data are read by offset without the library; chunked and filtered
/// ones through it.
#pragma once

#include "assay/formats/Hdf5Journal.h"
#include "llvm/ADT/StringMap.h"

#include <mutex>
#include <vector>

namespace assay::formats {

namespace hdf5 {
class SessionHelper;
}

/// One dataset as the catalogue lists it.
struct Hdf5Dataset {
  std::string path; ///< "/1/blocks.0.norm1.LayerNorm.0.forward_input.0"
  TensorType type;  ///< after the `dtype` attribute was applied
  bool opaque = false, swapBytes = false; ///< see StoredTensor
  std::string unsupported; ///< why it is not a tensor (text, references, ...);
                           ///< empty for a tensor
  int64_t offset =
      -1; ///< of the data in the file; -1: not contiguous, or empty
  int64_t sizeBytes = 0; ///< of the data as stored
  uint64_t object = 0;   ///< equal for hard links to the same data
  std::string
      hash; ///< the attribute `hash` (XXH3-128, 32 hex digits), if there is one
  std::vector<std::pair<std::string, std::string>>
      attributes; ///< the other attributes that are text or one integer
};

class Hdf5Reader {
public:
  /// Opens the file and lists its datasets in creation order (files without
  /// tracked order: in the order of their object headers, which is that of
  /// creation too). A file that a killed recorder left behind is repaired from
  /// its journal first (Hdf5Journal.h). Errors:  NotFound, InvalidArgument
  /// (foreign file, permission, being written by another process), DataLoss
  static llvm::Expected<std::unique_ptr<Hdf5Reader>> open(llvm::StringRef path);
  /// For the writer of the file, which knows its contiguous datasets: no library,
  /// no catalogue to read. Errors: InvalidArgument when the file cannot be read
  static llvm::Expected<std::unique_ptr<Hdf5Reader>>
  openListed(llvm::StringRef path, std::vector<Hdf5Dataset> datasets);
  ~Hdf5Reader();
  Hdf5Reader(const Hdf5Reader &) = delete;

  const std::string &path() const { return path_; }
  /// Set when opening had to repair the file.
  const std::optional<RepairResult> &repaired() const { return repaired_; }
  const std::vector<Hdf5Dataset> &datasets() const { return datasets_; }
  /// Attributes of the file's root that are text or one integer.
  const std::vector<std::pair<std::string, std::string>> &attributes() const {
    return attributes_;
  }
  /// Null when there is none; the leading slash may be left out.
  const Hdf5Dataset *find(llvm::StringRef path) const;

  /// Reads `count` elements from element `first` on (row-major order) into
  /// `out`, in the byte order of the machine. Threads: re-entrant. Errors:
  /// DataLoss when the file ends early or a filter fails
  llvm::Error read(const Hdf5Dataset &dataset, int64_t first, int64_t count,
                   void *out) const;
  /// The whole tensor, of the expected type if one is given (see finishStored).
  llvm::Expected<Tensor>
  readTensor(const Hdf5Dataset &dataset,
             const std::optional<TensorType> &expected = std::nullopt) const;

private:
  Hdf5Reader() = default;
  struct Slab;
  llvm::Error list();
  void setDatasets(std::vector<Hdf5Dataset> datasets);
  llvm::Error readThroughLibrary(const Hdf5Dataset &dataset, int64_t first,
                                 int64_t count, uint8_t *out) const;
  std::string path_;
  std::optional<RepairResult> repaired_;
  int descriptor_ = -1;
  int64_t fileBytes_ = 0;
  std::vector<Hdf5Dataset> datasets_;
  std::vector<std::pair<std::string, std::string>> attributes_;
  llvm::StringMap<size_t> byPath_;
  std::unique_ptr<hdf5::SessionHelper> helper_; // null: all data contiguous
  mutable std::mutex slabLock_;
  mutable std::unique_ptr<Slab> slab_; // the last rows read through the library
};

/// XXH3-128 of bytes as 32 hex digits: the `hash` attribute.
std::string hashBytes(llvm::ArrayRef<uint8_t> bytes);
/// Copies the bytes and returns the hash of the copy, in one pass.
std::string copyAndHash(void *to, llvm::ArrayRef<uint8_t> bytes);

} // namespace assay::formats
