// Both sides of a helper process. A message is its length and its bytes; the
// first byte of a reply is 0 for an answer, else 1 plus the error's code. The
// copy limits its own processor time before each request. Waiting for a slow
// disk does not count, so only an endless loop runs into the limit.
#include "assay/support/HelperProcess.h"
#include "assay/support/FullTransfer.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace assay {

static bool isSent(int socket, const void *data, size_t size) {
  return sendFully(socket, data, size).bytes == size;
}

static bool isReceived(int socket, void *data, size_t size) {
  return readFully(socket, data, size).bytes == size;
}

static bool sendText(int socket, llvm::StringRef text) {
  uint64_t size = text.size();
  return isSent(socket, &size, sizeof size) &&
         isSent(socket, text.data(), text.size());
}

/// Reads in pieces, so that a made-up length from a broken process does not
/// allocate that much memory.
static bool receiveText(int socket, std::string &text) {
  uint64_t size = 0;
  text.clear();
  if (!isReceived(socket, &size, sizeof size))
    return false;
  while (text.size() < size) {
    size_t at = text.size(),
           piece = std::min<uint64_t>(size - at, uint64_t(16) << 20);
    text.resize(at + piece);
    if (!isReceived(socket, text.data() + at, piece))
      return false;
  }
  return true;
}

// ---- the copy

static void limitProcessor(int seconds) {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  rlimit limit{};
  getrlimit(RLIMIT_CPU, &limit);
  limit.rlim_cur = std::min<rlim_t>(
      limit.rlim_max, static_cast<rlim_t>(used.ru_utime.tv_sec +
                                          used.ru_stime.tv_sec + 1 + seconds));
  setrlimit(RLIMIT_CPU, &limit);
}

/// Detaches the copy from the parent: default signals, no core dump, and no
/// open file but the socket.
static void standAlone(int socket) {
  for (int signal :
       {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGXCPU, SIGTERM})
    std::signal(signal, SIG_DFL);
  std::signal(SIGINT, SIG_IGN); // the parent process handles it
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  rlimit noCore{0, 0};
  setrlimit(RLIMIT_CORE, &noCore);
  int null = ::open("/dev/null", O_RDWR);
  for (int standard : {0, 1, 2})
    dup2(null, standard);
  dup2(socket, 3);
  close_range(4, ~0U, 0);
}

[[noreturn]] static void serve(const HelperProcess::Service &service,
                               int socket) {
  standAlone(socket);
  uint32_t seconds = 0;
  std::string request;
  while (isReceived(3, &seconds, sizeof seconds) && receiveText(3, request)) {
    limitProcessor(static_cast<int>(seconds));
    llvm::Expected<std::string> answer = service(request);
    std::string text;
    if (answer) {
      text = '\0' + *answer;
    } else {
      ErrorText error = takeError(answer.takeError());
      text = static_cast<char>(1 + static_cast<int>(error.code));
      text += error.message;
    }
    if (!sendText(3, text))
      break;
  }
  _exit(0);
}

// ---- this process

llvm::Expected<std::unique_ptr<HelperProcess>>
HelperProcess::start(Service service, Fork fork) {
  int pair[2];
  pid_t process = -1;
  bool hasPair = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0;
  if (hasPair)
    process = fork();
  int error = errno;
  if (process == 0)
    serve(service, pair[1]);
  if (hasPair)
    ::close(pair[1]);
  if (process < 0) {
    if (hasPair)
      ::close(pair[0]);
    return makeError(ErrorCode::ResourceLimit,
                     "cannot start a helper process: {0}",
                     systemText(error));
  }
  return std::unique_ptr<HelperProcess>(new HelperProcess(process, pair[0]));
}

HelperProcess::~HelperProcess() {
  if (socket_ >= 0)
    ::close(socket_);
  if (process_ < 0)
    return;
  // The copy is idle and holds nothing that needs cleaning up.
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR)
    ;
}

llvm::Error HelperProcess::died(int seconds) {
  int status = 0;
  if (process_ >= 0)
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR)
      ;
  process_ = -1;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    return makeError(ErrorCode::DataLoss, "took more than {0} s", seconds);
  if (WIFSIGNALED(status))
    return makeError(ErrorCode::DataLoss, "ended by {0}",
                     llvm::StringRef(strsignal(WTERMSIG(status))).lower());
  return makeError(ErrorCode::DataLoss, "ended by itself");
}

llvm::Expected<std::string> HelperProcess::ask(llvm::StringRef request,
                                               int seconds) {
  auto limit = static_cast<uint32_t>(seconds);
  std::string answer;
  if (process_ < 0 || !isSent(socket_, &limit, sizeof limit) ||
      !sendText(socket_, request) || !receiveText(socket_, answer) ||
      answer.empty())
    return died(seconds);
  if (answer[0] == 0)
    return answer.substr(1);
  return makeError(static_cast<ErrorCode>(answer[0] - 1), "{0}",
                   answer.substr(1));
}

} // namespace assay
