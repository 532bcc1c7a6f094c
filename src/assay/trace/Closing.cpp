// Every Fail and every tensor without a counterpart is accounted for: by what
// was found right, by what it follows from, or as one that cannot be told.
#include "assay/trace/Closing.h"
#include "assay/trace/Steps.h"

namespace assay::trace {

Closing::Closing(const Comparison &comparison)
    : comparison_(comparison), holder_(firstHolders(comparison)),
      cause_(comparison.rows.size(), Cause::None) {}

void Closing::explain(size_t row, Cause cause) {
  if (comparison_.rows[row].status != RowStatus::Fail)
    return;
  Cause &own = cause_[holder_[row]];
  if (own == Cause::None)
    own = cause;
  anyFail_ |= cause != Cause::Meaningless;
}

void Closing::doubt(size_t row, std::string why) {
  if (comparison_.rows[row].status != RowStatus::Fail)
    return;
  doubts_.try_emplace(holder_[row], std::move(why));
  anyFail_ = true;
}

const AlignItem &Closing::itemOf(const ComparedRow &row) const {
  return row.pair.target >= 0
             ? comparison_.target[static_cast<size_t>(row.pair.target)]
             : comparison_.bench[static_cast<size_t>(row.pair.bench)];
}

/// Whether a module around a tensor without a counterpart gives what agrees.
bool Closing::agreesAround(const ComparedRow &alone) const {
  const DumpName &name = itemOf(alone).name;
  if (isNumbered(name.module))
    return true; // what it goes into has a row of its own
  bool found = false;
  for (const ComparedRow &row : comparison_.rows) {
    if (row.pair.target < 0 || row.pair.bench < 0)
      continue;
    const DumpName &other = itemOf(row).name;
    if (other.step != name.step || other.kind != TensorKind::ForwardOutput ||
        isNumbered(other.module) || other.module == name.module)
      continue;
    llvm::StringRef below = name.module;
    bool around = other.module.empty() ||
                  (below.consume_front(other.module) && below.starts_with("."));
    if (!around)
      continue;
    if (row.status == RowStatus::Fail)
      return false;
    found = true;
  }
  return found;
}

static const char *textOf(Cause cause) {
  switch (cause) {
  case Cause::None:
    return "";
  case Cause::Right:
    return "are what their programs give on their own inputs";
  case Cause::Follows:
    return "follow from what was found right";
  case Cause::Chosen:
    return "are choices between floats that nearly tie";
  case Cause::Written:
    return "lie between tensors that agree, where one side has other operators";
  case Cause::Meaningless:
    return "hold memory that nothing wrote";
  case Cause::OfOperators:
    return "are gradients whose operators were judged";
  }
  return "";
}

void Closing::account(FirstWrong &result, bool ignoreUnmatched) const {
  std::map<Cause, int64_t> counts;
  auto unexplained = [&](const ComparedRow &row, std::string why) {
    if (result.unexplained++ > 0)
      return;
    result.firstUnexplained = itemOf(row).name.text();
    result.notJudged = std::move(why);
  };
  int64_t alone = 0;
  for (size_t i = 0; i < comparison_.rows.size(); ++i) {
    const ComparedRow &row = comparison_.rows[i];
    if (row.status == RowStatus::Unmatched) {
      if (ignoreUnmatched)
        continue;
      if (agreesAround(row))
        ++alone;
      else
        unexplained(row, "it has no counterpart, and no module around it has "
                         "one that agrees (--map names counterparts, "
                         "--ignore-unmatched leaves such tensors out)");
      continue;
    }
    if (row.status != RowStatus::Fail)
      continue;
    ++result.fails;
    Cause cause = cause_[holder_[i]];
    auto doubt = doubts_.find(holder_[i]);
    if (cause != Cause::None)
      ++counts[cause];
    else
      unexplained(row, doubt != doubts_.end()
                           ? doubt->second
                           : "nothing that was recorded says what it was made "
                             "of");
  }
  for (const auto &[cause, count] : counts)
    result.explained.push_back({textOf(cause), count});
  if (alone > 0)
    result.explained.push_back(
        {"without a counterpart lie between tensors that agree", alone});
}

} // namespace assay::trace
