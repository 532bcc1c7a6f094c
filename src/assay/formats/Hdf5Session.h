/// The parts of a file that only libhdf5 can read: its catalogue, and data that
/// are not contiguous. Private to the HDF5 files of this component.
#pragma once

#include "assay/formats/Hdf5Handle.h"
#include "assay/formats/Hdf5Reader.h"

namespace assay::formats::hdf5 {

struct Catalogue {
  std::vector<Hdf5Dataset> datasets;
  std::vector<std::pair<std::string, std::string>> attributes; ///< of the root
};

/// Opens one file with the library in this process, which a damaged file can
/// crash. Readers use Hdf5Helper.h; fuzzers use this class, because they must
/// see the crash.
class Session {
public:
  /// Errors: InvalidArgument (not an HDF5 file, another process is writing it),
  /// DataLoss
  static llvm::Expected<Session> open(const std::string &path);

  /// Errors: DataLoss
  llvm::Expected<Catalogue> list() const;
  /// Reads `height` rows, from `row` on, of a dataset that is not contiguous,
  /// along slabDimension(). Errors: DataLoss
  llvm::Error readRows(const std::string &dataset,
                       llvm::ArrayRef<int64_t> shape, int64_t row,
                       int64_t height, void *out) const;

private:
  std::string path_;
  Handle file_;
};

/// The dimension along which slabs are cut: the first whose size is not 1.
size_t slabDimension(llvm::ArrayRef<int64_t> shape);

} // namespace assay::formats::hdf5
