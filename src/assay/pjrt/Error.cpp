// Errors: Assay's codes as those of the interface, and the three functions that
// read an error and free it.
#include "Answers.h"
#include "Objects.h"

namespace assay::pjrt {

static ErrorCode codeOf(assay::ErrorCode code) {
  switch (code) {
  case assay::ErrorCode::InvalidArgument:
    return kInvalidArgument;
  case assay::ErrorCode::NotFound:
    return kNotFound;
  case assay::ErrorCode::Unsupported:
    return kUnimplemented;
  case assay::ErrorCode::DataLoss:
    return kDataLoss;
  case assay::ErrorCode::Mismatch:
    return kFailedPrecondition;
  case assay::ErrorCode::ResourceLimit:
    return kResourceExhausted;
  case assay::ErrorCode::Cancelled:
    return kCancelled;
  case assay::ErrorCode::Internal:
    return kInternal;
  }
  return kUnknown;
}

Error *fail(ErrorCode code, const llvm::Twine &message) {
  return new Error{code, message.str()};
}

Error *fail(llvm::Error error) {
  ErrorText text = takeError(std::move(error));
  if (text.code == assay::ErrorCode::ResourceLimit)
    text.message += " (ASSAY_MEMORY where JAX calls the plugin)";
  return new Error{codeOf(text.code), std::move(text.message)};
}

Error *answer(args::ErrorDestroy *a) {
  delete a->error;
  return nullptr;
}

Error *answer(args::ErrorMessage *a) {
  a->message = a->error->message.data();
  a->message_size = a->error->message.size();
  return nullptr;
}

Error *answer(args::ErrorGetCode *a) {
  a->code = a->error->code;
  return nullptr;
}

} // namespace assay::pjrt
