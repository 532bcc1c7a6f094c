// Folders of dumps, one for each rank. Ranks are compared one after another, so
// that memory stays that of one comparison; each uses all threads.
#include "assay/trace/Ranks.h"
#include "assay/support/Table.h"
#include "assay/tensor/Hdf5Reader.h"
#include "assay/trace/CompareReport.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace assay::trace {

using tensor::Hdf5Reader;

llvm::Expected<std::map<int64_t, std::string>> dumpsOf(llvm::StringRef path) {
  std::map<int64_t, std::string> dumps;
  if (!llvm::sys::fs::is_directory(path)) {
    dumps[rankOfFile(path)] = path.str();
    return dumps;
  }
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(path, error), end;
       it != end && !error; it.increment(error)) {
    llvm::StringRef name = llvm::sys::path::filename(it->path());
    if (!name.starts_with("globalrank-") || !name.ends_with(".h5") ||
        name.contains(".killed-"))
      continue;
    auto [other, isNew] = dumps.try_emplace(rankOfFile(it->path()), it->path());
    if (!isNew)
      return makeError(ErrorCode::InvalidArgument,
                       "'{0}' and '{1}' are dumps of the same rank",
                       other->second, it->path());
  }
  if (error)
    return makeError(ErrorCode::NotFound, "cannot list '{0}': {1}", path,
                     error.message());
  if (dumps.empty())
    return makeError(ErrorCode::NotFound,
                     "no dump in '{0}'; expected globalrank-R_localrank-r.h5",
                     path);
  return dumps;
}

llvm::Expected<std::vector<RankPair>> pairRanks(llvm::StringRef target,
                                                llvm::StringRef bench) {
  llvm::Expected<std::map<int64_t, std::string>> tested = dumpsOf(target);
  if (!tested)
    return tested.takeError();
  llvm::Expected<std::map<int64_t, std::string>> trusted = dumpsOf(bench);
  if (!trusted)
    return trusted.takeError();
  std::vector<RankPair> pairs;
  bool one = trusted->size() == 1 && tested->size() > 1;
  for (const auto &[rank, path] : *tested) {
    auto other = one ? trusted->begin() : trusted->find(rank);
    if (other == trusted->end())
      return makeError(ErrorCode::InvalidArgument,
                       "rank {0} is in '{1}' and not in '{2}'", rank, target,
                       bench);
    pairs.push_back({rank, path, other->second});
  }
  for (const auto &[rank, path] : *trusted)
    if (!one && !tested->count(rank))
      return makeError(ErrorCode::InvalidArgument,
                       "rank {0} is in '{1}' and not in '{2}'", rank, bench,
                       target);
  return pairs;
}

static llvm::Expected<FirstWrong> firstWrongOf(const RankResult &result,
                                               const Hdf5Reader &target,
                                               const Hdf5Reader &bench,
                                               const RankOptions &options,
                                               ThreadPool &pool) {
  llvm::Expected<Operators> tested = Operators::of(result.pair.target, "");
  if (!tested)
    return tested.takeError();
  llvm::Expected<Operators> trusted = Operators::of(result.pair.bench, "");
  if (!trusted)
    return trusted.takeError();
  SideOperators sides{tested->empty() ? nullptr : &*tested,
                      trusted->empty() ? nullptr : &*trusted,
                      options.accumulation};
  return findFirstWrong(result.comparison, target, bench, pool, sides);
}

llvm::Expected<std::vector<RankResult>>
compareRanks(llvm::ArrayRef<RankPair> pairs, const RankOptions &options,
             ThreadPool &pool) {
  std::vector<RankResult> results;
  for (const RankPair &pair : pairs) {
    llvm::Expected<std::unique_ptr<Hdf5Reader>> target =
        Hdf5Reader::open(pair.target);
    if (!target)
      return target.takeError();
    llvm::Expected<std::unique_ptr<Hdf5Reader>> bench =
        Hdf5Reader::open(pair.bench);
    if (!bench)
      return bench.takeError();
    llvm::Expected<Comparison> comparison =
        compareDumps(**target, **bench, options.compare, pool);
    if (!comparison)
      return comparison.takeError();
    RankResult result{pair, std::move(*comparison), std::nullopt};
    if (options.firstWrong) {
      llvm::Expected<FirstWrong> found =
          firstWrongOf(result, **target, **bench, options, pool);
      if (!found)
        return found.takeError();
      result.firstWrong = std::move(*found);
    }
    results.push_back(std::move(result));
  }
  return results;
}

const RankResult *firstWrongRank(llvm::ArrayRef<RankResult> ranks) {
  const RankResult *first = nullptr;
  auto key = [](const RankResult &rank) {
    const Suspect &suspect = rank.firstWrong->suspects.front();
    return std::pair(suspect.evidence == "gain", suspect.row);
  };
  for (const RankResult &rank : ranks)
    if (rank.firstWrong && !rank.firstWrong->suspects.empty() &&
        (!first || key(rank) < key(*first)))
      first = &rank;
  return first;
}

void printRanks(llvm::ArrayRef<RankResult> ranks, llvm::raw_ostream &os) {
  Table table({{"Rank", Table::Align::Right},
               {"Passed", Table::Align::Right},
               {"Failed", Table::Align::Right},
               {"Unmatched", Table::Align::Right},
               {"First wrong", Table::Align::Left}});
  bool asked = false;
  for (const RankResult &rank : ranks) {
    const Comparison &c = rank.comparison;
    asked |= rank.firstWrong.has_value();
    std::string named = !rank.firstWrong ? ""
                        : rank.firstWrong->suspects.empty()
                            ? "none"
                            : rank.firstWrong->suspects.front().module;
    table.addRow({std::to_string(rank.pair.rank), std::to_string(c.passed),
                  std::to_string(c.failed),
                  std::to_string(c.unmatchedTarget + c.unmatchedBench),
                  std::move(named)});
  }
  table.print(os);
  if (!asked)
    return;
  const RankResult *first = firstWrongRank(ranks);
  if (!first) {
    os << "first wrong rank: none\nfirst wrong: none\n";
    return;
  }
  os << "first wrong rank: " << first->pair.rank << "\n";
  printFirstWrong(*first->firstWrong, os);
}

llvm::json::Object ranksJson(llvm::ArrayRef<RankResult> ranks) {
  llvm::json::Array list;
  for (const RankResult &rank : ranks) {
    llvm::json::Object object = comparisonJson(rank.comparison);
    object["rank"] = rank.pair.rank;
    if (rank.firstWrong)
      object["first_wrong"] = firstWrongJson(*rank.firstWrong);
    list.push_back(std::move(object));
  }
  llvm::json::Object result{{"ranks", std::move(list)}};
  if (const RankResult *first = firstWrongRank(ranks)) {
    result["first_wrong_rank"] = first->pair.rank;
    result["first_wrong"] = firstWrongJson(*first->firstWrong);
  }
  return result;
}

} // namespace assay::trace
