// Files as memory: mmap for regular files, a plain read for pipes and devices.
// Readers of .npy, .npz and .safetensors read from the mapping. A tensor that
// is sufficiently aligned there becomes a view of it: a large weight file costs
// address space, and memory only for the elements that are used.
#include "assay/tensor/MappedFile.h"
#include "assay/support/FullTransfer.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace assay::tensor {

llvm::Expected<std::shared_ptr<const MappedFile>>
MappedFile::open(llvm::StringRef path) {
  int file = ::open(path.str().c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return systemError("open", path, errno);
  std::shared_ptr<MappedFile> result(new MappedFile());
  struct stat status;
  int error = ::fstat(file, &status) < 0 ? errno
              : S_ISDIR(status.st_mode)  ? EISDIR
                                         : 0;
  if (!error && S_ISREG(status.st_mode) && status.st_size > 0) {
    void *data = ::mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ,
                        MAP_PRIVATE, file, 0);
    if (data != MAP_FAILED) {
      result->data_ = static_cast<const uint8_t *>(data);
      result->size_ = status.st_size;
      result->mapped_ = true;
    }
  }
  if (!error && !result->mapped_)
    error = readToEnd(file, result->copy_);
  ::close(file);
  if (error)
    return systemError("open", path, error);
  if (!result->mapped_) {
    result->data_ = reinterpret_cast<const uint8_t *>(result->copy_.data());
    result->size_ = static_cast<int64_t>(result->copy_.size());
  }
  return std::shared_ptr<const MappedFile>(std::move(result));
}

MappedFile::~MappedFile() {
  if (mapped_)
    ::munmap(const_cast<uint8_t *>(data_), static_cast<size_t>(size_));
}

llvm::Expected<std::shared_ptr<Buffer>>
viewOrCopy(llvm::ArrayRef<uint8_t> bytes, std::shared_ptr<const void> owner) {
  constexpr uintptr_t kPage = 4096, kSlack = 64;
  uintptr_t end = reinterpret_cast<uintptr_t>(bytes.end());
  bool aligned = reinterpret_cast<uintptr_t>(bytes.data()) % 64 == 0;
  bool slack = end % kPage != 0 && end % kPage <= kPage - kSlack;
  auto size = static_cast<int64_t>(bytes.size());
  if (owner && aligned && slack && bytes.size() >= 4096)
    return Buffer::view(bytes.data(), size, std::move(owner));
  std::shared_ptr<Buffer> buffer = Buffer::allocate(size);
  if (!buffer)
    return makeError(ErrorCode::ResourceLimit, "no memory for {0} bytes", size);
  if (!bytes.empty())
    std::memcpy(buffer->mutableData(), bytes.data(), bytes.size());
  return buffer;
}

} // namespace assay::tensor
