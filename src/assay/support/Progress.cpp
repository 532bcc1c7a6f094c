// The progress line. Redrawn at most five times a second.
#include "assay/support/Progress.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

namespace assay {

using Clock = std::chrono::steady_clock;

Progress::Progress(llvm::StringRef what, int64_t total, bool quiet)
    : what_(what), total_(total), enabled_(!quiet && isatty(STDERR_FILENO)),
      start_(Clock::now()), last_(start_) {}

Progress::~Progress() { finish(); }

void Progress::update(int64_t done, llvm::StringRef detail) {
  if (!enabled_)
    return;
  Clock::time_point now = Clock::now();
  double elapsed = std::chrono::duration<double>(now - start_).count();
  if (elapsed < 1.0 || std::chrono::duration<double>(now - last_).count() < 0.2)
    return;
  last_ = now;
  shown_ = true;
  std::string line = llvm::formatv("{0}: {1}", what_, done).str();
  if (total_ > 0) {
    double left = done > 0 ? elapsed * static_cast<double>(total_ - done) /
                                 static_cast<double>(done)
                           : 0.0;
    line += llvm::formatv(" of {0}, {1:F0} s left", total_, left).str();
  } else {
    line += llvm::formatv(", {0:F0} s", elapsed).str();
  }
  if (!detail.empty())
    line += (llvm::Twine("  ") + detail).str();
  llvm::errs() << "\r\x1b[K" << llvm::StringRef(line).take_front(110);
  llvm::errs().flush();
}

void Progress::finish() {
  if (shown_)
    llvm::errs() << "\r\x1b[K";
  shown_ = false;
}

} // namespace assay
