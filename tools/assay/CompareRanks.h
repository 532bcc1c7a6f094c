/// `assay compare DIR DIR`: compares every rank's dump with its counterpart, by
/// one process or by the ranks of a launcher.
#pragma once

#include "Options.h"
#include "assay/trace/Ranks.h"

namespace assay::tools {

/// The numbers of tensors that passed, failed, or have no counterpart, and on
/// which side.
struct ComparedCounts {
  int64_t passed, failed, unmatched;
  llvm::StringRef target, bench;
};
/// NothingChecked, with a message, if nothing was compared.
ExitCode exitCodeOf(const ComparedCounts &counts, bool ignoreUnmatched);

/// The exit code after a search for the first wrong: its answer decides, not
/// the rows that it explains. nullopt: there was no search.
ExitCode codeAfterSearch(std::optional<trace::Answer> answer, ExitCode code);

struct RankFolders {
  std::string target, bench;
  trace::RankOptions options;
  const CommonOptions &common;
  int threads;
  std::string html; ///< the page to write; empty: not written
};
/// Prints how to repeat a failure, and, if no search named its origin, how to
/// find that.
void printRepro(llvm::ArrayRef<const char *> arguments, bool isSearched);

/// Compares, prints, and returns the exit code.
ExitCode compareRankFolders(RankFolders folders,
                            llvm::ArrayRef<const char *> arguments);

} // namespace assay::tools
