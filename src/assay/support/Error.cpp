// Error codes and texts. See Error.h for when to use which code.
#include "assay/support/Error.h"

namespace assay {

char Error::ID = 0;

ErrorText takeError(llvm::Error error) {
  ErrorText result{ErrorCode::Internal, ""};
  llvm::handleAllErrors(
      std::move(error), [&](const Error &e) { result = {e.code, e.message}; },
      [&](const llvm::ErrorInfoBase &e) {
        result = {ErrorCode::Internal, e.message()};
      });
  return result;
}

llvm::Error addContext(llvm::Error error, const llvm::Twine &context) {
  if (!error)
    return error;
  ErrorText text = takeError(std::move(error));
  return llvm::make_error<Error>(text.code,
                                 (context + ": " + text.message).str());
}

const char *errorCodeName(ErrorCode code) {
  switch (code) {
  case ErrorCode::InvalidArgument:
    return "invalid argument";
  case ErrorCode::NotFound:
    return "not found";
  case ErrorCode::Unsupported:
    return "unsupported";
  case ErrorCode::DataLoss:
    return "data loss";
  case ErrorCode::Mismatch:
    return "mismatch";
  case ErrorCode::ResourceLimit:
    return "resource limit";
  case ErrorCode::Cancelled:
    return "cancelled";
  case ErrorCode::Internal:
    return "internal error";
  }
  return "internal error";
}

} // namespace assay
