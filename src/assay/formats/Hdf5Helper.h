/// Runs a Session in a helper process. In files whose metadata are damaged,
/// libhdf5 1.10 reads past its buffers or never ends; in a helper process that
/// becomes an error about the file. Private to the HDF5 files of this
/// component.
#pragma once

#include "assay/formats/Hdf5Session.h"
#include "assay/support/HelperProcess.h"

namespace assay::formats::hdf5 {

/// Calls fork() while no other thread is inside libhdf5; otherwise the copy
/// would wait forever for the library's lock.
pid_t forkOutsideLibrary();

/// Threads: one call at a time.
class SessionHelper {
public:
  /// `fileBytes`: a larger file gets more time for its catalogue. Errors: those
  /// of Session::open; ResourceLimit (no further process)
  static llvm::Expected<std::unique_ptr<SessionHelper>>
  open(const std::string &path, int64_t fileBytes);

  /// Errors: those of Session; DataLoss when the file made the library crash
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
