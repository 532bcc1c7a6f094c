/// What the commands of `assay tune` share: their table, and the flags that
/// describe a problem or a machine's kernels.
#pragma once

#include "Options.h"
#include "assay/kernels/Registry.h"
#include "assay/select/Validate.h"

namespace assay::tools {

#define ASSAY_TUNE_COMMAND(name, function, description)                        \
  ExitCode function(llvm::ArrayRef<const char *> arguments);
#include "TuneCommands.def"
#undef ASSAY_TUNE_COMMAND

/// --op --dtype --layout, and also --m --n --k --batch. CK Tile's words
/// (gemm_universal, fp16, ...) are accepted for ours.
struct KernelFlags {
  std::string op = "gemm", dtype = "f32", layout;
  int64_t m = 0, n = 0, k = 0, batch = 1;
  std::string conv;          ///< --problem: a convolution
  std::string ckDirection; ///< --direction: for CK Tile's convolutions

  void add(CLI::App &app);
  void addProblem(CLI::App &app, bool required = true);
  /// The same, or --problem.
  void addAnyProblem(CLI::App &app);
  /// The kernels that the flags select. Errors: those of LocalSpace::open();
  /// Unsupported (an operation that this machine does not support)
  llvm::Expected<std::unique_ptr<select::KernelSet>>
  set(const select::SpaceContext &context) const;
  /// The problem in that space; threads 0: all cores. Errors: those of set();
  /// InvalidArgument
  llvm::Expected<select::ProblemRef> problem(const select::LocalSpace &space,
                                             int threads) const;
  /// The problem in the space that --op names.
  llvm::Expected<select::ProblemRef> problem(int threads) const;
};

/// The space of an operation. Errors: Unsupported (not an operation of this
/// machine)
llvm::Expected<const select::LocalSpace *> spaceOf(llvm::StringRef op);
/// The space for a model's folder. Errors: those of loadDescription
llvm::Expected<const select::LocalSpace *>
spaceOfModel(const std::string &modelDir);

constexpr const char *kDirectionText = "which of CK Tile's convolutions, where "
                                       "the model does not say it: forward, "
                                       "bwd_data, bwd_weight";

/// Ranks CK Tile's kernels by a model for them (CkRanking.h), as `predict` and
/// `search` do for such a model. The type is the model's unless the user named
/// one.
ExitCode predictCk(const CLI::App &app, const KernelFlags &flags,
                     const std::string &modelDir, const std::string &candidates,
                     size_t top, const CommonOptions &common);

/// The error for --candidates with a model of this machine's kernels.
llvm::Error refuseCandidates(const std::string &modelDir);

/// The options that collecting and validating share: the problems that are
/// raced, the kernels, the numbers of threads and the time.
struct RaceFlags {
  std::string shapes, threads, choice;
  double budget = 0, cap = 0;
  int pairs;
  CommonOptions common;

  RaceFlags(std::string choice, int pairs)
      : choice(std::move(choice)), pairs(pairs) {}
  void add(CLI::App &app);
  /// Errors: those of parsing the texts
  llvm::Expected<select::RaceList> list() const;
  /// The problems of --shapes with one thread each, without those that exceed
  /// the limits. Errors: those of KernelSet::read()
  llvm::Expected<std::vector<select::ProblemRef>>
  problems(const select::KernelSet &set) const;
};

/// Calls show(), after printing the registry's notes to the user (an unwritable
/// cache, for example).
template <typename Report>
ExitCode show(const CommonOptions &common, llvm::Expected<Report> report,
              kernels::Registry &registry) {
  for (const std::string &note : registry.takeNotes())
    llvm::errs() << "assay: note: " << note << "\n";
  return show(common, std::move(report));
}

/// Prints a line and flushes it, so that a reader of the output sees it at
/// once.
void printLine(llvm::StringRef line);

} // namespace assay::tools
