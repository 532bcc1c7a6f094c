/// Runs code that may crash on damaged input in a forked copy of this process,
/// and turns every way in which it can end into an error.
#pragma once

#include "assay/support/Error.h"

#include <functional>
#include <memory>
#include <string>
#include <sys/types.h>

namespace assay {

/// A copy of this process that answers requests. It has this process's memory
/// as it was at the start, a single thread and no open file but its socket. It
/// ends with this object or with this process.
/// Threads: one request at a time.
class HelperProcess {
public:
  /// Answers one request, in the copy. ask() returns its error unchanged.
  using Service =
      std::function<llvm::Expected<std::string>(llvm::StringRef request)>;
  /// Calls fork() where no lock is held that `Service` needs.
  using Fork = llvm::function_ref<pid_t()>;

  /// Errors: ResourceLimit when the system refuses another process
  static llvm::Expected<std::unique_ptr<HelperProcess>> start(Service service,
                                                              Fork fork);
  ~HelperProcess();
  HelperProcess(const HelperProcess &) = delete;

  /// Errors: those of the service; DataLoss with how the copy ended ("ended by
  /// segmentation fault", "took more than 10 s") when it died or used more than
  /// `seconds` of processor time. A copy that died answers no further request.
  llvm::Expected<std::string> ask(llvm::StringRef request, int seconds);
  /// False once the copy has died; the last error says how.
  bool isAlive() const { return process_ >= 0; }

private:
  HelperProcess(pid_t process, int socket)
      : process_(process), socket_(socket) {}
  llvm::Error died(int seconds);
  pid_t process_;
  int socket_;
};

} // namespace assay
