#include "assay/support/FullTransfer.h"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <unistd.h>

using namespace assay;

/// Repeats `step` until `size` bytes are moved. `step` moves bytes from position
/// `done` on and returns how many, 0 at the end, or -1 with errno.
template <typename Step> static Transfer transfer(size_t size, Step step) {
  Transfer done;
  while (done.bytes < size) {
    ssize_t moved = step(done.bytes);
    if (moved < 0 && errno == EINTR)
      continue;
    if (moved < 0)
      done.error = errno;
    if (moved <= 0)
      return done;
    done.bytes += static_cast<size_t>(moved);
  }
  return done;
}

Transfer assay::readFully(int file, void *data, size_t size) {
  return transfer(size, [&](size_t at) {
    return ::read(file, static_cast<char *>(data) + at, size - at);
  });
}

Transfer assay::readFully(int file, void *data, size_t size, int64_t offset) {
  return transfer(size, [&](size_t at) {
    return ::pread(file, static_cast<char *>(data) + at, size - at,
                   offset + static_cast<int64_t>(at));
  });
}

Transfer assay::writeFully(int file, const void *data, size_t size) {
  return transfer(size, [&](size_t at) {
    return ::write(file, static_cast<const char *>(data) + at, size - at);
  });
}

Transfer assay::writeFully(int file, const void *data, size_t size,
                           int64_t offset) {
  return transfer(size, [&](size_t at) {
    return ::pwrite(file, static_cast<const char *>(data) + at, size - at,
                    offset + static_cast<int64_t>(at));
  });
}

Transfer assay::sendFully(int socket, const void *data, size_t size) {
  return transfer(size, [&](size_t at) {
    return ::send(socket, static_cast<const char *>(data) + at, size - at,
                  MSG_NOSIGNAL);
  });
}

int assay::readToEnd(int file, std::string &text) {
  constexpr size_t kChunk = 1 << 16;
  while (true) {
    size_t at = text.size();
    text.resize(at + kChunk);
    Transfer read = readFully(file, text.data() + at, kChunk);
    text.resize(at + read.bytes);
    if (read.error != 0 || read.bytes < kChunk)
      return read.error;
  }
}

std::string assay::systemText(int error) {
  return llvm::StringRef(std::strerror(error)).lower();
}

llvm::Error assay::systemError(llvm::StringRef verb, llvm::StringRef path,
                               int error) {
  bool isFull = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return makeError(isFull ? ErrorCode::ResourceLimit
                   : error == ENOENT && verb == "open"
                       ? ErrorCode::NotFound
                       : ErrorCode::InvalidArgument,
                   "cannot {0} '{1}': {2}", verb, path, systemText(error));
}
