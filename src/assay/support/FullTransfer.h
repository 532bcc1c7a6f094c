/// Reads and writes of descriptors to the last byte: they continue after a signal
/// and after a partial transfer. And the texts of their system errors.
#pragma once

#include "assay/support/Error.h"
#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace assay {

/// How many bytes went through, and what ended it before the last: the number of the
/// system's error, or 0 at the end of a file or of a peer.
struct Transfer {
  size_t bytes = 0;
  int error = 0;
};
Transfer readFully(int file, void *data, size_t size);
Transfer readFully(int file, void *data, size_t size, int64_t offset);
Transfer writeFully(int file, const void *data, size_t size);
Transfer writeFully(int file, const void *data, size_t size, int64_t offset);
/// To a socket; a peer that is gone is the error EPIPE and no signal.
Transfer sendFully(int socket, const void *data, size_t size);

/// Appends the file from its position to its end. Returns the number of the
/// system's error, or 0.
int readToEnd(int file, std::string &text);

/// "cannot VERB 'PATH': no space left on device". ResourceLimit where a disk or a quota
/// is full, NotFound for an `open` of what does not exist, else InvalidArgument.
llvm::Error systemError(llvm::StringRef verb, llvm::StringRef path, int error);
/// The system's words for an error, in small letters.
std::string systemText(int error);

} // namespace assay
