// Crash-safe writing with HDF5 1.10. A dataset's space is allocated when the
// dataset is created (early allocation, no fill), then the metadata are
// flushed, and only then pwrite writes the data, without the library. A process
// killed at any moment leaves finished data where the journal (Hdf5Journal.h)
// says they are, and usually a readable file too. The library's default file
// format is used: after a kill, files in its "latest" format cannot be opened.
#include "assay/formats/Hdf5Writer.h"
#include "assay/formats/Hdf5Catalogue.h"
#include "assay/formats/Hdf5Types.h"
#include "assay/support/RecordFile.h"
#include "assay/support/FullTransfer.h"
#include "llvm/ADT/StringMap.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace assay::formats {

using hdf5::Handle;

/// Properties that every dataset needs. They are kept, because making them
/// takes as long as making the dataset.
struct Hdf5Writer::Kept {
  Handle links{H5Pcreate(H5P_LINK_CREATE)},
      groupOrder{H5Pcreate(H5P_GROUP_CREATE)},
      early{H5Pcreate(H5P_DATASET_CREATE)}, scalar{H5Screate(H5S_SCALAR)},
      textType{H5Tcopy(H5T_C_S1)};
  llvm::StringMap<Handle> groups; // open groups by path

  Kept() {
    H5Pset_char_encoding(links, H5T_CSET_UTF8);
    H5Pset_link_creation_order(groupOrder,
                               H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_layout(early, H5D_CONTIGUOUS);
    H5Pset_alloc_time(early, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(early, H5D_FILL_TIME_NEVER);
    H5Pset_obj_track_times(early, false);
    H5Tset_size(textType, H5T_VARIABLE); // h5py returns such text as str
    H5Tset_cset(textType, H5T_CSET_UTF8);
  }
  hid_t group(hid_t file, llvm::StringRef path);
  bool writeText(hid_t dataset, const std::string &name,
                 const std::string &value) const;
};

Hdf5Writer::Hdf5Writer() = default;

llvm::Error Hdf5Writer::failure() const {
  if (int error = hdf5::systemErrno())
    return systemError("write", path_, error);
  return makeError(ErrorCode::InvalidArgument, "cannot write '{0}': {1}", path_,
                   hdf5::lastError());
}

/// A metadata cache for some ten thousand datasets, so that metadata are not
/// written and read again while the file grows.
static void keepMetadata(hid_t access) {
  H5AC_cache_config_t cache;
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  if (H5Pget_mdc_config(access, &cache) < 0)
    return;
  cache.set_initial_size = true;
  cache.initial_size = cache.max_size = size_t{32} << 20;
  H5Pset_mdc_config(access, &cache);
}

llvm::Expected<std::unique_ptr<Hdf5Writer>>
Hdf5Writer::create(llvm::StringRef path, const Attributes &rootAttributes) {
  hdf5::quiet();
  std::unique_ptr<Hdf5Writer> result(new Hdf5Writer());
  result->path_ = path.str();
  // Try the file first, because the system's error is clearer than the
  // library's.
  result->descriptor_ =
      ::open(result->path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (result->descriptor_ < 0)
    return systemError("write", path, errno);
  Handle creation(H5Pcreate(H5P_FILE_CREATE)),
      access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_link_creation_order(creation,
                             H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_alignment(access, 512, 64);
  keepMetadata(access);
  result->file_ =
      H5Fcreate(result->path_.c_str(), H5F_ACC_TRUNC, creation, access);
  if (result->file_ < 0) {
    if (hdf5::hasFailed(H5E_CANTLOCKFILE))
      return makeError(ErrorCode::InvalidArgument,
                       "cannot write '{0}': it is open in another process",
                       path);
    return result->failure();
  }
  void *descriptor = nullptr; // points to an int for the default driver
  if (H5Fget_vfd_handle(result->file_, H5P_DEFAULT, &descriptor) >= 0)
    result->libraryDescriptor_ = *static_cast<const int *>(descriptor);
  Handle root(H5Gopen2(result->file_, "/", H5P_DEFAULT));
  for (const auto &[name, value] : rootAttributes)
    hdf5::writeAttribute(root, name, value);
  if (H5Fflush(result->file_, H5F_SCOPE_LOCAL) < 0)
    return result->failure();
  result->kept_ = std::make_unique<Kept>();
  return result;
}

Hdf5Writer::~Hdf5Writer() { llvm::consumeError(close()); }

/// The open group of a path. A missing group is made with tracked creation
/// order, which intermediate groups made by the library would lack. Returns -1
/// when that fails.
hid_t Hdf5Writer::Kept::group(hid_t file, llvm::StringRef path) {
  if (path.empty())
    return file;
  auto found = groups.find(path);
  if (found != groups.end())
    return found->second;
  auto [outer, name] = path.rsplit('/');
  hid_t parent = group(file, outer);
  if (parent < 0)
    return -1;
  std::string text = name.str();
  Handle made(
      H5Lexists(parent, text.c_str(), H5P_DEFAULT) > 0
          ? H5Gopen2(parent, text.c_str(), H5P_DEFAULT)
          : H5Gcreate2(parent, text.c_str(), links, groupOrder, H5P_DEFAULT));
  return made.valid() ? hid_t{groups[path] = std::move(made)} : -1;
}

bool Hdf5Writer::Kept::writeText(hid_t dataset, const std::string &name,
                                 const std::string &value) const {
  Handle attribute(H5Acreate2(dataset, name.c_str(), textType, scalar,
                              H5P_DEFAULT, H5P_DEFAULT));
  const char *text = value.c_str();
  return attribute.valid() && H5Awrite(attribute, textType, &text) >= 0;
}

llvm::Expected<int64_t> Hdf5Writer::allocate(llvm::StringRef path,
                                             const TensorType &type,
                                             const Attributes &attributes) {
  hdf5::quiet();
  llvm::SmallVector<hsize_t> dims(type.shape.begin(), type.shape.end());
  Handle space(dims.empty() ? H5Screate(H5S_SCALAR)
                            : H5Screate_simple(static_cast<int>(dims.size()),
                                               dims.data(), nullptr)),
      datatype = hdf5::datatypeFor(type.element);
  auto [outer, name] = path.rsplit('/');
  hid_t group = kept_->group(file_, outer);
  if (!space.valid() || group < 0)
    return failure();
  Handle dataset(H5Dcreate2(group, name.str().c_str(), datatype, space,
                            kept_->links, kept_->early, H5P_DEFAULT));
  if (!dataset.valid())
    return failure();
  bool ok = true;
  for (const auto &[key, value] : attributes)
    ok &= kept_->writeText(dataset, key, value);
  haddr_t offset = H5Dget_offset(dataset);
  if (!ok)
    return failure();
  return offset == HADDR_UNDEF ? int64_t{-1} : static_cast<int64_t>(offset);
}

llvm::Error Hdf5Writer::link(llvm::StringRef path, llvm::StringRef target) {
  hdf5::quiet();
  auto [outer, name] = path.rsplit('/');
  auto [targetOuter, targetName] = target.rsplit('/');
  hid_t group = kept_->group(file_, outer),
        targetGroup = kept_->group(file_, targetOuter);
  if (group < 0 || targetGroup < 0 ||
      H5Lcreate_hard(targetGroup, targetName.str().c_str(), group,
                     name.str().c_str(), kept_->links, H5P_DEFAULT) < 0)
    return failure();
  return llvm::Error::success();
}

llvm::Error Hdf5Writer::flush() {
  if (H5Fflush(file_, H5F_SCOPE_LOCAL) < 0)
    return failure();
  return llvm::Error::success();
}

void Hdf5Writer::remove(llvm::StringRef path) {
  H5Ldelete(file_, path.str().c_str(), H5P_DEFAULT);
  H5Fflush(file_, H5F_SCOPE_LOCAL);
}

llvm::Error Hdf5Writer::writeData(llvm::ArrayRef<uint8_t> bytes,
                                  int64_t offset) {
  Transfer written =
      writeFully(descriptor_, bytes.data(), bytes.size(), offset);
  return written.bytes == bytes.size()
             ? llvm::Error::success()
             : systemError("write", path_, written.error);
}

void Hdf5Writer::leaveToParent() {
  for (int descriptor : {descriptor_, libraryDescriptor_})
    if (descriptor >= 0)
      sendNowhere(descriptor);
}

llvm::Error Hdf5Writer::close() {
  hdf5::quiet();
  kept_.reset(); // open groups would keep the file open
  bool ok = file_ < 0 || H5Fclose(file_) >= 0;
  file_ = -1;
  if (descriptor_ >= 0)
    ::close(descriptor_);
  descriptor_ = -1;
  return ok ? llvm::Error::success() : failure();
}

} // namespace assay::formats
