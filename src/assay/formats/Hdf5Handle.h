/// RAII for HDF5's identifiers, and its error text. Private to the HDF5 files
/// of this component.
#pragma once

#include "assay/support/Error.h"

#include <hdf5.h>
#include <utility>

namespace assay::formats::hdf5 {

/// Owns one identifier of any kind (file, group, dataset, type, space, property
/// list, attribute).
class Handle {
public:
  Handle() = default;
  explicit Handle(hid_t id) : id_(id) {}
  Handle(Handle &&other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Handle &operator=(Handle &&other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0)
      H5Idec_ref(id_);
  }
  operator hid_t() const { return id_; }
  bool valid() const { return id_ >= 0; }

private:
  hid_t id_ = -1;
};

/// Call before the first use of the library: it then registers no exit handler.
/// Owners close the objects that they write, and a forked child must not touch
/// the parent's open files when it exits.
inline bool leaveOpenAtExit() { return H5dont_atexit() >= 0; }

/// Stops HDF5 from printing its error stack on this thread; errors are read
/// with lastError(). Call before any other function of the library.
inline void quiet() {
  static const bool once = leaveOpenAtExit();
  static_cast<void>(once);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

/// The description of the innermost failed call in lower case; "unknown reason"
/// when there is none.
std::string lastError();

/// Whether a call of the last failure failed for this reason, such as
/// H5E_TRUNCATED.
bool hasFailed(hid_t minor);

/// The operating system's error number of the innermost failure, such as
/// ENOSPC; 0 when there is none. It can only be parsed from the library's error
/// text.
int systemErrno();

} // namespace assay::formats::hdf5
