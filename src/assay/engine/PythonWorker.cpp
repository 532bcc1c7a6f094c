// Where the interpreter and the package `assay` are. The package may be
// installed for that interpreter; otherwise it is near the program: in a source
// checkout two folders above build/PRESET/bin, in an installation in
// ../share/assay/python, in a wheel around the program.
#include "assay/engine/PythonWorker.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>

using namespace assay;
using namespace assay::engine;

static constexpr llvm::StringRef kPrefix = "python:";

bool engine::isPythonModule(llvm::StringRef module) {
  return module.starts_with(kPrefix);
}

llvm::Expected<std::pair<std::string, std::string>>
engine::splitPythonModule(llvm::StringRef argument) {
  auto [file, function] = argument.rsplit(':');
  if (file.empty() || function.empty() || !file.ends_with(".py"))
    return makeError(ErrorCode::InvalidArgument,
                     "--engine: '{0}' is not FILE.py:FUNCTION", argument);
  if (!llvm::sys::fs::exists(file))
    return makeError(ErrorCode::NotFound, "--engine: no file '{0}'", file);
  llvm::SmallString<256> path(file);
  llvm::sys::fs::make_absolute(path);
  return std::make_pair(path.str().str(), function.str());
}

static std::string environmentValue(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

llvm::Expected<std::string> engine::findInterpreter() {
  if (std::string named = environmentValue("ASSAY_PYTHON"); !named.empty()) {
    if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(named);
        found && llvm::sys::fs::can_execute(*found))
      return *found;
    return makeError(ErrorCode::NotFound,
                     "ASSAY_PYTHON names '{0}', which is not a program", named);
  }
  if (std::string venv = environmentValue("VIRTUAL_ENV"); !venv.empty())
    if (std::string path = venv + "/bin/python"; llvm::sys::fs::exists(path))
      return path;
  if (llvm::ErrorOr<std::string> found =
          llvm::sys::findProgramByName("python3"))
    return *found;
  return makeError(ErrorCode::NotFound,
                   "no python3 on PATH; set ASSAY_PYTHON to an interpreter "
                   "that has NumPy");
}

/// The folders for PYTHONPATH: the package, and the extension module of a
/// build.
static std::string packageFolders() {
  std::string program = llvm::sys::fs::getMainExecutable(nullptr, nullptr),
              folders = environmentValue("ASSAY_PYTHONPATH");
  if (!folders.empty())
    folders += ":";
  llvm::StringRef home = llvm::sys::path::parent_path(program);
  for (llvm::StringRef tail :
       {"../../../python", "../share/assay/python", "../python"}) {
    llvm::SmallString<256> path(home);
    llvm::sys::path::append(path, tail);
    if (llvm::sys::fs::is_directory(path))
      folders += path.str().str() + ":";
  }
  // In a wheel the program is the package's own assay/bin/assay.
  llvm::SmallString<256> package(home), host(home);
  llvm::sys::path::append(package, "../..");
  llvm::sys::path::append(host, "../kernel_host.py");
  if (llvm::sys::fs::exists(host))
    folders += package.str().str() + ":";
  return folders + environmentValue("PYTHONPATH");
}

llvm::Expected<PythonCommand>
engine::pythonCommand(const WorkerOptions &options) {
  PythonCommand command;
  command.program = options.program;
  if (command.program.empty())
    if (llvm::Error error = findInterpreter().moveInto(command.program))
      return error;
  command.words = {command.program, "-m", "assay.kernel_host", options.module,
                   std::to_string(options.memoryLimitBytes)};
  command.environment = {"PYTHONPATH=" + packageFolders()};
  return command;
}

llvm::Expected<PythonRun>
engine::runPythonModule(llvm::StringRef module,
                        llvm::ArrayRef<std::string> words,
                        llvm::StringRef log) {
  llvm::Expected<PythonCommand> python = pythonCommand({});
  if (!python)
    return python.takeError();
  std::vector<llvm::StringRef> command{"env"};
  for (const std::string &variable : python->environment)
    command.push_back(variable);
  command.insert(command.end(), {python->program, "-m", module});
  command.insert(command.end(), words.begin(), words.end());
  std::optional<llvm::StringRef> redirects[] = {std::nullopt, log, log};
  PythonRun run{python->program, 0, ""};
  run.code = llvm::sys::ExecuteAndWait("/usr/bin/env", command, std::nullopt,
                                       redirects, 0, 0, &run.said);
  if (llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text =
          llvm::MemoryBuffer::getFile(log))
    run.said = (*text)->getBuffer().trim().str();
  return run;
}
