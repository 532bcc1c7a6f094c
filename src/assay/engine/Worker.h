/// The parent's side of a worker process. The process is started with exec
/// (never forked from a threaded process), loads one engine and runs problems
/// on tensors in the shared arena. Whatever happens to it is returned as a
/// value.
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
  std::string program;          ///< the program to execute; empty = this
                                ///< program
  std::string module;           ///< from resolveEngine()
  int64_t memoryLimitBytes = 0; ///< of private memory, 0 = none
  double timeoutSeconds = 60;
  const char *timeoutFlag = "--timeout"; ///< named in the message about the
                                         ///< limit, which it raises
  const char *subject = "the engine";    ///< the name in messages
  bool performance =
      false; ///< keeps the threads of the engine spinning between runs
  bool stopsAtInterrupt =
      false; ///< Ctrl-C ends a request as its time limit does; otherwise the
             ///< caller checks between requests
};

/// How a request ended.
struct WorkerResult {
  enum class Kind : uint8_t {
    Ok,
    Unsupported, ///< the engine does not support the problem
    Invalid,     ///< the engine calls the problem invalid
    Failed,      ///< the engine reports a failure, returns an unknown code, or
                 ///< touched memory that is not its own
    Crashed,     ///< a signal, exit(), out of memory
    Timeout,
    NotHere,  ///< the engine does not support the problem on this machine
    NoMemory, ///< the problem does not fit in memory
  } kind = Kind::Ok;
  std::string reason;
  std::string report; ///< after a success: what the engine says about the run
                      ///< or the kernel that it made
  double seconds = 0;
  std::vector<double> samples; ///< mode P: seconds of each run
  std::string printed;    ///< output of the engine during the request; only its
                          ///< end if it is long
  int64_t grownBytes = 0; ///< watched calls: bytes that each adds to the memory
  int64_t watchedCalls = 0;
  int alignment = 0; ///< create: the engine's request, in bytes
};

/// A tensor as the engine sees it.
struct TensorDescription {
  std::string role, type;
  std::vector<int64_t> dims, strides; ///< strides in elements
  bool isOutput = false;
};

struct ProblemDescription {
  std::string driver, json;
  /// The problem as a program (bytecode) for Assay's own engines, which run it
  /// on dense copies of tensors that are not row-major. Its results are the
  /// outputs in their order. Empty: the engine knows the problem by its text.
  std::string program;
  std::string entry; ///< the function of `program`; empty: `main`
  /// The tensor for each argument of the program (for an output: its content
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

  /// Starts the process if there is none, without waiting for it; create()
  /// reports errors.
  void prepare();
  /// Starts the process if there is none, and lets the engine prepare the
  /// problem.
  WorkerResult create(const ProblemDescription &problem);
  /// Runs the problem of the last create(). `placements` are in the order of
  /// its tensors.
  WorkerResult run(const RunRequest &request,
                   llvm::ArrayRef<Placement> placements);
  /// Calls the kernel again on the data of the last run, for at most a quarter
  /// of a second, and counts the process's memory: `grownBytes` of the result.
  /// Does not call a kernel whose earlier run shows that it takes too long.
  WorkerResult watchMemory(llvm::ArrayRef<Placement> placements);
  /// Lets the engine release the problem. Not Ok: it crashed or hung while
  /// doing so.
  WorkerResult destroy();
  /// Sets the seconds after which a request counts as hanging.
  void setTimeout(double seconds) { options_.timeoutSeconds = seconds; }

private:
  llvm::Error start();
  void stop(bool kill);
  bool send(MessageKind kind, llvm::StringRef payload);
  WorkerResult receive();
  /// Waits for the answer to a request, whether it could be sent or not, and
  /// adds the engine's output.
  WorkerResult answer(bool isSent);
  /// Reads the output so far from the engine's pipe.
  void readPrinted();
  /// Appends one message to `data`, or returns what happened instead.
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
      0; ///< private memory of the process at its first problem
};

/// The worker process itself: `assay --worker MODULE LIMIT`. Serves the socket
/// until it closes.
int workerMain(llvm::StringRef module, int64_t memoryLimitBytes,
               BuiltinHosts builtin);

} // namespace assay::engine
