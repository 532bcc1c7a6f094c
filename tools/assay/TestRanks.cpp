// `mpirun -n N assay test`: the results of a unit as JSON, which the rank that
// ran it sends to the one that reports.
#include "TestCases.h"

using namespace assay;
using namespace assay::tools;

static llvm::json::Value toJson(const UnitResult &result) {
  llvm::json::Array cases;
  for (const TestCase &one : result.cases)
    cases.push_back(llvm::json::Object{{"name", one.name},
                                       {"status", static_cast<int>(one.status)},
                                       {"detail", one.detail},
                                       {"limited", one.limited}});
  return llvm::json::Object{{"cases", std::move(cases)},
                            {"error", result.error}};
}

static UnitResult resultIn(const llvm::json::Value &value) {
  UnitResult result;
  const llvm::json::Object *object = value.getAsObject();
  const llvm::json::Array *cases = object ? object->getArray("cases") : nullptr;
  if (!cases)
    return result;
  result.error = object->getString("error").value_or("").str();
  for (const llvm::json::Value &row : *cases)
    if (const llvm::json::Object *one = row.getAsObject())
      result.cases.push_back(
          {one->getString("name").value_or("").str(),
           static_cast<TestStatus>(one->getInteger("status").value_or(1)),
           one->getString("detail").value_or("").str(),
           one->getBoolean("limited").value_or(false)});
  return result;
}

/// Runs a unit that this rank holds; reports first how earlier ranks died on
/// it.
static UnitResult runHeld(const ranks::HeldItem &item,
                          const ranks::RankIdentity &identity,
                          const TestUnit &unit,
                          const std::function<UnitResult(size_t unit)> &run) {
  UnitResult result;
  if (item.isGivenUp)
    result.cases.push_back({unit.file + ":@", TestStatus::Failed,
                            "two processes that ran this file died"});
  else
    result = run(static_cast<size_t>(item.number));
  if (item.lostBy >= 0)
    llvm::errs() << "assay test: " << unit.file << ": "
                 << item.history(identity) << "\n";
  return result;
}

llvm::Expected<SharedUnits>
tools::shareUnits(ranks::RankBoard &board, const std::vector<TestUnit> &units,
                  llvm::ArrayRef<int64_t> order,
                  const std::function<UnitResult(size_t unit)> &run,
                  const Interrupt &interrupt) {
  llvm::Expected<ranks::Shared> shared = ranks::share(
      board, order,
      [&](const ranks::HeldItem &item) {
        return toJson(runHeld(item, board.identity(),
                              units[static_cast<size_t>(item.number)], run));
      },
      interrupt);
  if (!shared)
    return shared.takeError();
  SharedUnits all{shared->reports, {}, 0, std::move(shared->stopped)};
  for (const std::optional<llvm::json::Value> &answer : shared->answers) {
    all.left += !answer;
    all.results.push_back(answer ? resultIn(*answer) : UnitResult());
  }
  return all;
}
