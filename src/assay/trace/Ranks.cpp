// Folders of dumps, one for each rank. A comparison uses all threads; ranks are
// compared one after another, so that memory is that of one comparison, or in
// several processes, which send their reports to one.
#include "assay/trace/Ranks.h"
#include "assay/formats/Hdf5Reader.h"
#include "assay/support/Table.h"
#include "assay/trace/CompareReport.h"
#include "assay/trace/report/Page.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <set>

namespace assay::trace {

using formats::Hdf5Reader;

llvm::Expected<std::map<int64_t, std::string>> dumpsOf(llvm::StringRef path) {
  std::map<int64_t, std::string> dumps;
  if (!llvm::sys::fs::is_directory(path)) {
    dumps[rankOfFile(path)] = path.str();
    return dumps;
  }
  std::error_code error;
  std::set<std::string> others;
  for (llvm::sys::fs::directory_iterator it(path, error), end;
       it != end && !error; it.increment(error)) {
    llvm::StringRef name = llvm::sys::path::filename(it->path());
    if (name.ends_with(".h5") && !name.starts_with("globalrank-"))
      others.insert(it->path());
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
  if (!dumps.empty())
    return dumps;
  if (!others.empty())
    return makeError(ErrorCode::NotFound,
                     "'{0}' has no globalrank-R_localrank-r.h5, but {1} other "
                     ".h5 {2} (ASSAY_RECORD writes one for each program of "
                     "JAX); name one, such as '{3}'",
                     path, others.size(), others.size() == 1 ? "file" : "files",
                     *others.begin());
  return makeError(ErrorCode::NotFound,
                   "no dump in '{0}'; expected globalrank-R_localrank-r.h5",
                   path);
}

llvm::Expected<std::string> oneDump(llvm::StringRef path) {
  llvm::Expected<std::map<int64_t, std::string>> dumps = dumpsOf(path);
  if (!dumps)
    return dumps.takeError();
  if (dumps->size() == 1)
    return dumps->begin()->second;
  return makeError(ErrorCode::InvalidArgument,
                   "'{0}' has the dumps of {1} ranks; name one, such as '{2}'",
                   path, dumps->size(), dumps->begin()->second);
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

static llvm::Expected<FirstWrong>
firstWrongOf(const RankPair &pair, const Comparison &comparison,
             const Hdf5Reader &target, const Hdf5Reader &bench,
             const RankOptions &options, ThreadPool &pool) {
  llvm::Expected<Operators> tested = Operators::of(pair.target, "");
  if (!tested)
    return tested.takeError();
  llvm::Expected<Operators> trusted = Operators::of(pair.bench, "");
  if (!trusted)
    return trusted.takeError();
  SideOperators sides{tested->empty() ? nullptr : &*tested,
                      trusted->empty() ? nullptr : &*trusted,
                      options.accumulation, options.ignoreUnmatched};
  return findFirstWrong(comparison, target, bench, pool, sides);
}

static void addFirstWrong(const FirstWrong &found, RankResult &result) {
  result.answer = found.answer();
  result.document["first_wrong"] = firstWrongJson(found);
  llvm::raw_string_ostream os(result.findings);
  printFirstWrong(found, os);
  if (found.suspects.empty())
    return;
  const Suspect &first = found.suspects.front();
  result.blame = {first.module,
                  "/" + std::to_string(first.step) + "/" + first.tensor,
                  first.evidence == Evidence::Growth, first.row};
}

/// The gradients of parameters that fail. Dumps of other programs have no
/// hashes: they are computed.
static llvm::Expected<std::map<std::string, std::string>>
failingGradients(const Comparison &comparison, const Hdf5Reader &target) {
  std::map<std::string, std::string> gradients;
  for (const ComparedRow &row : comparison.rows) {
    if (row.pair.target < 0 || row.status != RowStatus::Fail)
      continue;
    auto at = static_cast<size_t>(row.pair.target);
    const DumpName &name = comparison.target[at].name;
    if (name.kind != TensorKind::ParamsGrad)
      continue;
    const formats::Hdf5Dataset &dataset = target.datasets()[at];
    std::string hash = dataset.hash;
    if (hash.empty()) {
      llvm::Expected<tensor::Tensor> data = target.readTensor(dataset);
      if (!data)
        return data.takeError();
      hash =
          formats::hashBytes({reinterpret_cast<const uint8_t *>(data->bytes()),
                             static_cast<size_t>(data->denseBytes())});
    }
    gradients["/" + std::to_string(name.step) + "/" + name.text()] = hash;
  }
  return gradients;
}

static RankResult withPage(RankResult result, const Comparison &comparison,
                           const Hdf5Reader &target, const Hdf5Reader &bench,
                           const RankOptions &options, ThreadPool &pool) {
  if (!options.forPage)
    return result;
  result.page = result.document;
  addErrorMaps(result.page, comparison, target, bench, pool);
  addModulesAround(result.page, comparison);
  return result;
}

llvm::Expected<RankResult> compareRank(const RankPair &pair,
                                       const RankOptions &options,
                                       ThreadPool &pool) {
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
  RankResult result;
  result.pair = pair;
  result.passed = comparison->passed;
  result.failed = comparison->failed;
  result.unmatched = comparison->unmatchedTarget + comparison->unmatchedBench;
  result.document = comparisonJson(*comparison);
  result.document["rank"] = pair.rank;
  if (!options.firstWrong)
    return withPage(std::move(result), *comparison, **target, **bench, options,
                    pool);
  llvm::Expected<FirstWrong> found =
      firstWrongOf(pair, *comparison, **target, **bench, options, pool);
  if (!found)
    return found.takeError();
  addFirstWrong(*found, result);
  llvm::Expected<std::map<std::string, std::string>> gradients =
      failingGradients(*comparison, **target);
  if (!gradients)
    return gradients.takeError();
  result.gradients = std::move(*gradients);
  return withPage(std::move(result), *comparison, **target, **bench, options,
                  pool);
}

llvm::json::Value RankResult::toJson() const {
  llvm::json::Object object{{"rank", pair.rank},
                            {"target", pair.target},
                            {"bench", pair.bench},
                            {"passed", passed},
                            {"failed", failed},
                            {"unmatched", unmatched},
                            {"document", llvm::json::Object(document)},
                            {"page", llvm::json::Object(page)},
                            {"findings", findings}};
  if (answer)
    object["answer"] = static_cast<int64_t>(*answer);
  if (blame)
    object["blame"] = llvm::json::Object{{"module", blame->module},
                                         {"tensor", blame->tensor},
                                         {"doubtful", blame->isDoubtful},
                                         {"row", blame->row}};
  llvm::json::Object hashes;
  for (const auto &[name, hash] : gradients)
    hashes[llvm::json::fixUTF8(name)] = hash;
  object["gradients"] = std::move(hashes);
  return object;
}

llvm::Expected<RankResult> RankResult::fromJson(llvm::json::Value value) {
  llvm::json::Object *object = value.getAsObject();
  llvm::json::Object *document =
      object ? object->getObject("document") : nullptr;
  if (!document)
    return makeError(ErrorCode::InvalidArgument,
                     "no result of a comparison of ranks");
  auto text = [](const llvm::json::Object &from, llvm::StringRef key) {
    return from.getString(key).value_or("").str();
  };
  auto number = [](const llvm::json::Object &from, llvm::StringRef key) {
    return from.getInteger(key).value_or(-1);
  };
  RankResult result;
  result.pair = {number(*object, "rank"), text(*object, "target"),
                 text(*object, "bench")};
  result.passed = number(*object, "passed");
  result.failed = number(*object, "failed");
  result.unmatched = number(*object, "unmatched");
  result.document = std::move(*document);
  if (llvm::json::Object *page = object->getObject("page"))
    result.page = std::move(*page);
  if (int64_t answer = number(*object, "answer");
      answer >= 0 && answer <= static_cast<int64_t>(Answer::CannotTell))
    result.answer = static_cast<Answer>(answer);
  result.findings = text(*object, "findings");
  if (const llvm::json::Object *blame = object->getObject("blame"))
    result.blame = {text(*blame, "module"), text(*blame, "tensor"),
                    blame->getBoolean("doubtful").value_or(false),
                    number(*blame, "row")};
  if (const llvm::json::Object *hashes = object->getObject("gradients"))
    for (const auto &[name, hash] : *hashes)
      result.gradients[name.str()] = hash.getAsString().value_or("").str();
  return result;
}

bool isOfAllRanks(llvm::ArrayRef<RankResult> ranks, const RankResult &rank) {
  if (!rank.blame || ranks.size() < 2)
    return false;
  auto own = rank.gradients.find(rank.blame->tensor);
  return own != rank.gradients.end() &&
         llvm::all_of(ranks, [&](const RankResult &other) {
           auto same = other.gradients.find(own->first);
           return same != other.gradients.end() && same->second == own->second;
         });
}

const RankResult *firstWrongRank(llvm::ArrayRef<RankResult> ranks) {
  const RankResult *first = nullptr;
  auto key = [&](const RankResult &rank) {
    return std::tuple(isOfAllRanks(ranks, rank), rank.blame->isDoubtful,
                      rank.blame->row);
  };
  for (const RankResult &rank : ranks)
    if (rank.blame && (!first || key(rank) < key(*first)))
      first = &rank;
  return first;
}

const RankResult *decidingRank(llvm::ArrayRef<RankResult> ranks) {
  if (const RankResult *named = firstWrongRank(ranks))
    return named;
  const RankResult *deciding = nullptr;
  for (const RankResult &rank : ranks) {
    if (rank.answer == Answer::CannotTell)
      return &rank;
    if (rank.answer && (!deciding || rank.failed > deciding->failed))
      deciding = &rank;
  }
  return deciding;
}

/// The text for a gradient of isOfAllRanks().
static std::string beforeReduction(llvm::ArrayRef<RankResult> ranks,
                                   const RankResult &rank) {
  return llvm::formatv(
             "before the all-reduce: '{0}' is wrong and the same on all {1} "
             "ranks, and what each rank gave to it passes or is not there; to "
             "have it judged, record the operators (dump_torch_api=True), or "
             "the gradients without the all-reduce (no_sync())",
             llvm::StringRef(rank.blame->tensor).drop_front().split('/').second,
             ranks.size())
      .str();
}

void printRanks(llvm::ArrayRef<RankResult> ranks, llvm::raw_ostream &os) {
  Table table({{"Rank", Table::Align::Right},
               {"Passed", Table::Align::Right},
               {"Failed", Table::Align::Right},
               {"Unmatched", Table::Align::Right},
               {"First wrong", Table::Align::Left}});
  for (const RankResult &rank : ranks) {
    std::string named;
    if (isOfAllRanks(ranks, rank))
      named = answerName(Answer::CannotTell);
    else if (rank.answer)
      named = rank.blame ? rank.blame->module : answerName(*rank.answer).str();
    table.addRow({std::to_string(rank.pair.rank), std::to_string(rank.passed),
                  std::to_string(rank.failed), std::to_string(rank.unmatched),
                  std::move(named)});
  }
  const RankResult *first = decidingRank(ranks);
  if (first && ranks.size() == 1) {
    os << first->findings;
    return;
  }
  table.print(os);
  if (!first)
    return;
  if (isOfAllRanks(ranks, *first)) {
    os << "first wrong rank: cannot tell\nfirst wrong: cannot tell: "
       << beforeReduction(ranks, *first) << "\n";
    return;
  }
  os << "first wrong rank: "
     << (first->blame ? std::to_string(first->pair.rank)
                      : answerName(*first->answer).str());
  if (!first->blame && first->failed + first->unmatched > 0)
    os << " (what follows is of rank " << first->pair.rank << ")";
  os << "\n" << first->findings;
}

static llvm::json::Object joinedJson(llvm::ArrayRef<RankResult> ranks,
                                     llvm::json::Object RankResult::*document) {
  llvm::json::Array list;
  for (const RankResult &rank : ranks)
    list.push_back(llvm::json::Object(rank.*document));
  llvm::json::Object result{{"ranks", std::move(list)}};
  if (const RankResult *first = decidingRank(ranks)) {
    llvm::json::Value found = *first->document.get("first_wrong");
    if (isOfAllRanks(ranks, *first)) {
      llvm::json::Object &object = *found.getAsObject();
      object["first_wrong"] = nullptr;
      object["answer"] = answerName(Answer::CannotTell);
      object["not_judged"] = beforeReduction(ranks, *first);
    } else if (first->blame) {
      result["first_wrong_rank"] = first->pair.rank;
    }
    result["first_wrong"] = std::move(found);
  }
  return result;
}

llvm::json::Object ranksJson(llvm::ArrayRef<RankResult> ranks) {
  return joinedJson(ranks, &RankResult::document);
}

llvm::json::Object ranksPage(llvm::ArrayRef<RankResult> ranks) {
  return joinedJson(ranks, &RankResult::page);
}

} // namespace assay::trace
