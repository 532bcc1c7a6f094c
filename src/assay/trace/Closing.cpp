// Every Fail and every tensor without a counterpart is accounted for: it was
// found right, it follows from another one, or it cannot be judged.
#include "assay/trace/Closing.h"
#include "assay/trace/Steps.h"
#include "llvm/ADT/STLExtras.h"

namespace assay::trace {

static llvm::StringRef parentOf(llvm::StringRef path) {
  return path.contains('.') ? path.rsplit('.').first : "";
}

Closing::Closing(const Comparison &comparison)
    : comparison_(comparison), holder_(firstHolders(comparison)),
      cause_(comparison.rows.size(), Cause::None),
      sure_(comparison.rows.size()) {
  for (size_t i = 0; i < holder_.size(); ++i)
    if (comparison.rows[i].pair.how != "similar")
      sure_[holder_[i]] = true;
  for (bool ofTarget : {false, true})
    for (const auto &[index, item] : llvm::enumerate(
             ofTarget ? comparison.target : comparison.bench)) {
      auto at = static_cast<int64_t>(index);
      last_[ofTarget][{item.name.step, item.hash}] = at;
      if (isBackward(item.name.kind))
        backward_[ofTarget].try_emplace(item.name.step, at);
    }
  for (const ComparedRow &row : comparison.rows) {
    bool paired = row.pair.target >= 0 && row.pair.bench >= 0;
    const DumpName &own = comparison_.item(row).name;
    std::string parent = parentOf(own.module).str();
    if (own.kind == TensorKind::ForwardParams && row.status != RowStatus::Pass)
      otherParameters_[{own.step, parent}].insert(own.module);
    if (own.kind == TensorKind::ForwardParams && (!paired || !row.compared))
      reparametrised_.insert({{own.step, parent}, {own.step, own.module}});
    if (!paired)
      continue;
    const DumpName &name = comparison_.item(row).name;
    operatorsPair_ |= isNumbered(name.module);
    if (row.status == RowStatus::Pass && row.elements > 1) {
      agreed_[1].insert({name.step, comparison_.item(row).hash});
      const AlignItem &bench = comparison.item(row, false);
      agreed_[0].insert({bench.name.step, bench.hash});
    }
    if (name.kind != TensorKind::ForwardOutput || isNumbered(name.module))
      continue;
    given_.try_emplace({name.step, name.module},
                       static_cast<size_t>(&row - comparison.rows.data()));
    agrees_.try_emplace({name.step, name.module}, true).first->second &=
        row.status != RowStatus::Fail;
  }
}

bool Closing::isReparametrised(size_t row) const {
  const DumpName &name = comparison_.item(comparison_.rows[row]).name;
  std::string parent = parentOf(name.module).str();
  auto group = otherParameters_.find({name.step, parent});
  if (group == otherParameters_.end() || !group->second.count(name.module) ||
      !reparametrised_.count({name.step, parent}))
    return false;
  auto agreesAt = [&](const std::string &path) -> std::optional<bool> {
    auto outputs = agrees_.find({name.step, path});
    if (outputs == agrees_.end())
      return std::nullopt;
    return outputs->second;
  };
  if (agreesAt(name.module) == true)
    return group->second.size() > 1 ||
           reparametrised_.count({name.step, name.module});
  bool hasPartner = false;
  for (const std::string &other : group->second)
    if (std::optional<bool> agrees = agreesAt(other);
        agrees && other != name.module) {
      hasPartner = true;
      if (*agrees && given_.at({name.step, other}) > row)
        return true;
    }
  return !hasPartner && agreesAt(parent) == true;
}

std::vector<Suspect> Closing::lostGradients() const {
  std::set<std::tuple<int64_t, std::string, std::string>> both;
  std::set<int64_t> recorded[2]; // steps with gradients of parameters
  for (const ComparedRow &row : comparison_.rows)
    for (bool ofTarget : {false, true}) {
      int64_t at = ofTarget ? row.pair.target : row.pair.bench;
      if (at < 0)
        continue;
      const DumpName &name =
          (ofTarget ? comparison_.target
                    : comparison_.bench)[static_cast<size_t>(at)]
              .name;
      if (name.kind == TensorKind::ParamsGrad)
        recorded[ofTarget].insert(name.step);
      if (name.kind == TensorKind::ForwardParams &&
          row.status == RowStatus::Pass)
        both.insert({name.step, name.module, name.item});
    }
  std::vector<Suspect> suspects;
  for (const auto &[index, row] : llvm::enumerate(comparison_.rows)) {
    const AlignItem &item = comparison_.item(row);
    const DumpName &name = item.name;
    bool ofTarget = row.pair.target >= 0;
    if (row.status != RowStatus::Unmatched ||
        name.kind != TensorKind::ParamsGrad ||
        !both.count({name.step, name.module, name.item}) ||
        !recorded[!ofTarget].count(name.step) ||
        last_[!ofTarget].count({name.step, item.hash}))
      continue;
    Suspect found;
    found.module = name.module.empty() ? name.className : name.module;
    found.className = name.className;
    found.evidence = Evidence::Structure;
    found.reason = "its parameter '" + name.item + "' has a gradient only in the " +
                   (ofTarget ? "target" : "bench") +
                   ": what is made of it does not flow back to it in the " +
                   (ofTarget ? "bench" : "target") +
                   " (a detach, no_grad, requires_grad, another path)";
    found.tensor = name.text();
    found.row = static_cast<int64_t>(index);
    found.step = name.step;
    suspects.push_back(std::move(found));
  }
  return suspects;
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

/// Whether a tensor without a counterpart is a result of the recorded
/// operators: no module is around it, and nothing after it reads it. In the
/// backward pass of modules those are gradients, which have their own rows.
bool Closing::isResult(const ComparedRow &alone, const Regions &regions) const {
  if (!operatorsPair_)
    return false; // the modules are compared
  bool ofTarget = alone.pair.target >= 0;
  int64_t index = ofTarget ? alone.pair.target : alone.pair.bench;
  const AlignItem &item = comparison_.item(alone);
  auto backward = backward_[ofTarget].find(item.name.step);
  if (backward != backward_[ofTarget].end() && backward->second < index)
    return false;
  return isNumbered(item.name.module) && !item.hash.empty() &&
         item.name.kind == TensorKind::ForwardOutput &&
         item.name.item == "0" && !isMeaningless(item.name) &&
         !regions.around(index, ofTarget) &&
         last_[ofTarget].at({item.name.step, item.hash}) == index &&
         !last_[!ofTarget].count({item.name.step, item.hash});
}

/// Whether the outputs of a module around a tensor without a counterpart agree,
/// or the tensor is a copy of one that agrees (a module that only returns it)
/// or of one of the other side (a parameter under another name).
bool Closing::agreesAround(const ComparedRow &alone) const {
  const DumpName &name = comparison_.item(alone).name;
  if (isNumbered(name.module))
    return true; // the copied tensor has its own row
  const std::string &hash = comparison_.item(alone).hash;
  bool ofTarget = alone.pair.target >= 0;
  bool severalElements = llvm::any_of(comparison_.item(alone).type.shape,
                                      [](int64_t size) { return size > 1; });
  if (!hash.empty() && (agreed_[ofTarget].count({name.step, hash}) ||
                        (severalElements &&
                         last_[!ofTarget].count({name.step, hash}))))
    return true;
  bool found = false;
  for (llvm::StringRef path = name.module; !path.empty();) {
    path = parentOf(path);
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
  static constexpr const char *kTexts[] = {
      "",
      "are what their programs give on their own inputs",
      "follow from what was found right",
      "are off by what their type rounds",
      "are choices between floats that nearly tie",
      "lie between tensors that agree, where one side has other operators",
      "hold memory that nothing wrote",
      "have no consequence: all that is computed from them is equal",
      "are gradients whose operators were judged"};
  return kTexts[static_cast<int>(cause)];
}

/// The recording that would allow judging the tensor.
std::string Closing::howToJudge(const ComparedRow &row) const {
  if (row.status == RowStatus::Unmatched &&
      !isNumbered(comparison_.item(row).name.module))
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

void Closing::account(FirstWrong &result, const Regions &regions,
                      bool ignoreUnmatched) const {
  std::map<Cause, int64_t> counts;
  auto unexplained = [&](const ComparedRow &row, std::string why) {
    if (result.unexplained++ > 0)
      return;
    result.firstUnexplained = comparison_.item(row).name.text();
    result.notJudged = std::move(why);
    result.howToJudge = howToJudge(row);
  };
  int64_t alone = 0, padding = 0;
  for (size_t i = 0; i < comparison_.rows.size(); ++i) {
    const ComparedRow &row = comparison_.rows[i];
    if (row.status == RowStatus::Unmatched) {
      if (ignoreUnmatched)
        continue;
      if (isResult(row, regions))
        unexplained(row, "it has no counterpart, and nothing that was recorded "
                         "reads it: it is what the operators give");
      else if (agreesAround(row))
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
  if (llvm::none_of(comparison_.rows, [](const ComparedRow &row) {
        return row.status != RowStatus::Unmatched;
      }))
    accountForNothing(result);
}

void Closing::accountForNothing(FirstWrong &result) const {
  result.explained.clear();
  result.unexplained = std::max<int64_t>(1, std::ssize(comparison_.rows));
  result.firstUnexplained =
      comparison_.rows.empty()
          ? ""
          : comparison_.item(comparison_.rows[0]).name.text();
  result.notJudged = "no tensor of one side has a counterpart in the other: "
                     "nothing was compared";
  result.howToJudge =
      "record the same steps of one model on both sides, in one way (by modules, "
      "or with dump_torch_api=True), or name counterparts with --map";
}

} // namespace assay::trace
