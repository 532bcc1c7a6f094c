// Crash-safe writing with HDF5 1.10: each dataset's space is allocated when the
// dataset is created (early allocation, no fill), the metadata are flushed, and
// only then the data are written, past the library, with pwrite. A process
// killed at any moment leaves finished data where the journal (Hdf5Journal.h)
// says they are, and mostly a readable file as well. The library's default file
// format is kept: its "latest" one leaves files that cannot be opened after a
// kill.
#include "assay/tensor/Hdf5Writer.h"
#include "assay/tensor/Hdf5Catalogue.h"
#include "assay/tensor/Hdf5Types.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace assay::tensor {

using hdf5::Handle;

static llvm::Error systemError(llvm::StringRef path, int error) {
  bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return makeError(full ? ErrorCode::ResourceLimit : ErrorCode::InvalidArgument,
                   "cannot write '{0}': {1}", path,
                   llvm::StringRef(std::strerror(error)).lower());
}

llvm::Error Hdf5Writer::failure() const {
  std::string reason = hdf5::systemReason();
  bool full = reason.find("space left") != std::string::npos ||
              reason.find("too large") != std::string::npos ||
              reason.find("quota") != std::string::npos;
  return makeError(full ? ErrorCode::ResourceLimit : ErrorCode::InvalidArgument,
                   "cannot write '{0}': {1}", path_,
                   reason.empty() ? hdf5::lastError() : reason);
}

llvm::Expected<std::unique_ptr<Hdf5Writer>>
Hdf5Writer::create(llvm::StringRef path, const Attributes &rootAttributes) {
  hdf5::quiet();
  std::unique_ptr<Hdf5Writer> result(new Hdf5Writer());
  result->path_ = path.str();
  // The system's reason is clearer than the library's: try the file first.
  result->descriptor_ =
      ::open(result->path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (result->descriptor_ < 0)
    return systemError(path, errno);
  Handle creation(H5Pcreate(H5P_FILE_CREATE)),
      access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_link_creation_order(creation,
                             H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_alignment(access, 512, 64);
  result->file_ =
      H5Fcreate(result->path_.c_str(), H5F_ACC_TRUNC, creation, access);
  if (result->file_ < 0) {
    if (hdf5::lastError().find("lock") != std::string::npos)
      return makeError(ErrorCode::InvalidArgument,
                       "cannot write '{0}': it is open in another process",
                       path);
    return result->failure();
  }
  Handle root(H5Gopen2(result->file_, "/", H5P_DEFAULT));
  for (const auto &[name, value] : rootAttributes)
    hdf5::writeAttribute(root, name, value);
  if (H5Fflush(result->file_, H5F_SCOPE_LOCAL) < 0)
    return result->failure();
  return result;
}

Hdf5Writer::~Hdf5Writer() { llvm::consumeError(close()); }

static Handle linkProperties() {
  Handle properties(H5Pcreate(H5P_LINK_CREATE));
  H5Pset_create_intermediate_group(properties, 1);
  H5Pset_char_encoding(properties, H5T_CSET_UTF8);
  return properties;
}

/// Groups of the path, made with tracked creation order (intermediate groups
/// made by the library would not track it).
static bool makeGroups(hid_t file, llvm::StringRef path) {
  for (size_t at = path.find('/', 1); at != llvm::StringRef::npos;
       at = path.find('/', at + 1)) {
    std::string group = path.take_front(at).str();
    if (H5Lexists(file, group.c_str(), H5P_DEFAULT) > 0)
      continue;
    Handle creation(H5Pcreate(H5P_GROUP_CREATE)), links = linkProperties();
    H5Pset_link_creation_order(creation,
                               H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    if (!Handle(H5Gcreate2(file, group.c_str(), links, creation, H5P_DEFAULT))
             .valid())
      return false;
  }
  return true;
}

llvm::Expected<int64_t> Hdf5Writer::allocate(llvm::StringRef path,
                                             const TensorType &type,
                                             const Attributes &attributes) {
  hdf5::quiet();
  std::string name = path.str();
  llvm::SmallVector<hsize_t> dims(type.shape.begin(), type.shape.end());
  Handle space(dims.empty() ? H5Screate(H5S_SCALAR)
                            : H5Screate_simple(static_cast<int>(dims.size()),
                                               dims.data(), nullptr));
  Handle properties(H5Pcreate(H5P_DATASET_CREATE)),
      datatype = hdf5::datatypeFor(type.element);
  H5Pset_layout(properties, H5D_CONTIGUOUS);
  H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);
  if (!space.valid() || !makeGroups(file_, path))
    return failure();
  Handle links = linkProperties();
  Handle dataset(H5Dcreate2(file_, name.c_str(), datatype, space, links,
                            properties, H5P_DEFAULT));
  if (!dataset.valid())
    return failure();
  bool ok = true;
  for (const auto &[key, value] : attributes)
    ok &= hdf5::writeAttribute(dataset, key, value);
  haddr_t offset = H5Dget_offset(dataset);
  if (!ok || H5Fflush(file_, H5F_SCOPE_LOCAL) < 0)
    return failure();
  return offset == HADDR_UNDEF ? int64_t{-1} : static_cast<int64_t>(offset);
}

llvm::Error Hdf5Writer::link(llvm::StringRef path, llvm::StringRef target) {
  hdf5::quiet();
  Handle links = linkProperties();
  std::string name = path.str();
  if (!makeGroups(file_, path) ||
      H5Lcreate_hard(file_, target.str().c_str(), file_, name.c_str(), links,
                     H5P_DEFAULT) < 0 ||
      H5Fflush(file_, H5F_SCOPE_LOCAL) < 0)
    return failure();
  return llvm::Error::success();
}

void Hdf5Writer::remove(llvm::StringRef path) {
  H5Ldelete(file_, path.str().c_str(), H5P_DEFAULT);
  H5Fflush(file_, H5F_SCOPE_LOCAL);
}

llvm::Error Hdf5Writer::writeData(llvm::ArrayRef<uint8_t> bytes,
                                  int64_t offset) {
  const uint8_t *at = bytes.data();
  size_t size = bytes.size();
  while (size > 0) {
    ssize_t done = ::pwrite(descriptor_, at, size, offset);
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return systemError(path_, errno);
    at += done;
    offset += done;
    size -= static_cast<size_t>(done);
  }
  return llvm::Error::success();
}

llvm::Error Hdf5Writer::close() {
  hdf5::quiet();
  bool ok = file_ < 0 || H5Fclose(file_) >= 0;
  file_ = -1;
  if (descriptor_ >= 0)
    ::close(descriptor_);
  descriptor_ = -1;
  return ok ? llvm::Error::success() : failure();
}

} // namespace assay::tensor
