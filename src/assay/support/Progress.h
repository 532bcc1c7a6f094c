/// The progress line: on a terminal, one line on standard error that rewrites
/// itself, shown only for work that takes more than a second, with an estimate
/// of what is left.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace assay {

class Progress {
public:
  /// total < 0: unknown, no estimate. Silent when quiet or when standard error
  /// is not a terminal.
  Progress(llvm::StringRef what, int64_t total, bool quiet);
  ~Progress();

  /// Reports that `done` of `total` steps are finished; `detail` is shown after
  /// the counts. Cheap enough to call for every step.
  void update(int64_t done, llvm::StringRef detail = {});
  void finish();
  bool enabled() const { return enabled_; }

private:
  std::string what_;
  int64_t total_;
  bool enabled_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_, last_;
};

} // namespace assay
