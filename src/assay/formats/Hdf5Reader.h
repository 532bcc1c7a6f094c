/// Datasets of an HDF5 file: a catalogue made once, then reads of any range of
/// elements. Contiguous data are read by offset without the library, chunked
/// and filtered data through it.
#pragma once

#include "assay/formats/Hdf5Journal.h"
#include "llvm/ADT/StringMap.h"

#include <mutex>
#include <vector>

namespace assay::formats {

namespace hdf5 {
class SessionHelper;
}

/// One dataset in the catalogue.
struct Hdf5Dataset {
  std::string path; ///< "/1/blocks.0.norm1.LayerNorm.0.forward_input.0"
  TensorType type;  ///< the type according to the `dtype` attribute, if present
  bool opaque = false, swapBytes = false; ///< see StoredTensor
  std::string unsupported; ///< why it is not a tensor (text, references, ...);
                           ///< empty for a tensor
  int64_t offset =
      -1; ///< offset of the data in the file; -1: not contiguous, or empty
  int64_t sizeBytes = 0; ///< size of the data as stored
  uint64_t object = 0;   ///< equal for hard links to the same data
  std::string
      hash; ///< the `hash` attribute (XXH3-128, 32 hex digits), if there is one
  std::vector<std::pair<std::string, std::string>>
      attributes; ///< the other attributes that are text or a single integer
};

class Hdf5Reader {
public:
  /// Opens the file and lists its datasets in creation order (where that is not
  /// tracked, by the offset of their object headers, which is the same order).
  /// A file that a killed recorder left behind is first repaired from its
  /// journal (Hdf5Journal.h). Errors: NotFound, InvalidArgument (not an HDF5
  /// file, permission, another process is writing it), DataLoss
  static llvm::Expected<std::unique_ptr<Hdf5Reader>> open(llvm::StringRef path);
  /// For the writer of the file, which already knows its contiguous datasets:
  /// neither uses the library nor reads a catalogue. Errors: InvalidArgument
  /// when the file cannot be read
  static llvm::Expected<std::unique_ptr<Hdf5Reader>>
  openListed(llvm::StringRef path, std::vector<Hdf5Dataset> datasets);
  ~Hdf5Reader();
  Hdf5Reader(const Hdf5Reader &) = delete;

  const std::string &path() const { return path_; }
  /// Set if open() had to repair the file.
  const std::optional<RepairResult> &repaired() const { return repaired_; }
  const std::vector<Hdf5Dataset> &datasets() const { return datasets_; }
  /// The attributes of the root that are text or a single integer.
  const std::vector<std::pair<std::string, std::string>> &attributes() const {
    return attributes_;
  }
  /// The dataset with this path, or null; the leading slash may be omitted.
  const Hdf5Dataset *find(llvm::StringRef path) const;

  /// Reads `count` elements from element `first` on (row-major order) into
  /// `out`, in the machine's byte order. Threads: re-entrant. Errors: DataLoss
  /// when the file ends early or a filter fails
  llvm::Error read(const Hdf5Dataset &dataset, int64_t first, int64_t count,
                   void *out) const;
  /// Reads the whole tensor, with the expected type if one is given (see
  /// finishStored).
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
  mutable std::unique_ptr<Slab> slab_; // the last rows that the library read
};

/// XXH3-128 of bytes as 32 hex digits: the `hash` attribute.
std::string hashBytes(llvm::ArrayRef<uint8_t> bytes);
/// Copies the bytes and returns their hash, in one pass.
std::string copyAndHash(void *to, llvm::ArrayRef<uint8_t> bytes);

} // namespace assay::formats
