/// Worker processes that are Python: the engine `python:FILE.py:FUNCTION` and
/// the callables of `assay.check`. The same protocol, served by
/// `python -m assay.kernel_host` (python/assay/kernel_host.py), which runs
/// workerMain with a host that calls back into Python.
#pragma once

#include "assay/engine/Worker.h"

namespace assay::engine {

/// "python:FILE.py:FUNCTION", as resolveEngine() gives it.
bool isPythonModule(llvm::StringRef module);

/// The file and the function of such a module. Errors: InvalidArgument,
/// NotFound for the file.
llvm::Expected<std::pair<std::string, std::string>>
splitPythonModule(llvm::StringRef argument);

/// What starts a worker process of Python.
struct PythonCommand {
  std::string program;
  std::vector<std::string> words;       ///< the program's name first
  std::vector<std::string> environment; ///< "NAME=value", beside what there is
};

/// $ASSAY_PYTHON, that of $VIRTUAL_ENV, or `python3` on PATH. Errors: NotFound.
llvm::Expected<std::string> findInterpreter();

/// For a module of Python's. The interpreter is the options' program or
/// findInterpreter()'s; PYTHONPATH begins with $ASSAY_PYTHONPATH and the
/// folders of the package beside this program. Errors: NotFound.
llvm::Expected<PythonCommand> pythonCommand(const WorkerOptions &options);

/// The outcome of a module of the package that ran as a program of its own.
struct PythonRun {
  std::string interpreter;
  int code = 0;     ///< of its exit
  std::string said; ///< on both outputs, without the space around
};

/// Runs `python -m MODULE WORDS...`; what it says goes through the file `log`.
/// Errors: NotFound without an interpreter.
llvm::Expected<PythonRun> runPythonModule(llvm::StringRef module,
                                          llvm::ArrayRef<std::string> words,
                                          llvm::StringRef log);

} // namespace assay::engine
