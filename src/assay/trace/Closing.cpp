// Every Fail and every tensor without a counterpart is accounted for: by what
// was found right, by what it follows from, or as one that cannot be told.
#include "assay/trace/Closing.h"
#include "assay/trace/Steps.h"

namespace assay::trace {

Closing::Closing(const Comparison &comparison)
    : comparison_(comparison), holder_(firstHolders(comparison)),
      cause_(comparison.rows.size(), Cause::None),
      sure_(comparison.rows.size()) {
  for (size_t i = 0; i < holder_.size(); ++i)
    if (comparison.rows[i].pair.how != "similar")
      sure_[holder_[i]] = true;
  for (bool ofTarget : {false, true})
    for (const AlignItem &item : ofTarget ? comparison.target : comparison.bench)
      if (llvm::any_of(item.type.shape, [](int64_t n) { return n > 1; }))
        all_[ofTarget].insert({item.name.step, item.hash});
  for (const ComparedRow &row : comparison.rows) {
    if (row.pair.target < 0 || row.pair.bench < 0)
      continue;
    const DumpName &name = itemOf(row).name;
    if (row.status == RowStatus::Pass && row.elements > 1) {
      agreed_[1].insert({name.step, itemOf(row).hash});
      const AlignItem &bench =
          comparison.bench[static_cast<size_t>(row.pair.bench)];
      agreed_[0].insert({bench.name.step, bench.hash});
    }
    if (name.kind == TensorKind::ForwardOutput && !isNumbered(name.module))
      agrees_.try_emplace({name.step, name.module}, true).first->second &=
          row.status != RowStatus::Fail;
  }
}

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

/// Whether the outputs of a module around a tensor without a counterpart agree, or
/// the tensor is a copy of one that agrees (a module that only passes it on) or of one
/// of the other side (a parameter under another name).
bool Closing::agreesAround(const ComparedRow &alone) const {
  const DumpName &name = itemOf(alone).name;
  if (isNumbered(name.module))
    return true; // the tensor that it becomes has a row of its own
  const std::string &hash = itemOf(alone).hash;
  bool ofTarget = alone.pair.target >= 0;
  if (!hash.empty() && (agreed_[ofTarget].count({name.step, hash}) ||
                        all_[!ofTarget].count({name.step, hash})))
    return true;
  bool found = false;
  for (llvm::StringRef path = name.module; !path.empty();) {
    path = path.contains('.') ? path.rsplit('.').first : "";
    auto around = agrees_.find({name.step, path.str()});
    if (around == agrees_.end())
      continue;
    if (!around->second)
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
  case Cause::Rounded:
    return "are off by what their type rounds";
  case Cause::Chosen:
    return "are choices between floats that nearly tie";
  case Cause::Written:
    return "lie between tensors that agree, where one side has other operators";
  case Cause::Meaningless:
    return "hold memory that nothing wrote";
  case Cause::Unread:
    return "have no consequence: all that is made of them is equal";
  case Cause::OfOperators:
    return "are gradients whose operators were judged";
  }
  return "";
}

/// What would have to be recorded for the tensor to be judged.
std::string Closing::howToJudge(const ComparedRow &row) const {
  if (row.status == RowStatus::Unmatched)
    return "name counterparts with --map, or leave such tensors out with "
           "--ignore-unmatched";
  auto bothHave = [&](bool operators) {
    auto has = [&](llvm::ArrayRef<AlignItem> items) {
      return llvm::any_of(items, [&](const AlignItem &item) {
        return operators ? isOperatorCall(item.name.module)
                         : item.name.kind == TensorKind::ForwardOutput &&
                               !isNumbered(item.name.module);
      });
    };
    return has(comparison_.target) && has(comparison_.bench);
  };
  if (!bothHave(/*operators=*/true))
    return "record both sides with their operators (dump_torch_api=True)";
  if (!bothHave(/*operators=*/false))
    return "record both sides with the modules around their operators "
           "(model=MODEL)";
  return "name counterparts with --map, or compare recordings of one version "
         "of the model's code";
}

void Closing::account(FirstWrong &result, bool ignoreUnmatched) const {
  std::map<Cause, int64_t> counts;
  auto unexplained = [&](const ComparedRow &row, std::string why) {
    if (result.unexplained++ > 0)
      return;
    result.firstUnexplained = itemOf(row).name.text();
    result.notJudged = std::move(why);
    result.howToJudge = howToJudge(row);
  };
  int64_t alone = 0, padding = 0;
  for (size_t i = 0; i < comparison_.rows.size(); ++i) {
    const ComparedRow &row = comparison_.rows[i];
    if (row.status == RowStatus::Unmatched) {
      if (ignoreUnmatched)
        continue;
      if (agreesAround(row))
        ++alone;
      else
        unexplained(row, "it has no counterpart, and no module around it has "
                         "one that agrees");
      continue;
    }
    padding += row.status == RowStatus::Pass && row.padding;
    if (row.status != RowStatus::Fail)
      continue;
    ++result.fails;
    Cause cause = cause_[holder_[i]];
    auto doubt = doubts_.find(holder_[i]);
    if (cause != Cause::None && doubt == doubts_.end())
      ++counts[cause];
    else
      unexplained(row, doubt != doubts_.end()
                           ? doubt->second
                           : "nothing that was recorded says what it was made "
                             "of");
  }
  for (const auto &[cause, count] : counts)
    result.explained.push_back({textOf(cause), count});
  if (padding > 0)
    result.explained.push_back(
        {"differ only where there is no token", padding});
  if (alone > 0)
    result.explained.push_back(
        {"without a counterpart lie between tensors that agree", alone});
}

} // namespace assay::trace
