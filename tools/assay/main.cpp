// The program `assay`. It finds the sub-command by name in Commands.def and
// passes it the remaining arguments; each command is in the file with its name.
// Heavy libraries are loaded only when a command needs them.
#include "Commands.h"
#include "assay/support/Interrupt.h"
#include "assay/support/Nearest.h"
#include "assay/support/Printable.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <malloc.h>
#include <vector>

using namespace assay;
using namespace assay::tools;

namespace {
struct Command {
  llvm::StringRef name;
  CommandFunction function;
  llvm::StringRef description;
};
} // namespace

/// A row without a function is the heading of the rows below it.
static constexpr Command kCommands[] = {
#define ASSAY_COMMAND_GROUP(title) {"", nullptr, title},
#define ASSAY_COMMAND(name, function, description)                             \
  {name, function, description},
#include "Commands.def"
#undef ASSAY_COMMAND
};

static void printUsage(llvm::raw_ostream &os) {
  os << "assay: is a tensor operator right, where does it first go wrong, "
        "which implementation is fastest?\n\n"
        "usage: assay COMMAND [ARGUMENTS]      assay COMMAND --help shows "
        "examples\n\n";
  for (const Command &command : kCommands)
    if (command.function)
      os << "  " << llvm::left_justify(command.name, 10) << command.description
         << "\n";
    else
      os << command.description << "\n";
  os << "\nassay --version prints the version. Documentation: "
        "docs/capabilities.md lists every task and its page.\n";
}

ExitCode tools::reportError(llvm::Error error) {
  ErrorText text = takeError(std::move(error));
  llvm::errs() << (text.code == ErrorCode::Internal ? "assay: internal error: "
                                                    : "assay: error: ")
               << printable(text.message, true) << "\n";
  return exitCodeFor(text.code);
}

/// Flushes the output. Output that cannot be written is an error, so that no
/// exit code is returned for a verdict that nobody saw. A closed pipe (`|
/// head`) is not an error: the reader has read enough.
static int finish(ExitCode code) {
  llvm::raw_fd_ostream &out = llvm::outs();
  out.flush();
  std::error_code error = out.error();
  if (!error)
    return static_cast<int>(code);
  out.clear_error();
  if (error != std::errc::broken_pipe) {
    llvm::errs() << "assay: error: cannot write the output: "
                 << error.message() << "\n";
    code = worst(code, ExitCode::BadInput);
  }
  return static_cast<int>(code);
}

int main(int argc, char **argv) {
  // Keeps freed tensors in the heap, so that a chain of operators does not
  // cause page faults at every step.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  std::signal(SIGXFSZ, SIG_IGN); // a file size limit makes write() fail instead
  Interrupt::installHandler();
  if (argc < 2) {
    printUsage(llvm::errs());
    return static_cast<int>(ExitCode::BadInput);
  }
  llvm::StringRef name = argv[1];
  if (name == "--version") {
    llvm::outs() << "assay " ASSAY_VERSION "\n";
    return finish(ExitCode::Ok);
  }
  std::vector<const char *> words(argv + 1, argv + argc);
  if (name == "help" && words.size() > 1) { // `assay help run` is `assay run --help`
    words = {words[1], "--help"};
    name = words[0];
  }
  if (name == "--help" || name == "-h" || name == "help" ||
      name == "--help-all") {
    printUsage(llvm::outs());
    return finish(ExitCode::Ok);
  }
  if (name == "--worker")
    return static_cast<int>(
        workerCommand(llvm::ArrayRef<const char *>(argv + 1, argv + argc)));
  for (const Command &command : kCommands) {
    if (!command.function || command.name != name)
      continue;
    std::string shownName = "assay " + name.str();
    std::vector<const char *> arguments{shownName.c_str()};
    arguments.insert(arguments.end(), words.begin() + 1, words.end());
    return finish(command.function(arguments));
  }
  std::vector<llvm::StringRef> names{"--version", "--help"};
  for (const Command &command : kCommands)
    if (command.function)
      names.push_back(command.name);
  llvm::StringRef near = nearestName(name, names);
  llvm::errs() << "assay: error: no command named '" << name << "'"
               << (near.empty() ? "" : " (did you mean '" + near.str() + "'?)")
               << "; `assay --help` lists them\n";
  return static_cast<int>(ExitCode::BadInput);
}
