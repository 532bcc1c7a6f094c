/// The parent's side of a worker process: started afresh with exec (never
/// forked from a threaded process), it loads one engine and runs problems on
/// tensors in the shared arena. Whatever happens to it comes back as a value.
#pragma once

#include "assay/engine/Arena.h"
#include "assay/engine/Host.h"
#include "assay/engine/Protocol.h"
#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>
#include <vector>

namespace assay::engine {

struct WorkerOptions {
  std::string program;          ///< to exec; empty = this program
  std::string module;           ///< from resolveEngine()
  int64_t memoryLimitBytes = 0; ///< of private memory, 0 = none
  double timeoutSeconds = 60;
  const char *timeoutFlag = "--timeout"; ///< raises it; for the message
  const char *subject = "the engine";    ///< what messages call it
  bool performance =
      false; ///< keeps the threads of the engine spinning between runs
  bool stopsAtInterrupt =
      false; ///< Ctrl-C ends a request as its time limit would; else the caller
             ///< asks between requests
};

/// How a request ended.
struct WorkerResult {
  enum class Kind : uint8_t {
    Ok,
    Unsupported, ///< the engine does not do the problem
    Invalid,     ///< the engine calls the problem invalid
    Failed,      ///< the engine reports a failure, returns an unknown code, or
                 ///< touched memory that is not its own
    Crashed,     ///< a signal, exit(), out of memory
    Timeout,
    NotHere,  ///< the engine does not do the problem on this machine
    NoMemory, ///< the problem does not fit in memory
  } kind = Kind::Ok;
  std::string reason;
  std::string report; ///< when all went well: what the engine says about the run,
                      ///< or of the kernel that it made
  double seconds = 0;
  std::vector<double> samples; ///< mode P: seconds of each run
  std::string printed;    ///< by the engine meanwhile; the end of it, if it is
                          ///< long
  int64_t grownBytes = 0; ///< watched calls: bytes that each adds to the memory
  int64_t watchedCalls = 0;
  int alignment = 0; ///< create: bytes
};

/// A tensor as the engine sees it.
struct TensorDescription {
  std::string role, type;
  std::vector<int64_t> dims, strides; ///< strides in elements
  bool isOutput = false;
};

struct ProblemDescription {
  std::string driver, json;
  /// The problem as a program (bytecode): what Assay's own engines run, on
  /// dense copies of tensors that are not row-major.
  /// Its results are the outputs in their order. Empty: for an engine that
  /// knows the problem by its words.
  std::string program;
  std::string entry; ///< the function of `program`; empty: `main`
  /// Which tensor each argument of the program is (an output: what it held
  /// before the run); empty: the inputs in their order.
  std::vector<int64_t> arguments;
  int threads = 0;
  std::vector<TensorDescription> tensors; ///< inputs first
};

class Worker {
public:
  Worker(const Arena &arena, WorkerOptions options)
      : arena_(arena), options_(std::move(options)) {}
  ~Worker();
  Worker(const Worker &) = delete;

  /// Starts the process if there is none, without waiting for it;
  /// create() reports errors.
  void prepare();
  /// Starts the process if there is none, and lets the engine prepare the
  /// problem.
  WorkerResult create(const ProblemDescription &problem);
  /// Runs the problem of the last create(). `placements` are in the order of
  /// its tensors.
  WorkerResult run(const RunRequest &request,
                   llvm::ArrayRef<Placement> placements);
  /// Calls the kernel again on the data of the last run, for a quarter of a
  /// second at most, and counts its memory: `grownBytes` of the result. A kernel
  /// whose first calls show that it takes too long for that is not called.
  WorkerResult watchMemory(llvm::ArrayRef<Placement> placements);
  /// Lets the engine forget the problem. Not Ok: it crashed or hung in doing
  /// so.
  WorkerResult destroy();
  /// Seconds until a request counts as hanging.
  void setTimeout(double seconds) { options_.timeoutSeconds = seconds; }

private:
  llvm::Error start();
  void stop(bool kill);
  bool send(MessageKind kind, llvm::StringRef payload);
  WorkerResult receive();
  /// The answer to a request, whether it succeeded or not, with the engine's output.
  WorkerResult answer(bool isSent);
  /// Takes what the engine has printed so far out of its pipe.
  void readPrinted();
  /// Appends one message to `data`; else what happened instead.
  std::optional<WorkerResult> readMessage(std::string &data);
  WorkerResult died();
  void limitMemory(int threads);

  const Arena &arena_;
  WorkerOptions options_;
  std::vector<std::string> roles_; // for messages
  int pid_ = -1, socket_ = -1, printedFd_ = -1;
  std::string printed_;
  bool hasKernel_ = false;
  double lastSeconds_ = 0; ///< of the last plain run
  int64_t baseBytes_ =
      0; ///< private memory of the process when its first problem came
};

/// The worker process itself: `assay --worker MODULE LIMIT`. Serves the socket
/// until it closes.
int workerMain(llvm::StringRef module, int64_t memoryLimitBytes,
               BuiltinHosts builtin);

} // namespace assay::engine
