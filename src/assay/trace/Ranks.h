/// `assay compare DIR DIR`: the dumps of a run on several ranks, each beside its
/// counterpart; which rank is the first that is really wrong.
#pragma once

#include "assay/trace/FirstWrong.h"

#include <map>

namespace assay::trace {

/// One rank's dump and the trusted dump that it is held against.
struct RankPair {
  int64_t rank = 0;
  std::string target, bench;
};

/// The dumps of a folder (globalrank-R_localrank-r.h5), by their global rank; of
/// a file, that file. Errors: NotFound (none), InvalidArgument (two of a rank)
llvm::Expected<std::map<int64_t, std::string>> dumpsOf(llvm::StringRef path);

/// The dumps of two folders (globalrank-R_localrank-r.h5) by their global rank.
/// `bench` may be a file, or a folder with one dump: then every rank is held
/// against it.
/// Errors:  NotFound (a folder without dumps), InvalidArgument (ranks that only
/// one folder has; two dumps of one rank)
llvm::Expected<std::vector<RankPair>> pairRanks(llvm::StringRef target,
                                                llvm::StringRef bench);

struct RankResult {
  RankPair pair;
  Comparison comparison;
  std::optional<FirstWrong> firstWrong;
};

struct RankOptions {
  CompareOptions compare;
  bool firstWrong = false;
  std::optional<numerics::ElementType> accumulation;
};

/// Compares each pair, one after another. Errors:  those of reading, Cancelled
llvm::Expected<std::vector<RankResult>>
compareRanks(llvm::ArrayRef<RankPair> pairs, const RankOptions &options,
             ThreadPool &pool);

/// The rank whose first suspect comes first: sure before doubtful, then in the
/// order of execution, which is the same on ranks that run the same model. What
/// a rank gets from others shows on it later than on the rank that made it.
/// nullptr: no rank has a suspect.
const RankResult *firstWrongRank(llvm::ArrayRef<RankResult> ranks);

/// A line for each rank, then the first wrong rank with its list.
void printRanks(llvm::ArrayRef<RankResult> ranks, llvm::raw_ostream &os);
llvm::json::Object ranksJson(llvm::ArrayRef<RankResult> ranks);

} // namespace assay::trace
