/// Ctrl-C and the time limit, requested cooperatively: long loops call
/// Interrupt::check() every few milliseconds.
#pragma once

#include "assay/support/Error.h"

#include <chrono>
#include <optional>

namespace assay {

class Interrupt {
public:
  /// Installs a SIGINT handler that only sets a flag. A second Ctrl-C within
  /// the same run kills the process.
  static void installHandler();
  static bool requested();

  /// After this many seconds from now, check() fails with ResourceLimit
  /// ("--max-seconds").
  void setTimeLimit(double seconds);

  /// Success, or Cancelled after Ctrl-C, or ResourceLimit after the time limit.
  llvm::Error check() const;

private:
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  double limitSeconds_ = 0;
};

} // namespace assay
