/// What the commands of `assay tune` share: their table, and the flags that
/// name a problem or a machine's kernels.
#pragma once

#include "Options.h"
#include "assay/kernels/Kind.h"
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
  /// The direction that --op names; nullopt: another operation. Errors:
  /// InvalidArgument, Unsupported (a type or layout without kernels)
  llvm::Expected<std::optional<kernels::ConvDirection>> direction() const;
  /// The convolution of --problem; threads 0: all cores. Errors: InvalidArgument
  llvm::Expected<kernels::ConvProblem>
  convolution(kernels::ConvDirection direction, int threads) const;
  /// Errors: those of parseKind
  llvm::Expected<kernels::KernelKind> kind() const {
    return kernels::parseKind(op == "gemm_universal" ? "gemm" : op,
                              select::plainDtype(dtype),
                              layout.empty() ? "rcr" : layout);
  }
  /// threads 0: all cores. Errors: those of kind(); InvalidArgument
  llvm::Expected<kernels::GemmProblem> problem(int threads) const;
};

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

/// What collecting and validating share: which problems are raced, by which
/// kernels, on how many threads, for how long.
struct RaceFlags {
  std::string shapes, threads, choice;
  double budget = 0, cap = 0;
  int pairs;
  CommonOptions common;

  RaceFlags(std::string choice, int pairs)
      : choice(std::move(choice)), pairs(pairs) {}
  void add(CLI::App &app);
  /// Errors: those of the files and texts named; InvalidArgument when no
  /// problem is left.
  llvm::Expected<select::RaceList> list() const;
  /// The same without problems, and the convolutions of the list on one thread
  /// each.
  llvm::Expected<select::RaceList> options() const;
  llvm::Expected<std::vector<kernels::ConvProblem>>
  convolutions(kernels::ConvDirection direction,
               const select::RaceList &list) const;
};

/// show(), after what the registry wants the user to know (an unwritable cache,
/// for example).
template <typename Report>
ExitCode show(const CommonOptions &common, llvm::Expected<Report> report,
              kernels::Registry &registry) {
  for (const std::string &note : registry.takeNotes())
    llvm::errs() << "assay: note: " << note << "\n";
  return show(common, std::move(report));
}

/// Prints a line at once, so that whoever reads the output sees each.
void printLine(llvm::StringRef line);

} // namespace assay::tools
