/// The options that commands share, added to a CLI11 parser in one place, and
/// the way from a report to the terminal, a JSON file and an exit code.
#pragma once

#include "Commands.h"
#include "assay/support/Interrupt.h"
#include "assay/support/MemoryBudget.h"
#include "assay/support/MemorySize.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>

namespace assay::tools {

/// The shared options that a command honours; a sum of them. --quiet and --json
/// are everyone's.
enum Honoured : unsigned {
  kNothing = 0,
  kThreads = 1,
  kMemory = 2,
  kSeconds = 4,
  kSeed = 8,
  kAll = 15
};

/// The group of the options that `--help` leaves out and `--help-all` shows.
inline constexpr const char *kRare = "Rarely needed";

struct CommonOptions {
  int threads = 0;       ///< 0: all cores
  std::string maxMemory; ///< "4G"; empty: defaultMemoryBytes()
  double maxSeconds = 0; ///< 0: no limit
  uint64_t seed = 0;
  bool quiet = false;
  std::string json; ///< a file, "-" for standard output, empty for none

  /// Registers what the command honours, and nothing else: an option that a
  /// command would ignore is a usage error.
  void addTo(CLI::App &app, unsigned honoured);
  /// Errors: InvalidArgument for a size that is not a number with an optional
  /// K, M, G, T.
  llvm::Expected<int64_t> memoryBytes() const;
  llvm::Expected<std::shared_ptr<MemoryBudget>> memoryBudget() const;
  /// Ctrl-C, and --max-seconds from now on.
  Interrupt interrupt() const;
};

/// Parses; on --help, --help-all or a usage error prints and gives the exit
/// code. Options are grouped by `app.option_defaults()->group(NAME)` before
/// they are added.
std::optional<ExitCode> parseArguments(CLI::App &app,
                                       llvm::ArrayRef<const char *> arguments);

/// A check of an output that is `file` (FILE.npz) or a folder: the name of another
/// kind of file is a mistake.
std::function<std::string(const std::string &)> fileOrFolder(const char *file);

/// Before a long run: whether a file can be made at `path`, as far as its folder
/// tells. Empty and "-" can. Errors: InvalidArgument
llvm::Error checkWritable(llvm::StringRef path);

/// Writes text made by `print` to a file that appears only when complete, or to
/// standard output for "-".
llvm::Error writeText(llvm::StringRef path,
                      llvm::function_ref<void(llvm::raw_ostream &)> print);
/// The same for a JSON value, indented.
llvm::Error writeJson(llvm::StringRef path, const llvm::json::Value &value);

/// Standard output and error for text with names from files: control characters
/// are escaped.
llvm::raw_ostream &out();
llvm::raw_ostream &err();

/// A one-line shell command: the words quoted where needed.
std::string shellCommand(llvm::ArrayRef<const char *> words);

/// Shows what a library function found: JSON on request, text
/// unless JSON goes to standard output. A report has toJson(), print(os,
/// details), exitCode(); where it may be empty kNothing, the reason; where it
/// may be partial `stopped`, why.
template <typename Report>
ExitCode show(const CommonOptions &common, llvm::Expected<Report> report) {
  if (!report)
    return reportError(report.takeError());
  ExitCode code = report->exitCode();
  if constexpr (requires { Report::kNothing; })
    if (code == ExitCode::NothingChecked) {
      llvm::errs() << "assay: error: " << Report::kNothing << "\n";
      return code;
    }
  if (!common.json.empty())
    if (llvm::Error error = writeJson(common.json, report->toJson()))
      return reportError(std::move(error));
  if (common.json != "-")
    report->print(llvm::outs(), !common.quiet);
  if constexpr (requires { report->stopped; })
    if (report->stopped)
      code = worst(code, reportError(makeError(report->stopped->code, "{0}",
                                               report->stopped->message)));
  return code;
}

} // namespace assay::tools
