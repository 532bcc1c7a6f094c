// Exit codes: one table from error code to exit code, one order of severity.
#include "assay/support/ExitCode.h"

namespace assay {

ExitCode exitCodeFor(ErrorCode code) {
  switch (code) {
  case ErrorCode::Mismatch:
    return ExitCode::CheckFailed;
  case ErrorCode::Internal:
    return ExitCode::Internal;
  case ErrorCode::Cancelled:
    return ExitCode::Interrupted;
  default:
    return ExitCode::BadInput;
  }
}

static int badness(ExitCode code) {
  switch (code) {
  case ExitCode::Ok:
    return 0;
  case ExitCode::NothingChecked:
    return 1;
  case ExitCode::CheckFailed:
    return 2;
  case ExitCode::BadInput:
    return 3;
  case ExitCode::Internal:
    return 4;
  case ExitCode::Interrupted:
    return 5;
  }
  return 4;
}

ExitCode worst(ExitCode a, ExitCode b) {
  return badness(a) >= badness(b) ? a : b;
}

} // namespace assay
