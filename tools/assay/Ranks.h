/// A rank of a launcher: a process that waits, one that works and may die, and
/// the board through which the ranks communicate.
#pragma once

#include "assay/ranks/RankBoard.h"
#include "assay/support/ExitCode.h"

namespace assay::tools {

/// How a command continues under a launcher.
struct JoinedRanks {
  std::unique_ptr<ranks::RankBoard> board; ///< null outside of a launcher
  /// Set in the process that only waits: the command has ended.
  std::optional<ExitCode> code;
};

/// Makes this process a rank of a launcher (mpirun), if there is one; call it
/// before anything starts a thread. The process forks into a worker, which is
/// started again when a signal ends it, and a parent that waits for it. The
/// reason: a launcher ends all ranks when one of them is killed, and the parent
/// does nothing for which it could be killed. `command` is for messages;
/// `resumeFile`: see RankBoard::open. Errors: those of RankBoard::open.
llvm::Expected<JoinedRanks> joinRanks(llvm::StringRef command,
                                      llvm::ArrayRef<const char *> arguments,
                                      llvm::StringRef resumeFile = "");

/// The number of cores for a rank: those of the machine divided by its ranks.
int threadsOfRank(const ranks::RankBoard &board, int threads);

/// Forks the process: nullopt in the worker, the exit code in the parent that
/// waits for it. `command` is for messages. With `died`, which receives the
/// signal that ended the worker, the worker is not started again, and the code
/// is 1.
std::optional<int>
superviseRank(llvm::StringRef command, const ranks::RankIdentity &identity,
              llvm::function_ref<void(int signal)> died = nullptr);

} // namespace assay::tools
