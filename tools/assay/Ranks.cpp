// The waiting process forks before anything has started a thread. It passes
// signals that request its end on to the working process.
#include "Ranks.h"
#include "assay/support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstring>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace assay;

/// A rank whose process dies this often has a faulty machine.
static constexpr int kMostDeaths = 50;

static volatile sig_atomic_t workingProcess = 0;

static void passOn(int signal) {
  if (workingProcess > 0)
    kill(workingProcess, signal);
}

std::optional<int>
tools::superviseRank(llvm::StringRef command,
                     const ranks::RankIdentity &identity,
                     llvm::function_ref<void(int signal)> died) {
  for (int deaths = 0;; ++deaths) {
    pid_t waits = getpid(), works = fork();
    if (works < 0)
      return std::nullopt; // no second process: this one does the work
    if (works == 0) {
      std::signal(SIGTERM, SIG_DFL);
      std::signal(SIGINT, SIG_DFL);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != waits)
        _exit(1); // the parent died in the meantime
      return std::nullopt;
    }
    workingProcess = works;
    std::signal(SIGTERM, passOn);
    std::signal(SIGINT, passOn);
    int status = 0;
    while (waitpid(works, &status, 0) < 0 && errno == EINTR)
      ;
    workingProcess = 0;
    if (WIFEXITED(status))
      return WEXITSTATUS(status);
    int signal = WTERMSIG(status);
    if (died) {
      died(signal);
      return 1;
    }
    if (signal == SIGTERM || signal == SIGINT || deaths == kMostDeaths)
      return 128 + signal;
    llvm::errs() << "assay " << command << ": the process of rank "
                 << identity.rank << " was ended by signal " << signal << " ("
                 << strsignal(signal) << "); started again\n";
  }
}

llvm::Expected<tools::JoinedRanks>
tools::joinRanks(llvm::StringRef command,
                 llvm::ArrayRef<const char *> arguments,
                 llvm::StringRef resumeFile) {
  JoinedRanks joined;
  std::optional<ranks::RankIdentity> identity =
      ranks::RankIdentity::ofLauncher();
  if (!identity)
    return joined;
  if (std::optional<int> code = superviseRank(command, *identity)) {
    joined.code = static_cast<ExitCode>(*code);
    return joined;
  }
  if (llvm::Error error =
          ranks::RankBoard::open(*identity, arguments, resumeFile)
              .moveInto(joined.board))
    return error;
  return joined;
}

int tools::threadsOfRank(const ranks::RankBoard &board, int threads) {
  int cores = threads > 0 ? threads : availableCores();
  return std::max(1, cores / board.identity().onMachine);
}
