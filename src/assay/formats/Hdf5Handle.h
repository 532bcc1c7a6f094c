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

/// Before the library's first use: it registers no handler that would run at the
/// exit of the process. What is written is closed by its owner, and a forked
/// child must not touch the parent's open files at its exit.
inline bool leaveOpenAtExit() { return H5dont_atexit() >= 0; }

/// Stops HDF5 from printing its error stack on this thread; errors are read
/// with lastError(). Whatever uses the library calls it first.
inline void quiet() {
  static const bool once = leaveOpenAtExit();
  static_cast<void>(once);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

/// The description of the innermost failed call, lower case; "unknown reason"
/// when there is none.
std::string lastError();

/// Whether a call of the last failure failed for this reason: H5E_TRUNCATED, ...
bool hasFailed(hid_t minor);

/// The operating system's number of the innermost failure: ENOSPC, ...; 0 when
/// it has none. Only the library's text says so.
int systemErrno();

} // namespace assay::formats::hdf5
