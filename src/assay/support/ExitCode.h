/// The exit codes of every command (docs/cli.md), and how the outcomes of
/// several checks become one.
#pragma once

#include "assay/support/Error.h"

namespace assay {

enum class ExitCode : int {
  Ok = 0,          ///< done, every check passed
  CheckFailed = 1, ///< a comparison or check failed
  BadInput = 2,    ///< usage, bad input, unsupported operation, a limit reached
  NothingChecked = 3, ///< nothing was examined
  Internal = 70,      ///< a bug in Assay
  Interrupted = 130,  ///< Ctrl-C, after the partial report
};

ExitCode exitCodeFor(ErrorCode code);

/// The worst of two, in the order 130, 70, 2, 1, 3, 0.
ExitCode worst(ExitCode a, ExitCode b);

} // namespace assay
