/// Which rank of a merged run is the first that is itself wrong, and in which
/// module.
#pragma once

#include "assay/trace/FirstWrong.h"
#include "assay/trace/ranks/Merge.h"

namespace assay::trace {

/// A merged run and the dump of one process that it is compared with.
struct MergedRun {
  llvm::ArrayRef<RankDump> ranks;
  const MergeOptions &options;
  const MergeResult &merge;
  const Comparison &comparison; ///< of the merged dump
  const formats::Hdf5Reader &merged, &bench;
};

struct RankFirstWrong {
  std::optional<int64_t> rank; ///< nullopt: no suspect, or not a single rank
  FirstWrong firstWrong;
};

/// Takes `found`, the suspects of the merged dump, and the replicas that differ,
/// to the ranks:
///   - a module whose replay failed is judged again on each rank's own inputs;
///   where all are right, the parts' roundings made the difference, and it is not
///   a suspect;
///   - replicas that differ accuse the rank whose own replay fails, else the one
///   that is further from the bench by more than rounding;
///   - else the rank that holds nearly all of the error.
/// The earliest of these findings in the order of execution is the culprit.
RankFirstWrong blameRanks(const MergedRun &run, FirstWrong found);

} // namespace assay::trace
