// The worker process: loads one engine, then serves requests from its socket
// until that closes. It limits its own address space, dies with its parent, and
// on a fatal signal leaves a note in the shared arena that says which tensor
// was touched where, so that the parent can put it into words.
#include "assay/engine/Mapping.h"
#include "assay/engine/Messages.h"
#include "assay/engine/Plugin.h"
#include "assay/engine/Worker.h"
#include "assay/engine/WorkerExit.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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
  int readOnlyFd = kArenaFd; ///< the arena opened for reading
  bool hasProblem = false;
  ProblemDescription problem; ///< kept alive for the engine
  std::vector<assay_tensor_t> tensors;
  size_t inputs = 0;
};
} // namespace

/// The signal handler's only way to the worker's state.
static Server *theServer = nullptr;

/// Whether the address space is nearly used up. Only what a signal handler may
/// call.
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
  CrashNote note{};
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

static bool readAll(void *data, size_t bytes) {
  char *at = static_cast<char *>(data);
  while (bytes) {
    ssize_t n = read(kSocketFd, at, bytes);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    at += n;
    bytes -= n;
  }
  return true;
}

static void writeAll(const std::string &data) {
  size_t at = 0;
  while (at < data.size()) {
    ssize_t n = write(kSocketFd, data.data() + at, data.size() - at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      _exit(0);
    at += n;
  }
}

static void reply(int code, llvm::StringRef why, double seconds,
                  const std::vector<double> &samples, uint32_t alignment) {
  ResultHeader result{code, static_cast<uint32_t>(samples.size()),
                      static_cast<uint32_t>(why.size()), alignment, seconds};
  MessageHeader header{MessageKind::Result,
                       static_cast<uint32_t>(sizeof result +
                                             samples.size() * sizeof(double) +
                                             why.size())};
  std::string data(reinterpret_cast<const char *>(&header), sizeof header);
  data.append(reinterpret_cast<const char *>(&result), sizeof result);
  data.append(reinterpret_cast<const char *>(samples.data()),
              samples.size() * sizeof(double));
  data.append(why.data(), why.size());
  writeAll(data);
}

static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void forgetProblem(Server &worker) {
  if (worker.hasProblem)
    worker.host->destroy();
  worker.hasProblem = false;
}

/// The problem as the engine's interface has it; it points into the worker's
/// description.
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
    return reply(ASSAY_PLUGIN_FAILED, "the problem came damaged", 0, {}, 0);
  worker.problem = std::move(*read);
  assay_problem_t problem = interfaceProblem(worker);
  std::string text;
  double start = now();
  int code =
      worker.host->create({problem, worker.problem.program,
                           worker.problem.entry, worker.problem.arguments},
                          text);
  worker.hasProblem = code == ASSAY_PLUGIN_OK;
  reply(code, text, now() - start, {},
        static_cast<uint32_t>(worker.host->alignmentBytes()));
}

static int runOnce(Server &worker, double &seconds, std::string &text) {
  double start = now();
  int code = worker.host->run(worker.tensors.data(),
                              worker.tensors.data() + worker.inputs, text);
  seconds = now() - start;
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

/// Reads one element of every line of all tensors but one, so that only that
/// one is cold.
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

/// Numbers of an input change places, so that no timed run has the arguments of
/// an earlier one; outputs hold what no result has. The arena is written through
/// its file: inputs are mapped for reading.
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
      std::memset(
          static_cast<char *>(worker.mapping.data(i)) - place.dataOffset,
          isFloat ? 0xff : 0x5a, static_cast<size_t>(place.regionBytes));
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
    return reply(ASSAY_PLUGIN_UNSUPPORTED,
                 "the worker has not enough memory for the tensors "
                 "(--max-memory)",
                 0, {}, 0);
  for (size_t i = 0; i < placements.size(); ++i)
    worker.tensors[i].data = worker.mapping.data(i);
  std::string text;
  double seconds = 0;
  int code = runOnce(worker, seconds, text);
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
  reply(code, text, seconds, samples, 0);
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

/// Address space of this process.
static int64_t mappedBytes() {
  auto buffer = llvm::MemoryBuffer::getFileAsStream("/proc/self/statm");
  int64_t pages = 0;
  if (!buffer ||
      (*buffer)->getBuffer().split(' ').first.getAsInteger(10, pages))
    return 0;
  return pages * kPageBytes;
}

int engine::workerMain(llvm::StringRef module, int64_t memoryLimitBytes,
                       BuiltinHosts builtin) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#ifndef __SANITIZE_ADDRESS__
  if (memoryLimitBytes > 0) {
    // What the program and its libraries map before any work is not counted:
    // it is code, the same for all problems, and more than small limits.
    auto bytes = static_cast<rlim_t>(memoryLimitBytes + mappedBytes());
    rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_AS, &limit);
  }
#endif
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
  installSignalHandlers();
  llvm::Expected<std::unique_ptr<Host>> host = openHost(module, builtin);
  if (host)
    worker.host = std::move(*host);
  else
    worker.loadError = takeError(host.takeError()).message;
  std::vector<char> payload;
  MessageHeader header;
  while (readAll(&header, sizeof header)) {
    payload.resize(header.bytes);
    if (!readAll(payload.data(), payload.size()))
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
