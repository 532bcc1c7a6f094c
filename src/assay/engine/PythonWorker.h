/// Worker processes that run Python: the engine `python:FILE.py:FUNCTION` and
/// the callables of `assay.check`. They use the same protocol, served by
/// `python -m assay.kernel_host` (python/assay/kernel_host.py), which runs
/// workerMain with a host that calls back into Python.
#pragma once

#include "assay/engine/Worker.h"

namespace assay::engine {

/// Whether a module is "python:FILE.py:FUNCTION", as resolveEngine() returns
/// it.
bool isPythonModule(llvm::StringRef module);

/// The file and the function of such a module. Errors: InvalidArgument;
/// NotFound for the file.
llvm::Expected<std::pair<std::string, std::string>>
splitPythonModule(llvm::StringRef argument);

/// The command that starts a worker process of Python.
struct PythonCommand {
  std::string program;
  std::vector<std::string> words;       ///< the program's name first
  std::vector<std::string> environment; ///< "NAME=value", added to the current
                                        ///< environment
};

/// $ASSAY_PYTHON, the interpreter of $VIRTUAL_ENV, or `python3` on PATH.
/// Errors: NotFound.
llvm::Expected<std::string> findInterpreter();

/// The command for a Python module. The interpreter is the options' program or
/// findInterpreter()'s; PYTHONPATH begins with $ASSAY_PYTHONPATH and the
/// folders of the package beside this program. Errors: NotFound.
llvm::Expected<PythonCommand> pythonCommand(const WorkerOptions &options);

/// The outcome of a module of the package that ran as a separate program.
struct PythonRun {
  std::string interpreter;
  int code = 0;     ///< its exit code
  std::string said; ///< on both outputs, without surrounding white space
};

/// Runs `python -m MODULE WORDS...`; its output passes through the file `log`.
/// Errors: NotFound without an interpreter.
llvm::Expected<PythonRun> runPythonModule(llvm::StringRef module,
                                          llvm::ArrayRef<std::string> words,
                                          llvm::StringRef log);

} // namespace assay::engine
