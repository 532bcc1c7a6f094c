// The SIGINT flag and the deadline. The handler only sets a flag, which is all
// that a signal handler may safely do.
#include "assay/support/Interrupt.h"

#include "assay/support/HostInterrupt.h"

#include <csignal>
#include <mutex>

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

//===--- Inside another program ------------------------------------------===//

static std::mutex hostMutex;
static int hostCount = 0;
static bool isHooked = false;
static struct sigaction hostAction; // set before the handler that reads it

static void onHostSigint(int signal, siginfo_t *info, void *context) {
  interrupted = 1;
  if (hostAction.sa_flags & SA_SIGINFO)
    hostAction.sa_sigaction(signal, info, context);
  else
    hostAction.sa_handler(signal);
}

HostInterrupt::HostInterrupt() {
  std::lock_guard lock(hostMutex);
  if (hostCount++ > 0 || sigaction(SIGINT, nullptr, &hostAction) != 0)
    return;
  bool hasHandler = (hostAction.sa_flags & SA_SIGINFO) ||
                    (hostAction.sa_handler != SIG_DFL &&
                     hostAction.sa_handler != SIG_IGN);
  if (!hasHandler)
    return;
  struct sigaction ours = hostAction;
  ours.sa_flags |= SA_SIGINFO;
  ours.sa_sigaction = onHostSigint;
  isHooked = sigaction(SIGINT, &ours, nullptr) == 0;
}

HostInterrupt::~HostInterrupt() {
  std::lock_guard lock(hostMutex);
  if (--hostCount > 0 || !isHooked)
    return;
  struct sigaction now;
  // Leave a handler that the program has installed in the meantime.
  if (sigaction(SIGINT, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) &&
      now.sa_sigaction == onHostSigint)
    sigaction(SIGINT, &hostAction, nullptr);
  isHooked = false;
  interrupted = 0;
}

} // namespace assay
