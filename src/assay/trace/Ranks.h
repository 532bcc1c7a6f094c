/// `assay compare DIR DIR`: the dumps of a run on several ranks, each compared with
/// its counterpart; which rank is the first that is itself wrong.
#pragma once

#include "assay/trace/FirstWrong.h"

#include <map>

namespace assay::trace {

/// One rank's dump and the trusted dump that it is compared with.
struct RankPair {
  int64_t rank = 0;
  std::string target, bench;
};

/// The dumps of a folder (globalrank-R_localrank-r.h5), by their global rank; for a
/// file, that file.
/// Errors: NotFound (none), InvalidArgument (two of a rank)
llvm::Expected<std::map<int64_t, std::string>> dumpsOf(llvm::StringRef path);

/// The file itself, or the only dump of a folder. Errors: those of dumpsOf,
/// InvalidArgument for a folder with several
llvm::Expected<std::string> oneDump(llvm::StringRef path);

/// The dumps of two folders (globalrank-R_localrank-r.h5) by their global rank.
/// `bench` may be a file, or a folder with one dump: then every rank is
/// compared with it.
/// Errors: NotFound (a folder without dumps), InvalidArgument (ranks that only
/// one folder has; two dumps of one rank)
llvm::Expected<std::vector<RankPair>> pairRanks(llvm::StringRef target,
                                                llvm::StringRef bench);

/// The report's facts about one rank; they can be sent from the process that
/// compares to the one that reports.
struct RankResult {
  RankPair pair;
  int64_t passed = 0, failed = 0, unmatched = 0;
  llvm::json::Object document; ///< comparisonJson, "rank", "first_wrong"
  llvm::json::Object
      page; ///< the same with further facts for a page; empty: not requested
  /// The result of the search for the first wrong; nullopt: not requested.
  std::optional<Answer> answer;
  /// The first suspect; nullopt: none.
  struct Blame {
    std::string module, tensor; ///< the tensor as /STEP/NAME
    bool isDoubtful = false;    ///< blamed for growth alone
    int64_t row = -1;           ///< in the comparison
  };
  std::optional<Blame> blame;
  /// Gradients of parameters that fail, /STEP/NAME, with the hash of the data.
  std::map<std::string, std::string> gradients;
  std::string findings; ///< printFirstWrong

  llvm::json::Value toJson() const;
  /// The inverse. Errors: InvalidArgument for another value.
  static llvm::Expected<RankResult> fromJson(llvm::json::Value value);
};

struct RankOptions {
  CompareOptions compare;
  bool firstWrong = false, ignoreUnmatched = false;
  std::optional<numerics::ElementType> accumulation;
  bool forPage = false;
};

/// Compares one pair, on all threads. Errors:  those of reading, Cancelled
llvm::Expected<RankResult>
compareRank(const RankPair &pair, const RankOptions &options, ThreadPool &pool);

/// Whether the rank is blamed for a gradient that is wrong and the same on all
/// ranks: an all-reduce spread it, so it does not show which rank's part was
/// wrong.
bool isOfAllRanks(llvm::ArrayRef<RankResult> ranks, const RankResult &rank);

/// The rank whose first suspect is the earliest: certain before doubtful, then
/// in the order of execution, which is the same on ranks that run the same
/// model. An error from another rank shows later than on the rank that made it.
/// Suspects of isOfAllRanks() come last. nullptr: no rank has a suspect.
const RankResult *firstWrongRank(llvm::ArrayRef<RankResult> ranks);

/// The rank whose answer counts for all: the first wrong one, else the first
/// that cannot tell, else the one with the most Fails, all of which are
/// explained. nullptr: the first wrong was not requested.
const RankResult *decidingRank(llvm::ArrayRef<RankResult> ranks);

/// A line for each rank, then the answer of the deciding rank with its list.
void printRanks(llvm::ArrayRef<RankResult> ranks, llvm::raw_ostream &os);
llvm::json::Object ranksJson(llvm::ArrayRef<RankResult> ranks);
/// The same for each rank's `page`.
llvm::json::Object ranksPage(llvm::ArrayRef<RankResult> ranks);

} // namespace assay::trace
