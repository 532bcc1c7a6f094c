/// `assay merge`: the dumps of a run on several ranks as one dump of whole
/// tensors.
#pragma once

#include "assay/formats/Hdf5Reader.h"
#include "assay/support/Interrupt.h"
#include "assay/trace/ranks/Assemble.h"
#include "llvm/Support/JSON.h"

namespace assay::trace {

/// One rank's dump.
struct RankDump {
  int64_t rank = 0;
  std::unique_ptr<formats::Hdf5Reader> file;
};

/// The dumps of a folder (globalrank-R_localrank-r.h5), by rank. Errors:
/// NotFound (none), InvalidArgument (two of one rank), those of opening
llvm::Expected<std::vector<RankDump>> openRanks(llvm::StringRef folder);

struct MergeOptions {
  const Layout *layout = nullptr; ///< null: the recorded one, and `like`
  /// A dump of whole tensors. It shows along which dimension tensors without a
  /// placement are cut, if their sizes add up along one dimension only.
  const formats::Hdf5Reader *like = nullptr;
  /// Parts of the tensors in `like` without a placement are left out,
  /// since their order cannot be known.
  bool asksForLayout = false;
  Interrupt interrupt;
};

/// How many tensors were merged, and in which way.
struct MergeResult {
  std::string path;
  int64_t ranks = 0;
  int64_t tensors = 0;    ///< in the merged dump
  int64_t replicated = 0; ///< tensors that are the same on several ranks
  int64_t joined = 0;     ///< put together from parts
  int64_t single = 0;     ///< tensors that only one rank has
  int64_t guessed = 0;    ///< those among `joined` that were placed by the
                          ///< sizes in `like`
  int64_t parts = 0;      ///< left out because a layout is requested
  std::pair<std::string, std::string> firstPart; ///< the first of these: name,
                                                 ///< why
  int64_t operators = 0; ///< tensors of operator calls, which are not merged
  std::vector<Divergence> diverging;
  std::vector<std::pair<std::string, std::string>> leftOut; ///< name, why
};

/// Whether a tensor of any rank has the attribute `placement`.
bool recordsPlacement(llvm::ArrayRef<RankDump> ranks);

/// Whether the ranks have parts of tensors that `whole` has: shapes that differ by
/// a factor, up to the number of ranks, along one dimension.
bool haveParts(llvm::ArrayRef<RankDump> ranks, const formats::Hdf5Reader &whole);

/// Writes the merged dump at `path`. A tensor's parts are put together by the
/// layout, else by the placement that was recorded, else by the sizes in
/// `like`; without any of these only equal tensors are merged. Different
/// tensors with the shape in `like` are summands where their sum is near it,
/// else replicas. Tensors that cannot be put together are left out and listed.
/// Memory: one tensor of all ranks.
/// Errors:  InvalidArgument (the layout is for another number of ranks), those
/// of reading and writing, Cancelled. The file is complete or absent
llvm::Expected<MergeResult> mergeRanks(llvm::ArrayRef<RankDump> ranks,
                                       llvm::StringRef path,
                                       const MergeOptions &options);

struct SharedName;
/// The rank that each element of a merged tensor comes from, as i32; for
/// replicas and summands that is the first. Nullopt: the tensor was left out.
std::optional<tensor::Tensor> ownersOf(llvm::ArrayRef<RankDump> ranks,
                                       const SharedName &name,
                                       const MergeOptions &options);

/// Prints counts, replicas that differ, and the tensors that were left out.
void printMerge(const MergeResult &result, llvm::raw_ostream &os);
llvm::json::Object mergeJson(const MergeResult &result);

} // namespace assay::trace
