/// Reads and writes of file descriptors that continue after a signal and after
/// a partial transfer, until the last byte; and the texts of their system
/// errors.
#pragma once

#include "assay/support/Error.h"
#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace assay {

/// How many bytes were moved and why the transfer stopped before the last: the
/// system's error number, or 0 at the end of a file or when the peer has
/// closed.
struct Transfer {
  size_t bytes = 0;
  int error = 0;
};
Transfer readFully(int file, void *data, size_t size);
Transfer readFully(int file, void *data, size_t size, int64_t offset);
Transfer writeFully(int file, const void *data, size_t size);
Transfer writeFully(int file, const void *data, size_t size, int64_t offset);
/// Sends to a socket. A closed peer is the error EPIPE and raises no signal.
Transfer sendFully(int socket, const void *data, size_t size);

/// Appends the rest of the file, from its current position, to `text`. Returns
/// the system's error number, or 0.
int readToEnd(int file, std::string &text);

/// "cannot VERB 'PATH': no space left on device". ResourceLimit where a disk or
/// a quota is full, NotFound for an `open` of a missing file, else
/// InvalidArgument.
llvm::Error systemError(llvm::StringRef verb, llvm::StringRef path, int error);
/// The system's text for an error, in lower case.
std::string systemText(int error);

} // namespace assay
