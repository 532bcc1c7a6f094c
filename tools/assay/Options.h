/// The options that commands share, added to a CLI11 parser in one place, and
/// the output of a report: to the terminal, a JSON file and an exit code.
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

/// The shared options that a command honours, as a sum. All commands honour
/// --quiet and --json.
enum Honoured : unsigned {
  kNothing = 0,
  kThreads = 1,
  kMemory = 2,
  kSeconds = 4,
  kSeed = 8,
  kAll = 15
};

/// The group of options that `--help` omits and `--help-all` shows.
inline constexpr const char *kRare = "Rarely needed";

struct CommonOptions {
  int threads = 0;       ///< 0: all cores
  std::string maxMemory; ///< "4G"; empty: defaultMemoryBytes()
  double maxSeconds = 0; ///< 0: no limit
  uint64_t seed = 0;
  bool quiet = false;
  std::string json; ///< a file, "-" for standard output, empty for none

  /// Registers the options that the command honours, and no others: an option
  /// that it would ignore is a usage error.
  void addTo(CLI::App &app, unsigned honoured);
  /// Errors: InvalidArgument for a size that is not a number with an optional
  /// K, M, G, T.
  llvm::Expected<int64_t> memoryBytes() const;
  llvm::Expected<std::shared_ptr<MemoryBudget>> memoryBudget() const;
  /// Interrupts at Ctrl-C, and after --max-seconds from now.
  Interrupt interrupt() const;
};

/// Parses the arguments. On --help, --help-all or a usage error it prints and
/// returns the exit code. Options are grouped by a call of
/// `app.option_defaults()->group(NAME)` before they are added.
std::optional<ExitCode> parseArguments(CLI::App &app,
                                       llvm::ArrayRef<const char *> arguments);

/// A check for an output that is `file` (FILE.npz) or a folder. It refuses a
/// name that looks like another kind of file.
std::function<std::string(const std::string &)> fileOrFolder(const char *file);

/// Whether a file can be made at `path`, as far as its folder shows; for use
/// before a long run. Accepts "" and "-". Errors: InvalidArgument
llvm::Error checkWritable(llvm::StringRef path);

/// Writes the text that `print` makes to a file that appears only when
/// complete, or for "-" to standard output.
llvm::Error writeText(llvm::StringRef path,
                      llvm::function_ref<void(llvm::raw_ostream &)> print);
/// The same for a JSON value, indented.
llvm::Error writeJson(llvm::StringRef path, const llvm::json::Value &value);

/// Standard output and error for text that contains names from files: control
/// characters are escaped.
llvm::raw_ostream &out();
llvm::raw_ostream &err();

/// A shell command in one line, with quoted words where needed.
std::string shellCommand(llvm::ArrayRef<const char *> words);

/// Shows a report: as JSON on request, and as text unless the JSON goes to
/// standard output. A report has toJson(), print(os, details) and exitCode().
/// If it may be empty, it has the reason kNothing; if it may be partial, the
/// reason `stopped`.
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
