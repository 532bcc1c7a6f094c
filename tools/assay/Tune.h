/// What the commands of `assay tune` share: their table, and the flags that
/// name a problem or a machine's kernels.
#pragma once

#include "Options.h"
#include "assay/kernels/Registry.h"
#include "assay/select/Collector.h"
#include "assay/support/Interrupt.h"

namespace assay::tools {

#define ASSAY_TUNE_COMMAND(name, function, description)                        \
  ExitCode function(llvm::ArrayRef<const char *> arguments);
#include "TuneCommands.def"
#undef ASSAY_TUNE_COMMAND

/// --op --dtype --layout, checked together.
struct KernelFlags {
  std::string op = "gemm", dtype = "f32", layout = "rcr";
  kernels::TypePair types;
  kernels::Layout parsedLayout = kernels::Layout::RCR;

  void add(CLI::App &app);
  /// Errors: InvalidArgument, Unsupported (an operation without generated
  /// kernels)
  llvm::Error check();
};

/// --m --n --k --batch --threads on top of KernelFlags.
struct ProblemFlags {
  int64_t m = 0, n = 0, k = 0, batch = 1;
  void add(CLI::App &app);
  llvm::Expected<kernels::GemmProblem> make(const KernelFlags &kernels,
                                            int threads) const;
};

/// A time limit, and Ctrl-C.
struct LimitFlags {
  double maxSeconds = 0;
  uint64_t seed = 0;
  void add(CLI::App &app);
  Interrupt interrupt() const;
};

/// "1,2" as numbers of threads; empty: one, and all cores.
llvm::Expected<std::vector<int>> parseThreadList(llvm::StringRef text);

/// What collecting and validating share: which problems are raced, by which
/// kernels, on how many threads, for how long.
struct RaceFlags {
  std::string shapes, threads, choice, json;
  double budget = 0, cap = 0;
  int pairs;
  bool quiet = false;
  LimitFlags limits;

  RaceFlags(std::string choice, int pairs)
      : choice(std::move(choice)), pairs(pairs) {}
  void add(CLI::App &app);
  struct Parsed {
    std::vector<select::Shape> shapes; ///< of at most `cap` GFLOP
    std::vector<int> threads;
    select::RaceOptions race;
  };
  /// Errors: those of the files and texts named; InvalidArgument when no
  /// problem is left.
  llvm::Expected<Parsed> parse() const;
};

/// Prints what the registry wants the user to know (an unwritable cache, for
/// example).
void printNotes(kernels::Registry &registry);

} // namespace assay::tools
