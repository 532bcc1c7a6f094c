// Each record is appended with one write, so that a kill between two records leaves only whole lines. The kernel may
// still split a write (a signal, a full disk, a kill in the middle of a large one). The writer cuts off an incomplete
// record if it is still running, else the next writer does. The lock is flock(2), which the system releases when the
// process dies. The file may be removed by its last owner between open and lock; then it is opened again.
#include "assay/support/RecordFile.h"
#include "assay/support/FolderOf.h"
#include "assay/support/FullTransfer.h"
#include "llvm/ADT/StringRef.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace assay;

/// The whole content of an open file.
static llvm::Expected<std::string> readAll(int file, llvm::StringRef path) {
  std::string text;
  int error = ::lseek(file, 0, SEEK_SET) < 0 ? errno : readToEnd(file, text);
  if (error)
    return systemError("read", path, error);
  return text;
}

llvm::Error RecordFile::lock(llvm::StringRef onLocked) {
  // O_APPEND would send overwrite() to the end too.
  int flags = O_RDWR | O_CREAT | O_CLOEXEC |
              (writers_ == Writers::Anybody ? O_APPEND : 0);
  if (writers_ != Writers::Anybody) // the caller makes an Anybody file's folder
    makeFolderOf(path_);
  for (;;) {
    file_ = ::open(path_.c_str(), flags, 0666);
    if (file_ < 0)
      return systemError("write", path_, errno);
    if (writers_ == Writers::Anybody)
      return llvm::Error::success();
    int kind = writers_ == Writers::Group ? LOCK_SH : LOCK_EX;
    if (::flock(file_, kind | LOCK_NB) < 0)
      return makeError(ErrorCode::InvalidArgument, "{0}",
                       onLocked.empty() ? llvm::formatv("'{0}' is in use by "
                                                        "another process",
                                                        path_)
                                              .str()
                                        : onLocked.str());
    struct stat ours, there;
    if (::fstat(file_, &ours) == 0 && ::stat(path_.c_str(), &there) == 0 &&
        ours.st_ino == there.st_ino && ours.st_dev == there.st_dev)
      return llvm::Error::success();
    ::close(file_);
  }
}

llvm::Error RecordFile::cut(int64_t sizeBytes) {
  if (::ftruncate(file_, sizeBytes) < 0 ||
      ::lseek(file_, sizeBytes, SEEK_SET) < 0)
    return systemError("write", path_, errno);
  sizeBytes_ = sizeBytes;
  return llvm::Error::success();
}

llvm::Error RecordFile::readFound() {
  llvm::Expected<std::string> text = readAll(file_, path_);
  if (!text)
    return text.takeError();
  size_t whole = text->rfind('\n') + 1; // npos + 1 is 0
  isTorn_ = whole != text->size();
  text->resize(whole);
  found_ = std::move(*text);
  sizeBytes_ = static_cast<int64_t>(whole);
  if (::lseek(file_, sizeBytes_, SEEK_SET) < 0)
    return systemError("read", path_, errno);
  return llvm::Error::success();
}

llvm::Error RecordFile::mendEnd() {
  if (!std::exchange(isTorn_, false))
    return llvm::Error::success();
  if (writers_ != Writers::Anybody)
    return cut(sizeBytes_);
  int error = writeFully(file_, "\n", 1).error;
  return error ? systemError("write", path_, error) : llvm::Error::success();
}

llvm::Expected<std::unique_ptr<RecordFile>>
RecordFile::open(llvm::StringRef path, Writers writers,
                 llvm::StringRef onLocked) {
  std::unique_ptr<RecordFile> file(new RecordFile(path, writers));
  if (llvm::Error error = file->lock(onLocked))
    return error;
  if (llvm::Error error = file->readFound())
    return error;
  return file;
}

RecordFile::~RecordFile() {
  if (file_ >= 0)
    ::close(file_);
}

llvm::Error RecordFile::append(llvm::StringRef record) {
  if (llvm::Error error = mendEnd())
    return error;
  std::string line = record.str() + "\n";
  if (Transfer written = writeFully(file_, line.data(), line.size());
      written.bytes < line.size()) {
    llvm::Error error = systemError("write", path_, written.error);
    if (writers_ != Writers::Anybody)
      if (llvm::Error left = cut(sizeBytes_)) {
        llvm::consumeError(std::move(left));
        return addContext(std::move(error), "a record was cut");
      }
    return error;
  }
  sizeBytes_ += static_cast<int64_t>(line.size());
  return llvm::Error::success();
}

llvm::Error RecordFile::overwrite(int64_t offset, llvm::StringRef bytes) {
  Transfer written = writeFully(file_, bytes.data(), bytes.size(), offset);
  return written.bytes == bytes.size()
             ? llvm::Error::success()
             : systemError("write", path_, written.error);
}

llvm::Error RecordFile::clear() {
  found_.clear();
  isTorn_ = false;
  return cut(0);
}

void RecordFile::remove() { ::unlink(path_.c_str()); }

void assay::sendNowhere(int descriptor) {
  int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere < 0)
    return;
  ::dup3(nowhere, descriptor, O_CLOEXEC);
  ::close(nowhere);
}

void RecordFile::removeIfEmpty() {
  struct stat status;
  if (::flock(file_, LOCK_EX | LOCK_NB) == 0 && ::fstat(file_, &status) == 0 &&
      status.st_size == 0)
    remove();
}

llvm::Expected<std::string> assay::readRecords(llvm::StringRef path) {
  int file = ::open(path.str().c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 && errno == ENOENT)
    return std::string();
  if (file < 0)
    return systemError("read", path, errno);
  llvm::Expected<std::string> text = readAll(file, path);
  ::close(file);
  if (text)
    text->resize(text->rfind('\n') + 1);
  return text;
}
