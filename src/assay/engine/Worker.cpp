// The parent's side of the worker process. One request is outstanding at a
// time: send, then wait with poll() for an answer, the end of the process or
// the time limit. When a worker dies, it is reaped, its crash note (left by the
// signal handler in the arena's first page) is put into words, and the next
// request starts a new worker.
#include "assay/engine/Worker.h"
#include "assay/engine/MemoryWatch.h"
#include "assay/engine/Messages.h"
#include "assay/engine/OwnFiles.h"
#include "assay/engine/PythonWorker.h"
#include "assay/engine/WorkerExit.h"
#include "assay/support/FullTransfer.h"
#include "assay/support/Interrupt.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

using namespace assay;
using namespace assay::engine;

namespace {
/// The command line and environment of a worker process.
struct Command : PythonCommand {
  /// Whether this command replaces the environment's entry "NAME=value".
  bool sets(llvm::StringRef entry) const {
    return llvm::any_of(environment, [&](llvm::StringRef own) {
      return own.split('=').first == entry.split('=').first;
    });
  }
};
} // namespace

static llvm::Expected<Command> commandOf(const WorkerOptions &options) {
  if (isPythonModule(options.module)) {
    llvm::Expected<PythonCommand> command = pythonCommand(options);
    if (!command)
      return command.takeError();
    return Command{std::move(*command)};
  }
  llvm::Expected<std::string> program =
      options.program.empty() ? ownProgram() : options.program;
  if (!program)
    return program.takeError();
  return Command{{*program,
                  {"assay", "--worker", options.module,
                   std::to_string(options.memoryLimitBytes)},
                  {}}};
}

Worker::~Worker() { stop(/*kill=*/false); }

/// The worker's descriptors: an empty input, its output, its socket and the
/// arena.
static void setDescriptors(posix_spawn_file_actions_t &actions, int socket,
                           int arena, int printed) {
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", 0 /*O_RDONLY*/, 0);
  // First to numbers that collide with none of the others, then to the fixed
  // numbers.
  posix_spawn_file_actions_adddup2(&actions, socket, 100);
  posix_spawn_file_actions_adddup2(&actions, arena, 101);
  posix_spawn_file_actions_adddup2(&actions, printed, 102);
  posix_spawn_file_actions_adddup2(&actions, 102, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, 102, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, 100, kSocketFd);
  posix_spawn_file_actions_adddup2(&actions, 101, kArenaFd);
  for (int number : {100, 101, 102})
    posix_spawn_file_actions_addclose(&actions, number);
}

llvm::Error Worker::start() {
  llvm::Expected<Command> command = commandOf(options_);
  if (!command)
    return command.takeError();
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    return makeError(ErrorCode::ResourceLimit,
                     "cannot create a socket for the worker: {0}",
                     std::strerror(errno));
  int printed[2];
  if (pipe2(printed, O_CLOEXEC) != 0) {
    close(pair[0]), close(pair[1]);
    return makeError(ErrorCode::ResourceLimit,
                     "cannot create a pipe for the worker: {0}",
                     std::strerror(errno));
  }
  fcntl(printed[0], F_SETFL, O_NONBLOCK); // the reading end
  std::vector<char *> arguments;
  for (std::string &word : command->words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::vector<std::string> settings = command->environment;
  for (char **entry = environ; *entry; ++entry)
    if (!command->sets(*entry))
      settings.push_back(*entry);
  // Two engines use the cores alternately. Threads that spin while the other
  // engine works would take half of the machine.
  if (!options_.performance)
    settings.push_back("OMP_WAIT_POLICY=passive");
  std::vector<char *> environment;
  for (std::string &setting : settings)
    environment.push_back(setting.data());
  environment.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  setDescriptors(actions, pair[1], arena_.fd(), printed[1]);
  pid_t pid = -1;
  int code = posix_spawn(&pid, command->program.c_str(), &actions, nullptr,
                         arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  close(pair[1]);
  close(printed[1]);
  if (code != 0) {
    close(pair[0]), close(printed[0]);
    return makeError(ErrorCode::Internal,
                     "cannot start the worker process: {0}",
                     std::strerror(code));
  }
  pid_ = pid;
  baseBytes_ = 0;
  socket_ = pair[0];
  if (printedFd_ >= 0)
    close(printedFd_);
  printedFd_ = printed[0];
  reinterpret_cast<CrashNote *>(arena_.data())->childReturned = 0;
  return llvm::Error::success();
}

void Worker::prepare() {
  if (pid_ < 0)
    llvm::consumeError(start());
}

void Worker::stop(bool killNow) {
  if (socket_ >= 0)
    close(socket_);
  socket_ = -1;
  readPrinted();
  if (printedFd_ >= 0)
    close(printedFd_);
  printedFd_ = -1;
  if (pid_ < 0)
    return;
  // A worker ends when its socket closes; one that still runs after two seconds
  // is killed.
  if (!killNow)
    for (int i = 0; i < 200; ++i) {
      if (waitpid(pid_, nullptr, WNOHANG) == pid_) {
        pid_ = -1;
        return;
      }
      usleep(10000);
    }
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

bool Worker::send(MessageKind kind, llvm::StringRef payload) {
  MessageHeader header{kind, static_cast<uint32_t>(payload.size())};
  return sendFully(socket_, &header, sizeof header).bytes == sizeof header &&
         sendFully(socket_, payload.data(), payload.size()).bytes ==
             payload.size();
}

static std::string crashText(const CrashNote &note,
                             const std::vector<std::string> &roles) {
  if (note.magic != kCrashMagic || note.kind != CrashKind::Signal ||
      note.tensor < 0 || note.tensor >= static_cast<int>(roles.size()))
    return {};
  const std::string &role = roles[note.tensor];
  if (note.place == 0)
    return "wrote into its input '" + role + "'";
  return std::string(note.isWrite ? "wrote " : "read ") +
         (note.place > 0 ? "past the end of '" : "before the start of '") +
         role + "'";
}

WorkerResult Worker::died() {
  int status = 0;
  // The socket is closed: the process has ended, or an engine closed a
  // descriptor that is not its own and continues.
  bool ended = false;
  for (int i = 0; i < 200 && !ended; ++i) {
    ended = waitpid(pid_, &status, WNOHANG) == pid_;
    if (!ended)
      usleep(10000);
  }
  if (!ended) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_ = -1;
  close(socket_);
  socket_ = -1;
  WorkerResult result;
  result.kind = WorkerResult::Kind::Crashed;
  CrashNote *note = reinterpret_cast<CrashNote *>(arena_.data());
  std::string subject = options_.subject, text = crashText(*note, roles_);
  if (!text.empty()) {
    result.kind = WorkerResult::Kind::Failed;
    result.reason = subject + " " + text;
  } else if (!ended || (note->magic == kCrashMagic &&
                        note->kind == CrashKind::ClosedSocket)) {
    result.reason = subject + " closed file descriptors that are not its own";
  } else if (note->magic == kCrashMagic) {
    result.reason = strsignal(note->signal);
    if (note->hasAddress)
      result.reason += llvm::formatv(" at address {0:x}", note->address).str();
    if (note->isMemoryFull)
      result.reason += "; its memory had reached the limit";
  } else if (WIFSIGNALED(status)) {
    result.reason = llvm::formatv("ended by signal {0} ({1})", WTERMSIG(status),
                                  strsignal(WTERMSIG(status)))
                        .str();
  } else if (WEXITSTATUS(status) == kNoMemoryExit &&
             options_.memoryLimitBytes > 0) {
    result.kind = WorkerResult::Kind::Unsupported;
    result.reason =
        llvm::formatv("a worker process does not start within {0} MiB "
                      "(--max-memory)",
                      options_.memoryLimitBytes >> 20)
            .str();
  } else {
    result.reason =
        llvm::formatv("{0} called exit({1})", subject, WEXITSTATUS(status))
            .str();
  }
  note->magic = 0;
  return result;
}

static WorkerResult ended(WorkerResult::Kind kind, std::string reason) {
  WorkerResult result;
  result.kind = kind;
  result.reason = std::move(reason);
  return result;
}

static const MessageHeader *headerOf(const std::string &data) {
  return reinterpret_cast<const MessageHeader *>(data.data());
}

std::optional<WorkerResult> Worker::readMessage(std::string &data) {
  using Clock = std::chrono::steady_clock;
  auto deadline =
      Clock::now() + std::chrono::duration<double>(options_.timeoutSeconds);
  size_t wanted = sizeof(MessageHeader);
  while (data.size() < wanted) {
    double left =
        std::chrono::duration<double>(deadline - Clock::now()).count();
    pollfd items[] = {{socket_, POLLIN, 0}, {printedFd_, POLLIN, 0}};
    int ready =
        left <= 0
            ? 0
            : poll(items, 2, static_cast<int>(std::min(left * 1000 + 1, 1e9)));
    if (options_.stopsAtInterrupt && Interrupt::requested()) {
      stop(/*kill=*/true);
      return ended(WorkerResult::Kind::Timeout, "interrupted by Ctrl-C");
    }
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready <= 0) {
      stop(/*kill=*/true);
      WorkerResult late =
          ended(WorkerResult::Kind::Timeout,
                llvm::formatv("no answer within {0} s ({1})",
                              options_.timeoutSeconds, options_.timeoutFlag)
                    .str());
      late.seconds = options_.timeoutSeconds;
      return late;
    }
    if (items[1].revents)
      readPrinted();
    if (!items[0].revents)
      continue;
    char buffer[65536];
    ssize_t n =
        recv(socket_, buffer, std::min(sizeof buffer, wanted - data.size()), 0);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return died();
    data.append(buffer, n);
    if (data.size() == sizeof(MessageHeader))
      wanted += std::min<uint32_t>(headerOf(data)->bytes, 1u << 26);
  }
  return std::nullopt;
}

/// How much of the output is kept, from its end.
static constexpr size_t kPrintedBytes = 64 << 10;

void Worker::readPrinted() {
  char buffer[65536];
  // An engine that prints endlessly must not keep us here.
  for (int i = 0; i < 16 && printedFd_ >= 0; ++i) {
    ssize_t n = read(printedFd_, buffer, sizeof buffer);
    if (n > 0) {
      printed_.append(buffer, n);
      if (printed_.size() > 2 * kPrintedBytes)
        printed_.erase(0, printed_.size() - kPrintedBytes);
    } else if (n == 0) { // all writers have closed it
      close(printedFd_);
      printedFd_ = -1;
    } else if (errno != EINTR) {
      return;
    }
  }
}

WorkerResult Worker::answer(bool isSent) {
  WorkerResult result = isSent ? receive() : died();
  readPrinted();
  if (printed_.size() > kPrintedBytes)
    printed_.erase(0, printed_.size() - kPrintedBytes);
  result.printed = llvm::json::fixUTF8(std::exchange(printed_, {}));
  return result;
}

WorkerResult Worker::receive() {
  std::string data;
  if (std::optional<WorkerResult> failed = readMessage(data))
    return *failed;
  if (std::optional<WorkerResult> result = readResult(data, options_.subject))
    return *result;
  stop(/*kill=*/true);
  return ended(WorkerResult::Kind::Failed,
               options_.subject +
                   std::string(" wrote into the worker's socket"));
}

/// An engine may use a multiple of the memory of its tensors, beside the memory
/// of its loaded libraries. The limit is enough for packed copies in other
/// types and for code generated at run time, but stops an engine that allocates
/// endlessly within seconds. It applies to private writable memory; reserved
/// address space that is never touched (arenas of many threads) does not count.
void Worker::limitMemory(int threads) {
#ifndef __SANITIZE_ADDRESS__ // its shadow memory is private memory
  rlimit limit{};
  // Assay's own engines run whole programs. Their intermediate values are not
  // among the tensors known here.
  if (options_.memoryLimitBytes <= 0 ||
      llvm::StringRef(options_.module).starts_with("builtin:") ||
      isPythonModule(options_.module) || // its libraries load with the kernel
      prlimit(pid_, RLIMIT_DATA, nullptr, &limit) != 0)
    return;
  if (baseBytes_ == 0) // the libraries may not be loaded yet
    baseBytes_ =
        std::max(privateBytesOf(std::to_string(pid_)), int64_t(192) << 20);
  if (threads <= 0)
    threads = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  auto soft = static_cast<rlim_t>(baseBytes_ + (int64_t(256) << 20) +
                                  (int64_t(16) << 20) * threads +
                                  8 * arena_.sizeBytes());
  limit.rlim_cur = std::min(limit.rlim_max, soft);
  prlimit(pid_, RLIMIT_DATA, &limit, nullptr);
#endif
}

WorkerResult Worker::create(const ProblemDescription &problem) {
  if (pid_ < 0)
    if (llvm::Error error = start())
      return ended(WorkerResult::Kind::Failed,
                   takeError(std::move(error)).message);
  limitMemory(problem.threads);
  roles_.clear();
  for (const TensorDescription &tensor : problem.tensors)
    roles_.push_back(tensor.role);
  WorkerResult result =
      answer(send(MessageKind::Create, createMessage(problem)));
  hasKernel_ = result.kind == WorkerResult::Kind::Ok;
  return result;
}

WorkerResult Worker::run(const RunRequest &request,
                         llvm::ArrayRef<Placement> placements) {
  if (pid_ < 0)
    return ended(WorkerResult::Kind::Failed, "the worker ended before the run");
  std::string payload(reinterpret_cast<const char *>(&request), sizeof request);
  payload.append(reinterpret_cast<const char *>(placements.data()),
                 placements.size() * sizeof(Placement));
  WorkerResult result = answer(send(MessageKind::Run, payload));
  if (!request.watchedCalls)
    lastSeconds_ = result.seconds;
  return result;
}

WorkerResult Worker::watchMemory(llvm::ArrayRef<Placement> placements) {
  constexpr double kSeconds = 0.25;
  constexpr uint32_t kCalls = 16, kFewest = 8;
  if (lastSeconds_ * kFewest > kSeconds)
    return {};
  RunRequest request{
      static_cast<uint32_t>(placements.size()), 0, kSeconds, 0, 0, 0};
  request.watchedCalls = kCalls;
  return run(request, placements);
}

WorkerResult Worker::destroy() {
  if (pid_ < 0 || !hasKernel_)
    return {};
  hasKernel_ = false;
  return answer(send(MessageKind::Destroy, ""));
}
