// The worker process: loads one engine, then serves requests from its socket
// until that closes. It limits its own memory and dies with its parent. On a
// fatal signal it writes a note to the shared arena that says which tensor was
// touched and where, so that the parent can put it into words.
#include "assay/engine/Mapping.h"
#include "assay/engine/MemoryWatch.h"
#include "assay/engine/Messages.h"
#include "assay/engine/Plugin.h"
#include "assay/engine/Worker.h"
#include "assay/engine/WorkerExit.h"
#include "assay/support/FullTransfer.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

using namespace assay;
using namespace assay::engine;

namespace {
struct Server {
  std::unique_ptr<Host> host;
  std::string loadError;
  Mapping mapping;
  CrashNote *note = nullptr;
  int pid = getpid();
  int forks = 0; ///< forks of this process since the engine's last call
  struct stat socket,
      arena; ///< the files of these descriptors, which must not change
  int readOnlyFd = kArenaFd; ///< the arena opened for reading
  bool hasProblem = false;
  ProblemDescription problem; ///< kept alive for the engine
  std::vector<assay_tensor_t> tensors;
  size_t inputs = 0;
};
} // namespace

/// The signal handler's only access to the worker's state.
static Server *theServer = nullptr;

/// Whether the private memory is nearly used up. Calls only functions that a
/// signal handler may call.
static bool isMemoryFull() {
  rlimit limit{};
  char text[128] = {};
  int file = open("/proc/self/statm", O_RDONLY);
  if (file < 0)
    return false;
  ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  uint64_t pages = 0; // the sixth number: private memory
  for (ssize_t i = 0, field = 0; i < size && field < 6; ++i)
    if (text[i] == ' ')
      pages = ++field < 6 ? 0 : pages;
    else
      pages = pages * 10 + static_cast<uint64_t>(text[i] - '0');
  return getrlimit(RLIMIT_DATA, &limit) == 0 &&
         limit.rlim_cur != RLIM_INFINITY &&
         pages * kPageBytes + (uint64_t(96) << 20) > limit.rlim_cur;
}

static void onFatalSignal(int signal, siginfo_t *details, void *context) {
  Server &worker = *theServer;
  if (getpid() != worker.pid) // a process that the engine forked
    _exit(128 + signal);
  CrashNote note{};
  note.childReturned = worker.note->childReturned;
  note.signal = signal;
  note.tensor = -1;
  note.address = reinterpret_cast<uint64_t>(details->si_addr);
  note.hasAddress = details->si_code > 0 && signal != SIGABRT;
  note.isMemoryFull = isMemoryFull();
  if (signal == SIGSEGV || signal == SIGBUS)
    worker.mapping.locate(details->si_addr, note);
#ifdef __x86_64__
  note.isWrite =
      (static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
  note.isWrite = 1;
#endif
  *worker.note = note;
  worker.note->magic = kCrashMagic;
  _exit(128 + signal);
}

static void installSignalHandlers() {
  static char stack[64 * 1024];
  stack_t alternate{};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  sigaltstack(&alternate, nullptr);
  struct sigaction action{};
  action.sa_sigaction = onFatalSignal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    sigaction(signal, &action, nullptr);
  std::signal(SIGINT, SIG_IGN); // the parent decides
}

static void reply(int code, llvm::StringRef why, double seconds,
                  const std::vector<double> &samples, uint32_t alignment,
                  int64_t grownBytes = 0, int64_t watchedCalls = 0) {
  ResultHeader result{code,
                      static_cast<uint32_t>(samples.size()),
                      static_cast<uint32_t>(why.size()),
                      alignment,
                      seconds,
                      grownBytes,
                      watchedCalls};
  MessageHeader header{MessageKind::Result,
                       static_cast<uint32_t>(sizeof result +
                                             samples.size() * sizeof(double) +
                                             why.size())};
  std::string data(reinterpret_cast<const char *>(&header), sizeof header);
  data.append(reinterpret_cast<const char *>(&result), sizeof result);
  data.append(reinterpret_cast<const char *>(samples.data()),
              samples.size() * sizeof(double));
  data.append(why.data(), why.size());
  if (writeFully(kSocketFd, data.data(), data.size()).bytes < data.size())
    _exit(0); // nobody would read the note
}

static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static bool isSame(int descriptor, const struct stat &file) {
  struct stat now;
  return fstat(descriptor, &now) == 0 && now.st_dev == file.st_dev &&
         now.st_ino == file.st_ino;
}

/// Whether a process that the engine forked also returned from the call; waits
/// a little for one that is about to return.
static bool hasChildReturned(Server &worker) {
  if (!worker.forks)
    return false;
  worker.forks = 0;
  double end = now() + 0.3;
  siginfo_t ended{};
  while (!worker.note->childReturned && now() < end &&
         waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         ended.si_pid == 0)
    usleep(1000);
  return worker.note->childReturned != 0;
}

/// Runs after every call of the engine, and checks what the call may have done
/// to this process. Returns its code, or kChildReturned.
static int settle(Server &worker, int code, std::string &text) {
  if (getpid() != worker.pid) {
    worker.note->childReturned = 1;
    _exit(0);
  }
  fflush(nullptr); // its output so far is read with the answer
  if (!isSame(kSocketFd, worker.socket) || !isSame(kArenaFd, worker.arena)) {
    worker.note->kind = CrashKind::ClosedSocket;
    worker.note->magic = kCrashMagic;
    _exit(0);
  }
  if (!hasChildReturned(worker))
    return code;
  worker.note->childReturned = 0;
  text.clear();
  return kChildReturned;
}

static void forgetProblem(Server &worker) {
  std::string text;
  if (worker.hasProblem) {
    worker.host->destroy();
    settle(worker, ASSAY_PLUGIN_OK, text);
  }
  worker.hasProblem = false;
}

/// The problem in the form of the plugin interface, with pointers into the
/// worker's description.
static assay_problem_t interfaceProblem(Server &worker) {
  const ProblemDescription &from = worker.problem;
  auto firstOutput = llvm::find_if(
      from.tensors, [](const TensorDescription &t) { return t.isOutput; });
  worker.inputs = static_cast<size_t>(firstOutput - from.tensors.begin());
  worker.tensors.clear();
  for (const TensorDescription &d : from.tensors)
    worker.tensors.push_back({d.role.c_str(), d.type.c_str(),
                              static_cast<int32_t>(d.dims.size()),
                              d.dims.data(), d.strides.data(), nullptr});
  assay_problem_t problem{};
  problem.struct_size = sizeof problem;
  problem.driver = from.driver.c_str();
  problem.problem_json = from.json.c_str();
  problem.n_inputs = static_cast<int32_t>(worker.inputs);
  problem.n_outputs =
      static_cast<int32_t>(worker.tensors.size() - worker.inputs);
  problem.threads = from.threads;
  problem.inputs = worker.tensors.data();
  problem.outputs = worker.tensors.data() + worker.inputs;
  return problem;
}

static void handleCreate(Server &worker, llvm::StringRef payload) {
  forgetProblem(worker);
  worker.mapping.clear();
  if (!worker.loadError.empty())
    return reply(ASSAY_PLUGIN_INVALID, worker.loadError, 0, {}, 0);
  std::optional<ProblemDescription> read = readCreate(payload);
  if (!read)
    return reply(ASSAY_PLUGIN_FAILED, "the problem arrived damaged", 0, {}, 0);
  worker.problem = std::move(*read);
  assay_problem_t problem = interfaceProblem(worker);
  std::string text;
  double start = now();
  int code =
      worker.host->create({problem, worker.problem.program,
                           worker.problem.entry, worker.problem.arguments},
                          text);
  code = settle(worker, code, text);
  worker.hasProblem = code == ASSAY_PLUGIN_OK;
  reply(code, text, now() - start, {},
        static_cast<uint32_t>(worker.host->alignmentBytes()));
}

static int runOnce(Server &worker, double &seconds, std::string &text) {
  double start = now();
  int code = worker.host->run(worker.tensors.data(),
                              worker.tensors.data() + worker.inputs, text);
  seconds = now() - start;
  code = settle(worker, code, text);
  double own = code == ASSAY_PLUGIN_OK ? worker.host->lastRunSeconds() : 0;
  if (own > 0 && own <= seconds)
    seconds = own;
  return code;
}

/// Reads and writes memory larger than the caches, so that the next run starts
/// cold.
static void sweepCaches(size_t bytes) {
  static std::vector<char> memory;
  memory.resize(bytes);
  for (size_t i = 0; i < bytes; i += 64)
    ++memory[i];
}

/// Reads an element of every cache line of all tensors but one, so that only
/// that one is cold.
static void warmOthers(const std::vector<assay_tensor_t> &tensors,
                       llvm::ArrayRef<Placement> placements, size_t cold) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    const volatile char *at = static_cast<const char *>(tensors[i].data);
    for (int64_t byte = 0; i != cold && byte < placements[i].regionBytes -
                                                   placements[i].dataOffset;
         byte += 64)
      (void)at[byte];
  }
}

/// Exchanges some numbers of each input, so that no timed run has the arguments
/// of an earlier one. Fills the outputs with numbers that no result has. Writes
/// to the arena through its file, because inputs are mapped read-only.
static void freshen(const Server &worker, llvm::ArrayRef<Placement> placements,
                    uint64_t &state) {
  constexpr int64_t kBlock = 16;   // a multiple of every element's size
  auto next = [&](int64_t count) { // SplitMix64
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<int64_t>((z ^ (z >> 31)) % static_cast<uint64_t>(count));
  };
  for (size_t i = 0; i < placements.size(); ++i) {
    const Placement &place = placements[i];
    if (i >= worker.inputs && place.freshBytes) {
      bool isFloat =
          llvm::StringRef("fbce").contains(worker.problem.tensors[i].type[0]);
      fillUnwritten(static_cast<std::byte *>(worker.mapping.data(i)) -
                        place.dataOffset,
                    place.regionBytes, Unwritten::Marks, isFloat);
    }
    int64_t blocks = place.freshBytes / kBlock;
    if (i >= worker.inputs || blocks < 2)
      continue;
    off_t begin = place.fileOffset + place.dataOffset,
          a = begin + kBlock * next(blocks), b = begin + kBlock * next(blocks);
    char first[kBlock], second[kBlock];
    if (pread(kArenaFd, first, kBlock, a) == kBlock &&
        pread(kArenaFd, second, kBlock, b) == kBlock &&
        pwrite(kArenaFd, second, kBlock, a) == kBlock)
      (void)!pwrite(kArenaFd, first, kBlock, b);
  }
}

/// Calls the kernel repeatedly on the same data and reports how much memory
/// each call keeps. A suspected leak is measured a second time, after caches
/// had more time to grow and unreachable memory was freed.
static int watchCalls(Server &worker, const RunRequest &request,
                      MemoryWatch &watch, std::string &text) {
  constexpr uint32_t kFewest = 8;
  for (bool isCertain : {false, true}) {
    watch.restart();
    double end = now() + request.maxSeconds, seconds = 0;
    uint32_t calls = (isCertain ? 2 : 1) * request.watchedCalls;
    while (watch.calls() < calls &&
           (now() < end || (isCertain && watch.calls() < kFewest))) {
      if (int code = runOnce(worker, seconds, text))
        return code;
      if (isCertain)
        worker.host->collectGarbage();
      watch.add(MemoryUse::now());
    }
    if (watch.bytesPerCall() == 0)
      return 0;
  }
  return 0;
}

static void handleRun(Server &worker, llvm::StringRef payload) {
  RunRequest request{};
  if (payload.size() < sizeof request || !worker.hasProblem)
    return reply(ASSAY_PLUGIN_FAILED, "the worker has no kernel to run", 0, {},
                 0);
  std::memcpy(&request, payload.data(), sizeof request);
  payload = payload.drop_front(sizeof request);
  std::vector<Placement> placements(
      std::min<size_t>(request.tensors, payload.size() / sizeof(Placement)));
  std::memcpy(placements.data(), payload.data(),
              placements.size() * sizeof(Placement));
  if (placements.size() != worker.tensors.size())
    return reply(ASSAY_PLUGIN_FAILED, "the run is for other tensors", 0, {}, 0);
  if (!worker.mapping.map(kArenaFd, worker.readOnlyFd, placements,
                          worker.inputs))
    return reply(ASSAY_PLUGIN_NO_MEMORY,
                 "the worker has not enough memory for the tensors "
                 "(--max-memory)",
                 0, {}, 0);
  for (size_t i = 0; i < placements.size(); ++i)
    worker.tensors[i].data = worker.mapping.data(i);
  std::string text;
  double seconds = 0;
  fillScratch(request.unwritten);
  int code = runOnce(worker, seconds, text);
  MemoryWatch watch(worker.host->leastGrowthBytes());
  if (request.watchedCalls && code == 0)
    code = watchCalls(worker, request, watch, text);
  std::vector<double> samples;
  double end = now() + request.maxSeconds;
  while (code == 0 && samples.size() < request.repeats &&
         (samples.size() < request.minRepeats || now() < end)) {
    if (request.freshSeed)
      freshen(worker, placements, request.freshSeed);
    if (request.coldBytesMega)
      sweepCaches(size_t(request.coldBytesMega) << 20);
    if (request.coldBytesMega && request.coldTensor)
      warmOthers(worker.tensors, placements, request.coldTensor - 1);
    double sample = 0;
    code = runOnce(worker, sample, text);
    samples.push_back(sample);
  }
  reply(code, text, seconds, samples, 0, watch.bytesPerCall(),
        static_cast<int64_t>(watch.calls()));
}

static llvm::Expected<std::unique_ptr<Host>> openHost(llvm::StringRef module,
                                                      BuiltinHosts builtin) {
  if (module.consume_front("builtin:")) {
    if (std::unique_ptr<Host> host = builtin(module))
      return host;
    return makeError(ErrorCode::NotFound, "no built-in engine '{0}'", module);
  }
  llvm::Expected<PluginFunctions> functions = loadPlugin(module);
  if (!functions)
    return functions.takeError();
  return makePluginHost(*functions);
}

/// Limits private writable memory. A device's driver may reserve address space
/// for a multiple of the device's memory without touching it, so address space
/// is not limited. The memory of the program and its libraries before any work
/// does not count. The parent may have set a lower limit already
/// (Worker::limitMemory).
static void limitOwnMemory([[maybe_unused]] int64_t memoryLimitBytes) {
#ifndef __SANITIZE_ADDRESS__
  if (memoryLimitBytes <= 0)
    return;
  auto bytes = static_cast<rlim_t>(memoryLimitBytes + privateBytesOf("self"));
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_max = std::min(limit.rlim_max, bytes);
  limit.rlim_cur = std::min(limit.rlim_cur, limit.rlim_max);
  setrlimit(RLIMIT_DATA, &limit);
#endif
}

int engine::workerMain(llvm::StringRef module, int64_t memoryLimitBytes,
                       BuiltinHosts builtin) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  limitOwnMemory(memoryLimitBytes);
  rlimit noCore{0, 0};
  setrlimit(RLIMIT_CORE, &noCore);
  void *page = mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                    kArenaFd, 0);
  if (page == MAP_FAILED)
    return kNoMemoryExit;
  Server worker;
  worker.note = static_cast<CrashNote *>(page);
  theServer = &worker;
  if (int file =
          open(llvm::formatv("/proc/self/fd/{0}", kArenaFd).str().c_str(),
               O_RDONLY | O_CLOEXEC);
      file >= 0)
    worker.readOnlyFd = file;
  if (fstat(kSocketFd, &worker.socket) != 0 ||
      fstat(kArenaFd, &worker.arena) != 0)
    return kNoMemoryExit;
  // The engine's output before a crash is needed too.
  setvbuf(stdout, nullptr, _IOLBF, 0);
  pthread_atfork(nullptr, [] { ++theServer->forks; }, nullptr);
  installSignalHandlers();
  llvm::Expected<std::unique_ptr<Host>> host = openHost(module, builtin);
  if (host)
    worker.host = std::move(*host);
  else
    worker.loadError = takeError(host.takeError()).message;
  std::vector<char> payload;
  MessageHeader header;
  while (readFully(kSocketFd, &header, sizeof header).bytes == sizeof header) {
    payload.resize(header.bytes);
    if (readFully(kSocketFd, payload.data(), payload.size()).bytes <
        payload.size())
      break;
    llvm::StringRef text(payload.data(), payload.size());
    if (header.kind == MessageKind::Create)
      handleCreate(worker, text);
    else if (header.kind == MessageKind::Run)
      handleRun(worker, text);
    else if (header.kind == MessageKind::Destroy) {
      forgetProblem(worker);
      reply(0, "", 0, {}, 0);
    } else
      break;
  }
  _exit(0); // no destructors: the engine's own threads may still run
}
