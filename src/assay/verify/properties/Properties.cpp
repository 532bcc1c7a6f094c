// Checks the rows of Properties.def one after the other, on each kind of data.
// `all` checks properties that every correct engine has: where the order of
// sums is free, results may differ by as much as the judge allows two correct
// ones; a property that is requested by name must hold bit for bit.
#include "assay/verify/properties/Properties.h"
#include "assay/verify/Options.h"
#include "assay/verify/properties/Ask.h"

#include <set>

using namespace assay;
using namespace assay::verify;

namespace {
struct Row {
  const char *name;
  bool strict;
  Answer (*ask)(PropertyRuns &runs);
};
} // namespace

static constexpr Row kRows[] = {
#define ASSAY_PROPERTY(name, strict, function, equal, holds)                   \
  {name, strict, function},
#include "assay/verify/properties/Properties.def"
};

std::string verify::propertyNames() {
  std::string names;
  for (const Row &row : kRows)
    names += std::string(row.name) + ", ";
  return names.substr(0, names.size() - 2) + " or all";
}

llvm::Expected<std::vector<std::string>>
verify::parseProperties(llvm::StringRef text) {
  std::vector<std::string> names;
  llvm::SmallVector<llvm::StringRef, 4> parts;
  text.split(parts, ',', -1, false);
  for (llvm::StringRef part : parts) {
    if (part != "all" &&
        llvm::none_of(kRows, [&](const Row &row) { return part == row.name; }))
      return makeError(ErrorCode::InvalidArgument,
                       "property '{0}' is unknown; expected {1}", part,
                       propertyNames());
    names.push_back(part.str());
  }
  return names;
}

namespace {
/// The text about the properties so far.
class Answers {
public:
  explicit Answers(Outcome &outcome) : outcome_(outcome) {}
  /// Whether to continue with the next one.
  bool take(const Row &row, FillKind kind, Answer answer,
            const PropertyRuns &runs);
  void close();

private:
  Outcome &outcome_;
  std::set<std::string> holding_;
  std::map<std::string, std::string> notAsked_;
};
} // namespace

bool Answers::take(const Row &row, FillKind kind, Answer answer,
                   const PropertyRuns &runs) {
  switch (answer.kind) {
  case Answer::Kind::Holds:
    holding_.insert(row.name);
    return true;
  case Answer::Kind::NotAsked:
    notAsked_[row.name] = answer.text;
    return true;
  case Answer::Kind::Broken:
    outcome_.status = Status::Failed;
    outcome_.reason = std::string("not ") + row.name + " on " + nameOf(kind) +
                      " data: " + answer.text;
    break;
  case Answer::Kind::Stopped:
    outcome_.status = runs.stopStatus();
    outcome_.reason = answer.text;
    outcome_.after.push_back(std::string("  while asked for ") + row.name +
                             " on " + nameOf(kind) + " data");
    break;
  }
  outcome_.facts["property"] = row.name;
  return false;
}

/// "a b c" of names.
template <typename T> static std::string joined(const T &names) {
  std::string text;
  for (const auto &name : names)
    text += (text.empty() ? "" : " ") + std::string(name);
  return text;
}

void Answers::close() {
  llvm::json::Object facts;
  for (const std::string &name : holding_)
    facts[name] = "holds";
  for (const auto &[name, why] : notAsked_)
    facts[name] = "not asked: " + why;
  outcome_.facts["properties"] = std::move(facts);
  for (const auto &[name, why] : notAsked_)
    outcome_.before.push_back("  " + name + " is not checked: " + why);
  if (outcome_.status != Status::Passed)
    return;
  if (holding_.empty()) {
    outcome_.status = Status::Skipped;
    outcome_.reason = "no property applies to this operation: " +
                      (notAsked_.empty() ? std::string("none is named")
                                         : notAsked_.begin()->second);
    return;
  }
  outcome_.reason = "holds: " + joined(holding_);
}

void verify::askProperties(PropertyRuns &runs, Outcome &outcome) {
  const RunOptions &run = *runs.planned.problem.options;
  if (runs.base().previous >= 0) {
    outcome.status = Status::Skipped;
    outcome.reason = "properties cannot be checked on a result that is read";
    return;
  }
  Answers answers(outcome);
  bool all = llvm::is_contained(run.properties, "all"), goesOn = true;
  // By default on ordinary data only.
  bool isDefault = fillsByDefault(run);
  for (FillKind kind : run.fills) {
    if (isDefault && judge::asksDefinedOnly(kind))
      continue;
    if (llvm::Error error = runs.fill(kind)) {
      outcome.status = Status::Skipped;
      outcome.reason = takeError(std::move(error)).message;
      return;
    }
    if (!runs.plain()) {
      outcome.status = runs.stopStatus();
      outcome.reason = runs.reason();
      return;
    }
    for (const Row &row : kRows) {
      bool named = llvm::is_contained(run.properties, row.name);
      if (!goesOn || (!named && !all))
        continue;
      runs.wantBits();
      Answer answer;
      if (!named && !row.strict)
        if (llvm::Error error = runs.allowRoundings())
          answer = {Answer::Kind::NotAsked,
                    takeError(std::move(error)).message};
      if (answer.kind == Answer::Kind::Holds)
        answer = row.ask(runs);
      goesOn = answers.take(row, kind, std::move(answer), runs);
    }
  }
  answers.close();
}
