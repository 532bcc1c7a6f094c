// Each rank of a launcher compares one pair of dumps at a time; the rank that
// reports receives the result of each.
#include "CompareRanks.h"
#include "Ranks.h"
#include "assay/ranks/Sharing.h"
#include "assay/trace/report/Page.h"

#include <numeric>

using namespace assay;
using namespace assay::tools;
using trace::RankPair;
using trace::RankResult;

ExitCode tools::exitCodeOf(const ComparedCounts &counts, bool ignoreUnmatched) {
  if (counts.passed + counts.failed == 0) {
    tools::err() << "assay: error: no tensor of '" << counts.target
                 << "' has a counterpart in '" << counts.bench
                 << "': nothing was compared\n";
    return ExitCode::NothingChecked;
  }
  bool held = counts.failed == 0 && (counts.unmatched == 0 || ignoreUnmatched);
  return held ? ExitCode::Ok : ExitCode::CheckFailed;
}

ExitCode tools::codeAfterSearch(std::optional<trace::Answer> answer,
                                ExitCode code) {
  if (!answer || code == ExitCode::NothingChecked)
    return code;
  if (*answer != trace::Answer::None)
    return worst(code, ExitCode::CheckFailed);
  return code == ExitCode::CheckFailed ? ExitCode::Ok : code;
}

/// {"result": ...} or {"error": ..., "code": ...}.
static llvm::json::Value answerOf(llvm::Expected<RankResult> result) {
  if (result)
    return llvm::json::Object{{"result", result->toJson()}};
  ErrorText text = takeError(result.takeError());
  return llvm::json::Object{{"error", text.message},
                            {"code", static_cast<int>(text.code)}};
}

static llvm::Expected<RankResult>
resultIn(std::optional<llvm::json::Value> answer) {
  llvm::json::Object *object = answer ? answer->getAsObject() : nullptr;
  llvm::json::Value *result = object ? object->get("result") : nullptr;
  if (result)
    return RankResult::fromJson(std::move(*result));
  if (!object)
    return makeError(ErrorCode::Cancelled, "not every rank was compared");
  return makeError(static_cast<ErrorCode>(object->getInteger("code").value_or(
                       static_cast<int>(ErrorCode::Internal))),
                   "{0}", object->getString("error").value_or(""));
}

namespace {
/// All results, or the fact that another process reports them.
struct Compared {
  bool reports = true;
  std::vector<RankResult> results;
};
} // namespace

static llvm::Expected<Compared> compareShared(llvm::ArrayRef<RankPair> pairs,
                                              const RankFolders &folders,
                                              ThreadPool &pool,
                                              ranks::RankBoard &board) {
  std::vector<int64_t> order(pairs.size());
  std::iota(order.begin(), order.end(), 0);
  auto work = [&](const ranks::HeldItem &item) {
    const RankPair &pair = pairs[static_cast<size_t>(item.number)];
    if (item.isGivenUp)
      return answerOf(makeError(ErrorCode::Internal,
                                "two processes that compared '{0}' died",
                                pair.target));
    if (item.lostBy >= 0)
      tools::err() << "assay compare: " << pair.target << ": "
                   << item.history(board.identity()) << "\n";
    return answerOf(trace::compareRank(pair, folders.options, pool));
  };
  llvm::Expected<ranks::Shared> shared =
      ranks::share(board, order, work, folders.options.compare.interrupt);
  if (!shared)
    return shared.takeError();
  Compared compared{shared->reports, {}};
  for (std::optional<llvm::json::Value> &answer : shared->answers)
    if (compared.reports) {
      llvm::Expected<RankResult> result = resultIn(std::move(answer));
      if (!result)
        return result.takeError();
      compared.results.push_back(std::move(*result));
    }
  return compared;
}

static llvm::Expected<Compared> compareAll(const RankFolders &folders,
                                           ranks::RankBoard *board) {
  llvm::Expected<std::vector<RankPair>> pairs =
      trace::pairRanks(folders.target, folders.bench);
  if (!pairs)
    return pairs.takeError();
  ThreadPool pool(board ? threadsOfRank(*board, folders.threads)
                        : folders.threads);
  if (board)
    return compareShared(*pairs, folders, pool, *board);
  Compared compared;
  for (const RankPair &pair : *pairs) {
    llvm::Expected<RankResult> result =
        trace::compareRank(pair, folders.options, pool);
    if (!result)
      return result.takeError();
    compared.results.push_back(std::move(*result));
  }
  return compared;
}

void tools::printRepro(llvm::ArrayRef<const char *> arguments,
                       bool isSearched) {
  if (!isSearched)
    tools::err() << "assay: --first-wrong names where the differences begin\n";
  tools::out() << "repro: " << shellCommand(arguments) << "\n";
}

static ExitCode report(const RankFolders &folders,
                       llvm::ArrayRef<RankResult> results,
                       llvm::ArrayRef<const char *> arguments) {
  ExitCode code = ExitCode::Ok;
  for (const RankResult &rank : results)
    code = worst(code, codeAfterSearch(
                           rank.answer,
                           exitCodeOf({rank.passed, rank.failed, rank.unmatched,
                                       rank.pair.target, rank.pair.bench},
                                      folders.options.ignoreUnmatched)));
  if (!folders.common.json.empty())
    if (llvm::Error error =
            writeJson(folders.common.json, trace::ranksJson(results)))
      return reportError(std::move(error));
  if (!folders.html.empty()) {
    trace::ReportSource source{folders.target, trace::ranksPage(results)};
    if (llvm::Error error = writeText(folders.html, [&](llvm::raw_ostream &os) {
          trace::writePage("Assay: " + folders.target + " against " +
                               folders.bench,
                           source, os);
        }))
      return reportError(std::move(error));
  }
  if (folders.common.json == "-")
    return code;
  trace::printRanks(results, tools::out());
  if (code == ExitCode::CheckFailed)
    printRepro(arguments, folders.options.firstWrong || folders.common.quiet);
  return code;
}

ExitCode tools::compareRankFolders(RankFolders folders,
                                   llvm::ArrayRef<const char *> arguments) {
  llvm::Expected<JoinedRanks> joined = joinRanks("compare", arguments);
  if (!joined)
    return reportError(joined.takeError());
  if (joined->code)
    return *joined->code;
  ranks::RankBoard *board = joined->board.get();
  llvm::Expected<Compared> compared = compareAll(folders, board);
  if (compared && !compared->reports)
    return ExitCode::Ok;
  ExitCode code = compared ? report(folders, compared->results, arguments)
                           : reportError(compared.takeError());
  llvm::outs().flush();
  if (board)
    ranks::closeReport(*board);
  return code;
}
