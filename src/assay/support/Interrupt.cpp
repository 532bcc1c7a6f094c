// The SIGINT flag and the deadline. The handler does what a handler may do: it
// sets a flag.
#include "assay/support/Interrupt.h"

#include <csignal>

namespace assay {

static volatile std::sig_atomic_t interrupted = 0;

static void onSigint(int) {
  interrupted = 1;
  std::signal(SIGINT, SIG_DFL);
}

void Interrupt::installHandler() { std::signal(SIGINT, onSigint); }

bool Interrupt::requested() { return interrupted != 0; }

void Interrupt::setTimeLimit(double seconds) {
  limitSeconds_ = seconds;
  deadline_ = std::chrono::steady_clock::now() +
              std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                  std::chrono::duration<double>(seconds));
}

llvm::Error Interrupt::check() const {
  if (requested())
    return makeError(ErrorCode::Cancelled, "interrupted by Ctrl-C");
  if (deadline_ && std::chrono::steady_clock::now() > *deadline_)
    return makeError(
        ErrorCode::ResourceLimit,
        "the time limit of {0} s was reached; raise it with --max-seconds",
        limitSeconds_);
  return llvm::Error::success();
}

} // namespace assay
