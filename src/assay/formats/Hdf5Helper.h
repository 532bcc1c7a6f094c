/// A Session in a helper process: libhdf5 1.10 reads past its buffers, and
/// sometimes without end, in files whose metadata are damaged; here that is an
/// error about the file. Private to the HDF5 files of this component.
#pragma once

#include "assay/formats/Hdf5Session.h"
#include "assay/support/HelperProcess.h"

namespace assay::formats::hdf5 {

/// fork() while no other thread is inside of libhdf5, whose lock the copy would
/// otherwise wait for forever.
pid_t forkOutsideLibrary();

/// Threads: one call at a time.
class SessionHelper {
public:
  /// `fileBytes`: the larger the file, the longer its catalogue may take.
  /// Errors: those of Session::open; ResourceLimit (no further process)
  static llvm::Expected<std::unique_ptr<SessionHelper>>
  open(const std::string &path, int64_t fileBytes);

  /// Errors: those of Session; DataLoss when the library died of the file
  llvm::Expected<Catalogue> list();
  llvm::Error readRows(const Hdf5Dataset &dataset, int64_t row, int64_t height,
                       llvm::MutableArrayRef<uint8_t> out);

private:
  SessionHelper(std::string path, int64_t fileBytes)
      : path_(std::move(path)), fileBytes_(fileBytes) {}
  llvm::Error explain(llvm::Error error, const char *what) const;
  std::string path_;
  int64_t fileBytes_;
  std::unique_ptr<HelperProcess> process_;
};

} // namespace assay::formats::hdf5
