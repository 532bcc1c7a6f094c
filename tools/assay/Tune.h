/// What the commands of `assay tune` share: their table, and the flags that
/// name a problem or a machine's kernels.
#pragma once

#include "Options.h"
#include "assay/kernels/Registry.h"
#include "assay/select/Validate.h"

namespace assay::tools {

#define ASSAY_TUNE_COMMAND(name, function, description)                        \
  ExitCode function(llvm::ArrayRef<const char *> arguments);
#include "TuneCommands.def"
#undef ASSAY_TUNE_COMMAND

/// --op --dtype --layout, and --m --n --k --batch on top. CK Tile's words
/// (gemm_universal, fp16, ...) mean ours.
struct KernelFlags {
  std::string op = "gemm", dtype = "f32", layout;
  int64_t m = 0, n = 0, k = 0, batch = 1;
  std::string conv;          ///< --problem: a convolution
  std::string ckDirection; ///< --direction: of CK Tile's convolutions

  void add(CLI::App &app);
  void addProblem(CLI::App &app, bool required = true);
  /// The same, or --problem.
  void addAnyProblem(CLI::App &app);
  /// The kernels of these words. Errors: those of LocalSpace::open(); Unsupported
  /// (an operation that this machine does not have)
  llvm::Expected<std::unique_ptr<select::KernelSet>>
  set(const select::SpaceContext &context) const;
  /// A problem of that space; threads 0: all cores. Errors: those of set();
  /// InvalidArgument
  llvm::Expected<select::ProblemRef> problem(const select::LocalSpace &space,
                                             int threads) const;
  /// The given problem, in the space that --op names.
  llvm::Expected<select::ProblemRef> problem(int threads) const;
};

/// The space of an operation. Errors: Unsupported (none of this machine's)
llvm::Expected<const select::LocalSpace *> spaceOf(llvm::StringRef op);
/// The space of a model's folder. Errors: those of loadDescription
llvm::Expected<const select::LocalSpace *>
spaceOfModel(const std::string &modelDir);

constexpr const char *kDirectionText = "which of CK Tile's convolutions, where "
                                       "the model does not say it: forward, "
                                       "bwd_data, bwd_weight";

/// Ranks CK Tile's kernels by a model of them (CkRanking.h): what `predict` and
/// `search` do with such a model. The type is the model's unless `app` was given
/// one.
ExitCode predictCk(const CLI::App &app, const KernelFlags &flags,
                     const std::string &modelDir, const std::string &candidates,
                     size_t top, const CommonOptions &common);

/// Why --candidates does not go with a model of this machine's kernels.
llvm::Error refuseCandidates(const std::string &modelDir);

/// The options that collecting and validating share: which problems are raced, by
/// which kernels, on how many threads, for how long.
struct RaceFlags {
  std::string shapes, threads, choice;
  double budget = 0, cap = 0;
  int pairs;
  CommonOptions common;

  RaceFlags(std::string choice, int pairs)
      : choice(std::move(choice)), pairs(pairs) {}
  void add(CLI::App &app);
  /// Errors: those of the texts named
  llvm::Expected<select::RaceList> list() const;
  /// The problems of --shapes on one thread each, without those beyond the limits.
  /// Errors: those of KernelSet::read()
  llvm::Expected<std::vector<select::ProblemRef>>
  problems(const select::KernelSet &set) const;
};

/// show(), after the registry's notes to the user (an unwritable cache, for
/// example).
template <typename Report>
ExitCode show(const CommonOptions &common, llvm::Expected<Report> report,
              kernels::Registry &registry) {
  for (const std::string &note : registry.takeNotes())
    llvm::errs() << "assay: note: " << note << "\n";
  return show(common, std::move(report));
}

/// Prints a line at once, so that a reader of the output sees each.
void printLine(llvm::StringRef line);

} // namespace assay::tools
