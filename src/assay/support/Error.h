/// Errors with a code, made in one place. Outside of tools/ nothing aborts or
/// exits: a failure comes back as an llvm::Error (or as a Refusal where "no" is
/// an ordinary answer), and the tool maps the code to its exit code.
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"

#include <string>

namespace assay {

/// What kind of failure an error is. Choose the code by who has to act:
///   InvalidArgument  a text, flag, shape or file content is wrong as such
///   NotFound         a named file, tensor, function or engine does not exist
///   Unsupported      correct input that Assay cannot do; says what it can do
///   DataLoss         a file is truncated or damaged
///   Mismatch         two things that had to agree do not (a check failed)
///   ResourceLimit    a memory, time or depth limit; names the flag that
///                    raises it
///   Cancelled        Ctrl-C
///   Internal         a bug in Assay
enum class ErrorCode {
  InvalidArgument,
  NotFound,
  Unsupported,
  DataLoss,
  Mismatch,
  ResourceLimit,
  Cancelled,
  Internal
};

/// The only error class of the project: a code and a message (lower case, no
/// final period, the actual value, the expected one, and what to do).
class Error : public llvm::ErrorInfo<Error> {
public:
  static char ID;
  Error(ErrorCode code, std::string message)
      : code(code), message(std::move(message)) {}
  void log(llvm::raw_ostream &os) const override { os << message; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  ErrorCode code;
  std::string message;
};

/// Makes an error from an llvm::formatv pattern: makeError(ErrorCode::NotFound,
/// "no function named '{0}'", name).
template <typename... Args>
llvm::Error makeError(ErrorCode code, const char *format, Args &&...args) {
  return llvm::make_error<Error>(
      code, llvm::formatv(false, format, std::forward<Args>(args)...).str());
}

/// "No" as an ordinary answer: why a kernel, an engine or a driver does not
/// support a problem.
struct Refusal {
  ErrorCode code = ErrorCode::Unsupported;
  std::string text;
};

/// The code and the text of an error, consuming it. An error that is not
/// Assay's own counts as Internal.
struct ErrorText {
  ErrorCode code;
  std::string message;
};
ErrorText takeError(llvm::Error error);

/// Puts context in front of the message and keeps the code: addContext(err,
/// "in0 of 'a.npz'") -> "in0 of 'a.npz': ...".
llvm::Error addContext(llvm::Error error, const llvm::Twine &context);

/// "invalid argument", "not found", ...: used in --json.
const char *errorCodeName(ErrorCode code);

} // namespace assay
