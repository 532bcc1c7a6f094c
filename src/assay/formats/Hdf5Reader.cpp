// Reading HDF5: the library opens the file and makes the catalogue, in a helper
// process. Contiguous data are then read with pread at their offsets by any
// number of threads (the library would serialise them and add a copy). Chunked,
// filtered and virtual data are read by the library in the same helper process,
// in slabs of leading rows; the last slab is cached.
#include "assay/formats/Hdf5Reader.h"
#include "assay/formats/Hdf5Helper.h"
#include "assay/support/FullTransfer.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace assay::formats {

static constexpr int64_t kSlabBytes = 64 << 20;

struct Hdf5Reader::Slab {
  uint64_t object = 0;
  int64_t first = 0; // number of its first element
  std::vector<uint8_t> bytes;
};

/// Whether the file's name is that of a recording that `assay import` reads.
static bool isOtherRecording(llvm::StringRef path) {
  return llvm::any_of(std::array{".npz", ".npy", ".safetensors", ".pt", ".pth",
                                 ".bin", ".pb", ".tensorproto"},
                      [&](const char *ending) { return path.ends_with(ending); });
}

llvm::Expected<std::unique_ptr<Hdf5Reader>>
Hdf5Reader::open(llvm::StringRef path) {
  std::unique_ptr<Hdf5Reader> result(new Hdf5Reader());
  result->path_ = path.str();
  llvm::Expected<std::optional<RepairResult>> repaired = repairFromJournal(
      path, "'" + result->path_ +
                "' is still being recorded; stop the recorder first");
  if (!repaired)
    return repaired.takeError();
  result->repaired_ = *repaired;
  result->descriptor_ = ::open(result->path_.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status;
  int error =
      result->descriptor_ < 0 || ::fstat(result->descriptor_, &status) < 0
          ? errno
          : 0;
  if (!error && S_ISDIR(status.st_mode))
    error = EISDIR;
  if (error)
    return systemError("open", path, error);
  result->fileBytes_ = status.st_size;
  if (H5Fis_hdf5(result->path_.c_str()) <= 0)
    return makeError(ErrorCode::InvalidArgument, "'{0}' is not an HDF5 file{1}",
                     path,
                     status.st_size == 0 ? " (it is empty)"
                     : isOtherRecording(path)
                         ? "; `assay import` makes a dump of it"
                     : path.ends_with(".h5")
                         ? ""
                         : "; a dump is a .h5 file, or a folder of them");
  // Writers must find the file locked, as if the library had it open here. On
  // file systems without locks this is skipped.
  ::flock(result->descriptor_, LOCK_SH | LOCK_NB);
  if (llvm::Error failure = result->list())
    return failure;
  return result;
}

Hdf5Reader::~Hdf5Reader() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
}

llvm::Error Hdf5Reader::list() {
  auto helper = hdf5::SessionHelper::open(path_, fileBytes_);
  if (!helper)
    return helper.takeError();
  llvm::Expected<hdf5::Catalogue> catalogue = (*helper)->list();
  if (!catalogue)
    return catalogue.takeError();
  setDatasets(std::move(catalogue->datasets));
  attributes_ = std::move(catalogue->attributes);
  // Keep the helper process if the library is needed to read data.
  if (llvm::any_of(datasets_, [](const Hdf5Dataset &dataset) {
        return dataset.unsupported.empty() && dataset.offset < 0 &&
               dataset.sizeBytes > 0;
      }))
    helper_ = std::move(*helper);
  return llvm::Error::success();
}

void Hdf5Reader::setDatasets(std::vector<Hdf5Dataset> datasets) {
  datasets_ = std::move(datasets);
  for (size_t i = 0; i < datasets_.size(); ++i)
    byPath_[datasets_[i].path] = i;
}

llvm::Expected<std::unique_ptr<Hdf5Reader>>
Hdf5Reader::openListed(llvm::StringRef path,
                       std::vector<Hdf5Dataset> datasets) {
  std::unique_ptr<Hdf5Reader> result(new Hdf5Reader());
  result->path_ = path.str();
  result->descriptor_ = ::open(result->path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (result->descriptor_ < 0)
    return systemError("open", path, errno);
  result->fileBytes_ = ::lseek(result->descriptor_, 0, SEEK_END);
  result->setDatasets(std::move(datasets));
  return result;
}

const Hdf5Dataset *Hdf5Reader::find(llvm::StringRef path) const {
  auto it = byPath_.find(path.starts_with("/") ? path.str() : "/" + path.str());
  return it == byPath_.end() ? nullptr : &datasets_[it->second];
}

static llvm::Error readAt(int file, void *out, int64_t size, int64_t offset) {
  Transfer got = readFully(file, out, static_cast<size_t>(size), offset);
  if (got.error)
    return makeError(ErrorCode::DataLoss, "{0}", systemText(got.error));
  if (got.bytes < static_cast<size_t>(size))
    return makeError(ErrorCode::DataLoss, "the file ends before its data do");
  return llvm::Error::success();
}

static void swapElements(uint8_t *data, int64_t sizeBytes,
                         const Hdf5Dataset &dataset) {
  ElementType type = dataset.type.element;
  int64_t width =
      type.isComplex() ? type.storageBytes() / 2 : type.storageBytes();
  for (int64_t at = 0; at < sizeBytes; at += width)
    std::reverse(data + at, data + at + width);
}

llvm::Error Hdf5Reader::read(const Hdf5Dataset &dataset, int64_t first,
                             int64_t count, void *out) const {
  int64_t width = dataset.type.element.storageBytes();
  auto *bytes = static_cast<uint8_t *>(out);
  if (count == 0)
    return llvm::Error::success();
  llvm::Error error = dataset.offset >= 0
                          ? readAt(descriptor_, bytes, count * width,
                                   dataset.offset + first * width)
                          : readThroughLibrary(dataset, first, count, bytes);
  if (error)
    return addContext(std::move(error), "'" + path_ + ":" + dataset.path + "'");
  if (dataset.swapBytes)
    swapElements(bytes, count * width, dataset);
  if (dataset.type.element.isBool())
    for (int64_t i = 0; i < count; ++i)
      bytes[i] = bytes[i] != 0;
  return llvm::Error::success();
}

llvm::Error Hdf5Reader::readThroughLibrary(const Hdf5Dataset &dataset,
                                           int64_t first, int64_t count,
                                           uint8_t *out) const {
  std::lock_guard<std::mutex> guard(slabLock_);
  llvm::ArrayRef<int64_t> shape = dataset.type.shape;
  int64_t width = dataset.type.element.storageBytes();
  int64_t rows = shape.empty() ? 1 : shape[hdf5::slabDimension(shape)];
  int64_t rowBytes = dataset.sizeBytes / rows, rowElements = rowBytes / width;
  int64_t rowsPerSlab = std::clamp<int64_t>(kSlabBytes / rowBytes, 1, rows);
  while (count > 0) {
    int64_t begin = slab_ ? slab_->first : 0;
    bool held =
        slab_ && slab_->object == dataset.object && first >= begin &&
        (first - begin) * width < static_cast<int64_t>(slab_->bytes.size());
    if (!held) {
      int64_t row = first / rowElements / rowsPerSlab * rowsPerSlab,
              height = std::min(rowsPerSlab, rows - row);
      auto next =
          std::make_unique<Slab>(Slab{dataset.object, row * rowElements, {}});
      next->bytes.resize(static_cast<size_t>(height * rowBytes));
      if (llvm::Error error =
              helper_->readRows(dataset, row, height, next->bytes))
        return error;
      slab_ = std::move(next);
    }
    int64_t at = (first - slab_->first) * width;
    int64_t bytes = std::min<int64_t>(
        count * width, static_cast<int64_t>(slab_->bytes.size()) - at);
    std::memcpy(out, slab_->bytes.data() + at, static_cast<size_t>(bytes));
    out += bytes;
    first += bytes / width;
    count -= bytes / width;
  }
  return llvm::Error::success();
}

llvm::Expected<Tensor>
Hdf5Reader::readTensor(const Hdf5Dataset &dataset,
                       const std::optional<TensorType> &expected) const {
  std::string what = "'" + path_ + ":" + dataset.path + "'";
  if (!dataset.unsupported.empty())
    return makeError(ErrorCode::Unsupported, "{0} is not a tensor: {1}", what,
                     dataset.unsupported);
  if (dataset.offset > fileBytes_ - dataset.sizeBytes)
    return makeError(ErrorCode::DataLoss,
                     "{0}: the file ends before its data do", what);
  std::shared_ptr<Buffer> buffer = Buffer::allocate(dataset.sizeBytes);
  if (!buffer)
    return makeError(ErrorCode::ResourceLimit, "{0}: no memory for {1} bytes",
                     what, dataset.sizeBytes);
  int64_t count = dataset.sizeBytes / dataset.type.element.storageBytes();
  if (llvm::Error error = read(dataset, 0, count, buffer->mutableData()))
    return error;
  StoredTensor stored;
  stored.type = dataset.type;
  stored.opaque = dataset.opaque;
  stored.bytes = {reinterpret_cast<const uint8_t *>(buffer->data()),
                  static_cast<size_t>(dataset.sizeBytes)};
  stored.owner = buffer;
  return finishStored(stored, expected, what);
}

} // namespace assay::formats
