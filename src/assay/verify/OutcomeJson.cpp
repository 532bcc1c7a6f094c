// Field by field: one rank writes, another one of the same program reads.
#include "assay/verify/OutcomeJson.h"

using namespace assay;
using namespace assay::verify;

llvm::json::Value verify::toJson(Outcome outcome, bool isRecorded) {
  return llvm::json::Object{{"status", static_cast<int>(outcome.status)},
                            {"reason", std::move(outcome.reason)},
                            {"before", llvm::json::Array(outcome.before)},
                            {"after", llvm::json::Array(outcome.after)},
                            {"untaken", llvm::json::Array(outcome.untaken)},
                            {"trouble", llvm::json::Array(outcome.trouble)},
                            {"judge", std::move(outcome.judge)},
                            {"printed", std::move(outcome.printed)},
                            {"shows_all_printed", outcome.showsAllPrinted},
                            {"ms", outcome.milliseconds},
                            {"facts", std::move(outcome.facts)},
                            {"recorded", isRecorded}};
}

static std::vector<std::string> textsIn(const llvm::json::Object &line,
                                        llvm::StringRef key) {
  std::vector<std::string> texts;
  if (const llvm::json::Array *list = line.getArray(key))
    for (const llvm::json::Value &value : *list)
      texts.push_back(value.getAsString().value_or("").str());
  return texts;
}

std::pair<Outcome, bool> verify::outcomeIn(llvm::json::Value value) {
  Outcome outcome;
  llvm::json::Object *line = value.getAsObject();
  if (!line)
    return {std::move(outcome), false};
  outcome.status = static_cast<Status>(line->getInteger("status").value_or(0));
  outcome.reason = line->getString("reason").value_or("").str();
  outcome.before = textsIn(*line, "before");
  outcome.after = textsIn(*line, "after");
  outcome.untaken = textsIn(*line, "untaken");
  outcome.trouble = textsIn(*line, "trouble");
  outcome.judge = line->getString("judge").value_or("").str();
  outcome.printed = line->getString("printed").value_or("").str();
  outcome.showsAllPrinted =
      line->getBoolean("shows_all_printed").value_or(false);
  outcome.milliseconds = line->getNumber("ms").value_or(0);
  if (llvm::json::Object *facts = line->getObject("facts"))
    outcome.facts = std::move(*facts);
  return {std::move(outcome), line->getBoolean("recorded").value_or(false)};
}
