// Output files (.npy, .npz, .safetensors, CSV, JSON): written
// beside the target and renamed when complete, so that an
// interrupted run or a full disk never leaves a file that looks finished.
#include "assay/support/AtomicFile.h"
#include "assay/support/FullTransfer.h"
#include "assay/support/FolderOf.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace assay {

llvm::Error AtomicFile::failure(int error) const {
  return systemError("write", path_, error);
}

/// Makes the names of this process's partial files unique.
static std::atomic<unsigned> writerCount{0};

llvm::Expected<std::unique_ptr<AtomicFile>>
AtomicFile::create(llvm::StringRef path, Writers writers) {
  std::unique_ptr<AtomicFile> result(new AtomicFile());
  result->path_ = path.str();
  struct stat status;
  bool direct =
      ::stat(result->path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  if (direct && S_ISDIR(status.st_mode))
    return result->failure(EISDIR);
  if (!direct)
    result->partial_ = writers == Writers::One
                           ? result->path_ + ".partial"
                           : llvm::formatv("{0}.{1}.{2}.partial", result->path_,
                                           ::getpid(), writerCount++)
                                 .str();
  const std::string &target = direct ? result->path_ : result->partial_;
  if (!direct)
    makeFolderOf(target);
  result->file_ =
      ::open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (result->file_ < 0) {
    int error = errno;
    result->partial_.clear();
    return result->failure(error);
  }
  return result;
}

AtomicFile::~AtomicFile() {
  if (file_ >= 0)
    ::close(file_);
  if (!partial_.empty())
    ::unlink(partial_.c_str());
}

llvm::Error AtomicFile::write(const void *data, size_t size) {
  Transfer written = writeFully(file_, data, size);
  position_ += static_cast<int64_t>(written.bytes);
  return written.bytes == size ? llvm::Error::success()
                               : failure(written.error);
}

llvm::Error AtomicFile::sync() {
  if (!partial_.empty() && ::fsync(file_) < 0)
    return failure(errno);
  return llvm::Error::success();
}

llvm::Error AtomicFile::commit() {
  int file = file_;
  file_ = -1;
  if (::close(file) < 0)
    return failure(errno);
  if (!partial_.empty() && std::rename(partial_.c_str(), path_.c_str()) < 0)
    return failure(errno);
  partial_.clear();
  return llvm::Error::success();
}

llvm::Error writeAtomically(llvm::StringRef path, llvm::StringRef text) {
  llvm::Expected<std::unique_ptr<AtomicFile>> file = AtomicFile::create(path);
  if (!file)
    return file.takeError();
  if (llvm::Error error = (*file)->write(text.data(), text.size()))
    return error;
  return (*file)->commit();
}

} // namespace assay
