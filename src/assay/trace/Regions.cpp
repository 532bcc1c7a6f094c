// The walk back from a tensor that fails, on each side along its own operators,
// until tensors that have a counterpart which agrees. The operators on the way
// are where the two sides differ: an extra operator, a missing one, another
// order, or another way to write the same computation.
#include "assay/trace/Regions.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/trace/Growth.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <set>

namespace assay::trace {

static std::string callKey(int64_t step, llvm::StringRef call, bool backward) {
  return std::to_string(step) + (backward ? " b " : " f ") + call.str();
}

Regions::Regions(const Comparison &comparison)
    : comparison_(comparison), target_(comparison.target),
      bench_(comparison.bench) {
  rowOf_[1].resize(comparison.target.size(), -1);
  rowOf_[0].resize(comparison.bench.size(), -1);
  for (size_t i = 0; i < comparison.rows.size(); ++i) {
    const AlignedPair &pair = comparison.rows[i].pair;
    if (pair.target < 0 || pair.bench < 0)
      continue;
    rowOf_[1][static_cast<size_t>(pair.target)] = static_cast<int64_t>(i);
    rowOf_[0][static_cast<size_t>(pair.bench)] = static_cast<int64_t>(i);
    const DumpName &name = item(pair.target, true).name;
    if (isNumbered(name.module))
      continue;
    bool ofParameter = name.kind == TensorKind::ParamsGrad;
    if (ofParameter && comparison.rows[i].compared)
      gradients_[name.step].outputs.push_back(i);
    else if (!ofParameter && isBackward(name.kind))
      gradients_[name.step].inputs.push_back(i);
    CallRows &call =
        calls_[callKey(name.step, name.callText(), isBackward(name.kind))];
    if (isInput(name.kind))
      call.inputs.push_back(i);
    // A module that is only partly similar may begin and end elsewhere.
    bool isPartly = pair.how == "similar" &&
                    name.className != item(pair.bench, false).name.className;
    if (isOutput(name.kind) && !isPartly) {
      call.outputs.push_back(i);
      auto mine = item(pair.target, true).type.element,
           theirs = item(pair.bench, false).type.element;
      isNarrower_ |=
          mine.isFloat() && theirs.isFloat() && mine.bits < theirs.bits;
      typesDiffer_ |=
          mine.isFloat() && theirs.isFloat() && mine.bits != theirs.bits;
    }
  }
  for (size_t i = 0; i < comparison.target.size(); ++i) {
    auto index = static_cast<int64_t>(i);
    int64_t made = target_.producer(index);
    const DumpName &name = item(index, true).name;
    if (made >= 0 && made != index &&
        isInput(name.kind) == isNumbered(name.module))
      readers_[made].push_back(index);
  }
  findDivided();
  if (calls_.empty())
    findResults();
}

void Regions::findDivided() {
  std::map<std::pair<int64_t, std::string>, std::set<int64_t>> calls[2];
  for (bool ofTarget : {false, true})
    for (const AlignItem &item :
         ofTarget ? comparison_.target : comparison_.bench)
      if (item.name.kind == TensorKind::ForwardOutput &&
          !isNumbered(item.name.module))
        calls[ofTarget][{item.name.step, item.name.module}].insert(
            item.name.call);
  for (const auto &[module, ofBench] : calls[false])
    if (auto own = calls[true].find(module);
        own != calls[true].end() && own->second.size() != ofBench.size())
      divided_.insert(module);
}

void Regions::findResults() {
  std::map<std::pair<int64_t, std::string>, int64_t> last[2];
  for (bool ofTarget : {false, true})
    for (const auto &[index, item] :
         llvm::enumerate(ofTarget ? comparison_.target : comparison_.bench))
      last[ofTarget][{item.name.step, item.hash}] = static_cast<int64_t>(index);
  for (const auto &[index, row] : llvm::enumerate(comparison_.rows)) {
    bool ofTarget = row.pair.target >= 0;
    int64_t at = ofTarget ? row.pair.target : row.pair.bench;
    const AlignItem &made = item(at, ofTarget);
    std::pair<int64_t, std::string> data{made.name.step, made.hash};
    if (!isNumbered(made.name.module) || made.hash.empty() ||
        made.name.kind != TensorKind::ForwardOutput || made.name.item != "0" ||
        isMeaningless(made.name) || last[ofTarget][data] != at)
      continue;
    if (row.pair.target >= 0 && row.pair.bench >= 0)
      results_[made.name.step].outputs.push_back(index);
    else if (!last[!ofTarget].count(data))
      lackResults_.insert(made.name.step);
  }
}

bool Regions::resultFails(int64_t step) const {
  auto results = results_.find(step);
  return lackResults_.count(step) ||
         (results != results_.end() &&
          llvm::any_of(results->second.outputs, [&](size_t row) {
            return comparison_.rows[row].status == RowStatus::Fail;
          }));
}

std::string operatorText(llvm::StringRef className) {
  className.consume_back("-default");
  std::string text = className.str();
  std::replace(text.begin(), text.end(), '-', '.');
  return text;
}

bool onlyMoves(llvm::StringRef className) {
  static constexpr const char *kMoves[] = {
      "view",       "_unsafe_view", "reshape",
      "permute",    "transpose",    "t",
      "expand",     "unsqueeze",    "squeeze",
      "alias",      "detach",       "clone",
      "contiguous", "_to_copy",     "copy_",
      "select",     "slice",        "split",
      "unbind",     "as_strided",   "_reshape_alias",
      "empty",      "empty_like"};
  className.consume_front("aten-");
  llvm::StringRef name = className.split('-').first;
  return llvm::is_contained(kMoves, name);
}

const Regions::CallRows *Regions::recorded(const ModuleCall &call,
                                           int64_t step) const {
  auto it = calls_.find(callKey(step, call.text, call.backward));
  return it == calls_.end() || it->second.outputs.empty() ? nullptr
                                                          : &it->second;
}

bool Regions::agreesAround(size_t row) const {
  int64_t target = comparison_.rows[row].pair.target,
          step = item(target, true).name.step;
  // Where an inner module's outputs fail, what is added to them outside of it may
  // hide that from the rule: the outer one has to agree to its roundings.
  bool innerFails = false;
  for (const ModuleCall *module = target_.around(target); module;
       module = target_.outer(*module)) {
    const CallRows *rows = recorded(*module, step);
    if (!rows)
      continue;
    auto has = [&](RowStatus status) {
      return [this, status](size_t output) {
        return comparison_.rows[output].status == status;
      };
    };
    if (llvm::all_of(rows->outputs, has(RowStatus::Pass)) &&
        (!innerFails || agreesClosely(*module, step, Near::Rounded)))
      return true;
    innerFails |= llvm::any_of(rows->outputs, has(RowStatus::Fail));
  }
  return isOfBackwardPass(row, step) &&
         agreeClosely(gradients_.at(step), {}, Near::Explained);
}

/// The innermost module call around an item of the target whose results have
/// counterparts: calls without them (a part of a wrapper, an extra call that
/// the bench lacks) do not count.
const ModuleCall *Regions::recordedAround(int64_t target) const {
  int64_t step = item(target, true).name.step;
  const ModuleCall *module = target_.around(target);
  auto isUnknown = [&](const ModuleCall &call) {
    const CallRows *rows = recorded(call, step);
    return !rows || (isDivided(call, step) &&
                     llvm::any_of(rows->outputs, [&](size_t output) {
                       return !comparison_.rows[output].compared;
                     }));
  };
  while (module && isUnknown(*module))
    module = target_.outer(*module);
  return module;
}

/// Whether parameter gradients agree for the modules around an item that the
/// two sides call a different number of times: none of their calls has the
/// whole gradient.
bool Regions::gradientsAgree(int64_t target, Near near) const {
  int64_t step = item(target, true).name.step;
  std::set<std::string> modules;
  for (const ModuleCall *module = target_.around(target);
       module && module->backward; module = target_.outer(*module))
    if (isDivided(*module, step))
      modules.insert(module->module);
  auto pass = gradients_.find(step);
  if (modules.empty() || pass == gradients_.end())
    return true;
  CallRows own;
  llvm::copy_if(pass->second.outputs, std::back_inserter(own.outputs),
                [&](size_t row) {
                  int64_t at = comparison_.rows[row].pair.target;
                  return modules.count(item(at, true).name.module) > 0;
                });
  return agreeClosely(own, {}, near);
}

/// Whether the outputs of a module's call agree to the roundings of its type: a
/// rule accepts more where earlier errors are carried.
bool Regions::agreesClosely(const ModuleCall &call, int64_t step,
                            Near near) const {
  const CallRows &rows = *recorded(call, step);
  std::vector<size_t> sources = rows.inputs;
  if (call.backward)
    if (auto forward = calls_.find(callKey(step, call.text, false));
        forward != calls_.end())
      llvm::append_range(sources, forward->second.inputs);
  return agreeClosely(rows, sources, near);
}

bool Regions::agreeClosely(const CallRows &rows, llvm::ArrayRef<size_t> sources,
                           Near near) const {
  bool rounded = near == Near::Rounded;
  if (rounded)
    sources = {};
  return llvm::all_of(rows.outputs, [&](size_t output) {
    return (comparison_.rows[output].status == RowStatus::Pass &&
            growthOf(comparison_, output, sources, /*leaf=*/true) <=
                (rounded ? 1 : kSureGrowth)) ||
           cancels(output);
  });
}

/// Whether a parameter's gradient is off by no more than roundings of the terms
/// of its sum: the terms cancel.
bool Regions::cancels(size_t row) const {
  const ComparedRow &sum = comparison_.rows[row];
  const DumpName &name = item(sum.pair.target, true).name;
  auto call = calls_.find(callKey(name.step, name.callText(), true));
  if (name.kind != TensorKind::ParamsGrad || !sum.compared ||
      !sum.type.isFloat() || sum.elements == 0 || call == calls_.end())
    return false;
  double terms = 0;
  for (size_t input : call->second.inputs) {
    const ComparedRow &given = comparison_.rows[input];
    terms =
        std::max(terms, given.benchRms * static_cast<double>(given.elements) /
                            static_cast<double>(sum.elements));
  }
  return sum.maxAbs <=
         kSureGrowth * numerics::unitRoundoff(sum.type.format) * terms;
}

/// Whether an operator ran in the backward pass of a model whose parameters have
/// gradients.
bool Regions::isOfBackwardPass(size_t row, int64_t step) const {
  auto pass = gradients_.find(step);
  return pass != gradients_.end() && !pass->second.outputs.empty() &&
         !pass->second.inputs.empty() && pass->second.inputs.front() < row;
}

/// Whether all of a region's operators ran while the call was open.
bool Regions::isWithin(const Region &region, const ModuleCall &call,
                       int64_t step) const {
  const AlignedPair &pair =
      comparison_.rows[recorded(call, step)->outputs.front()].pair;
  std::string text[2] = {item(pair.bench, false).name.callText(), call.text};
  for (bool ofTarget : {false, true})
    for (int64_t index : ofTarget ? region.target : region.bench) {
      const DataFlow &flow = ofTarget ? target_ : bench_;
      const ModuleCall *module = flow.around(index);
      while (module && (module->text != text[ofTarget] ||
                        module->backward != call.backward))
        module = flow.outer(*module);
      if (!module)
        return false;
    }
  return true;
}

/// Whether the module around a reader has outputs that do not agree, from inputs that
/// pass.
bool Regions::isFollowedByFail(int64_t reader) const {
  const DumpName &name = item(reader, true).name;
  if (!isNumbered(name.module)) { // a module returns it unchanged
    int64_t at = rowOf_[1][static_cast<size_t>(reader)];
    return at >= 0 &&
           comparison_.rows[static_cast<size_t>(at)].status == RowStatus::Fail;
  }
  const ModuleCall *module = recordedAround(reader);
  return module && !agreesClosely(*module, name.step, Near::Explained) &&
         llvm::all_of(recorded(*module, name.step)->inputs, [&](size_t input) {
           return comparison_.rows[input].status == RowStatus::Pass;
         });
}

/// Whether different operators before a tensor are another way to compute the
/// same. Either a module that agrees contains them all, or they are before such
/// a module; then everything else that reads their result must agree, too,
/// since a norm agrees whatever the scale of its input. Values that the
/// backward pass computes outside of modules count for the gradients of the
/// parameters.
bool Regions::staysInside(size_t row, const Region &region, Near near) const {
  int64_t target = comparison_.rows[row].pair.target;
  int64_t step = item(target, true).name.step;
  const ModuleCall *module = recordedAround(target);
  if (auto results = results_.find(step); results != results_.end())
    return !lackResults_.count(step) && agreeClosely(results->second, {}, near);
  if (!module)
    return isOfBackwardPass(row, step) &&
           agreeClosely(gradients_.at(step), {}, near);
  if (!agreesClosely(*module, step, near) || !gradientsAgree(target, near))
    return false;
  if (isWithin(region, *module, step))
    return true;
  auto readers = readers_.find(target_.producer(target));
  return readers == readers_.end() ||
         llvm::none_of(readers->second, [&](int64_t reader) {
           return isFollowedByFail(reader);
         });
}

void Regions::walk(size_t row, bool ofTarget, std::vector<int64_t> &found,
                   Region &region) const {
  const DataFlow &flow = ofTarget ? target_ : bench_;
  const AlignedPair &pair = comparison_.rows[row].pair;
  std::vector<int64_t> stack{
      flow.producer(ofTarget ? pair.target : pair.bench)};
  std::set<int64_t> seen;
  constexpr size_t kMost = 10'000;
  while (!stack.empty() && seen.size() < kMost) {
    int64_t made = stack.back();
    stack.pop_back();
    if (made < 0 || isMeaningless(item(made, ofTarget).name))
      continue;
    if (!seen.insert(flow.itemsOf(made, /*outputs=*/true).front()).second)
      continue;
    int64_t at = rowOf_[ofTarget][static_cast<size_t>(made)];
    if (at >= 0) {
      const ComparedRow &other = comparison_.rows[static_cast<size_t>(at)];
      if (other.status == RowStatus::Pass)
        continue;
      bool alike = other.pair.how == "similar";
      region.onlyAlike |= alike;
      if (!alike && static_cast<size_t>(at) < row) {
        region.startsFromFail = true;
        continue;
      }
    }
    found.push_back(made);
    for (int64_t input : flow.itemsOf(made, /*outputs=*/false))
      stack.push_back(flow.producer(input));
  }
  std::sort(found.begin(), found.end());
}

std::optional<size_t> Regions::madeInBench(size_t row) const {
  int64_t made = bench_.producer(comparison_.rows[row].pair.bench);
  int64_t at = made < 0 ? -1 : rowOf_[0][static_cast<size_t>(made)];
  return at < 0 ? std::nullopt : std::optional(static_cast<size_t>(at));
}

bool Regions::isStale(size_t row) const {
  std::optional<size_t> made = madeInBench(row);
  return made && comparison_.rows[*made].pair.how != "similar" &&
         !readers_.count(comparison_.rows[*made].pair.target);
}

bool Regions::isGivenBeside(size_t made, size_t row) const {
  int64_t given = comparison_.rows[made].pair.target,
          own = comparison_.rows[row].pair.target;
  return llvm::any_of(target_.itemsOf(own, /*outputs=*/false),
                      [&](int64_t other) {
                        return other != own && target_.producer(other) == given;
                      });
}

bool Regions::isRead(size_t row) const {
  auto readers = readers_.find(comparison_.rows[row].pair.target);
  if (readers == readers_.end())
    return true;
  bool some = false;
  for (int64_t index : readers->second) {
    if (!isNumbered(item(index, true).name.module)) // an output of a module
      return true;
    for (int64_t output : target_.itemsOf(index, /*outputs=*/true)) {
      int64_t at = rowOf_[1][static_cast<size_t>(output)];
      const ComparedRow *of =
          at < 0 ? nullptr : &comparison_.rows[static_cast<size_t>(at)];
      if (!of || !of->compared || of->mismatches > 0)
        return true;
      some = true;
    }
  }
  return !some;
}

bool Regions::isLost(size_t row) const {
  auto pass =
      gradients_.find(item(comparison_.rows[row].pair.target, true).name.step);
  return staysInside(row, Region(), Near::Rounded) &&
         (pass == gradients_.end() ||
          agreeClosely(pass->second, {}, Near::Explained));
}

bool Regions::isOverwritten(size_t row) const {
  int64_t target = comparison_.rows[row].pair.target;
  auto readers = readers_.find(target);
  return readers != readers_.end() &&
         onlyMoves(item(target, true).name.className) &&
         llvm::any_of(readers->second, [&](int64_t reader) {
           llvm::StringRef name = item(reader, true).name.className;
           bool writes =
               name.consume_front("aten-") &&
               (name.starts_with("copy_-") || name.starts_with("fill_-") ||
                name.starts_with("zero_-"));
           return writes && item(reader, true).name.item == "0";
         });
}

/// Removes operators that only move data, if there are others.
void Regions::leaveOutMoves(std::vector<int64_t> (&found)[2]) const {
  auto movesOf = [&](bool ofTarget) {
    return [this, ofTarget](int64_t index) {
      return onlyMoves(item(index, ofTarget).name.className);
    };
  };
  if (llvm::all_of(found[0], movesOf(false)) &&
      llvm::all_of(found[1], movesOf(true)))
    return;
  for (bool ofTarget : {false, true})
    std::erase_if(found[ofTarget], movesOf(ofTarget));
}

/// Whether the target's only additional operation is to move the tensor through
/// a type that is narrower than the final type of either side.
bool Regions::narrows(size_t row, const Region &region) const {
  const AlignedPair &pair = comparison_.rows[row].pair;
  auto typeOf = [&](int64_t index, bool ofTarget) {
    return item(index, ofTarget).type.element;
  };
  auto isNarrower = [&](int64_t index) {
    return typeOf(index, true).isFloat() &&
           typeOf(index, true).bits < std::min(typeOf(pair.target, true).bits,
                                               typeOf(pair.bench, false).bits);
  };
  return !isNarrower_ && region.bench.empty() &&
         llvm::all_of(region.target,
                      [&](int64_t index) {
                        return onlyMoves(item(index, true).name.className);
                      }) &&
         llvm::any_of(region.target, isNarrower);
}

/// Whether the sides differ only by casts, while their types differ anyway.
bool Regions::onlyCasts(const Region &region) const {
  auto areCasts = [&](llvm::ArrayRef<int64_t> items, bool ofTarget) {
    return llvm::all_of(items, [&](int64_t index) {
      return llvm::StringRef(item(index, ofTarget).name.className)
          .starts_with("aten-_to_copy");
    });
  };
  return typesDiffer_ && !region.empty() && areCasts(region.target, true) &&
         areCasts(region.bench, false);
}

bool Regions::isExchanged(size_t row) const {
  llvm::ArrayRef<ComparedRow> rows = comparison_.rows;
  const DumpName &own = item(rows[row].pair.target, true).name;
  llvm::StringRef operation = own.className;
  if (!operation.starts_with("aten-add-") &&
      !operation.starts_with("aten-mul-"))
    return false;
  bool allDiffer = true, agrees = false;
  auto look = [&](size_t i) {
    if (rows[i].pair.target < 0 || rows[i].pair.bench < 0)
      return false;
    const DumpName &name = item(rows[i].pair.target, true).name;
    if (name.module != own.module || name.step != own.step)
      return false;
    if (isInput(name.kind))
      allDiffer &= rows[i].status == RowStatus::Fail;
    else
      agrees = rows[i].status == RowStatus::Pass;
    return true;
  };
  for (size_t i = row; i < rows.size() && look(i);)
    ++i;
  for (size_t i = row; i > 0 && look(i - 1);)
    --i;
  return allDiffer && agrees;
}

Region Regions::behind(size_t row) const {
  Region region;
  std::vector<int64_t> found[2];
  for (bool ofTarget : {false, true})
    walk(row, ofTarget, found[ofTarget], region);
  // Operators that the walk has passed on both sides are not a difference.
  auto partner = [&](int64_t index, bool ofTarget) -> int64_t {
    int64_t at = rowOf_[ofTarget][static_cast<size_t>(index)];
    if (at < 0)
      return -1;
    const AlignedPair &pair = comparison_.rows[static_cast<size_t>(at)].pair;
    return ofTarget ? pair.bench : pair.target;
  };
  std::set<int64_t> ofBench(found[0].begin(), found[0].end());
  std::erase_if(found[1], [&](int64_t index) {
    return ofBench.erase(partner(index, true)) > 0;
  });
  std::erase_if(found[0], [&](int64_t b) { return !ofBench.count(b); });
  leaveOutMoves(found);
  // Operators of one name on both sides cancel: the rest is extra.
  std::map<std::string, int64_t> names[2];
  for (bool ofTarget : {false, true})
    for (int64_t index : found[ofTarget])
      ++names[ofTarget][item(index, ofTarget).name.className];
  bool sameNames = names[0] == names[1];
  if (sameNames && !found[0].empty()) {
    region.reordered = true;
  } else {
    std::vector<int64_t> rest[2];
    for (bool ofTarget : {false, true}) {
      auto others = names[!ofTarget];
      for (int64_t index : found[ofTarget])
        if (int64_t &count = others[item(index, ofTarget).name.className];
            count-- <= 0)
          rest[ofTarget].push_back(index);
    }
    if (rest[0].empty() || rest[1].empty())
      for (bool ofTarget : {false, true})
        found[ofTarget] = std::move(rest[ofTarget]);
    auto elsewhere = [&](bool ofTarget) {
      return !found[ofTarget].empty() && found[!ofTarget].empty() &&
             llvm::all_of(found[ofTarget], [&](int64_t index) {
               return partner(index, ofTarget) >= 0;
             });
    };
    region.reordered = elsewhere(true) || elsewhere(false);
  }
  region.target = std::move(found[1]);
  region.bench = std::move(found[0]);
  region.narrows = narrows(row, region);
  region.onlyCasts = onlyCasts(region);
  region.staysInside = staysInside(row, region, Near::Explained);
  return region;
}

} // namespace assay::trace
