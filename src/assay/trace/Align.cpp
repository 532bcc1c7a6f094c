// Aligns two dumps: certain pairs first (map, equal names, equal paths), then
// prefixes learned by vote, then global alignment of the calls between the
// certain pairs (AlignCalls.cpp). At the end, pairs of calls become pairs of
// tensors.
#include "assay/trace/Align.h"
#include "assay/trace/AlignCalls.h"
#include "assay/trace/DataFlow.h"
#include "assay/trace/Groups.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace assay::trace {

using align::Call;
using align::Interner;

/// Partners of calls that are not paired by name: numbered calls, which wait for
/// their turn, calls that are left alone, and calls of groups.
static constexpr int64_t kAside = INT64_MAX, kAlone = INT64_MAX - 1,
                         kGrouped = INT64_MAX - 2;

static bool hasPartner(const Call &call) {
  return call.partner >= 0 && call.partner < kGrouped;
}

namespace {
/// Aligns one step of both sides.
class StepAlignment {
public:
  /// The two lists of items with their graphs.
  struct Sides {
    llvm::ArrayRef<AlignItem> target, bench;
    const DataFlow &targetFlow, &benchFlow;
  };
  StepAlignment(const Sides &sides, const NameMap &map, Alignment &out)
      : sides_(sides), targetItems_(sides.target), benchItems_(sides.bench),
        map_(map), out_(out) {}

  void run(llvm::ArrayRef<int64_t> targetIndices,
           llvm::ArrayRef<int64_t> benchIndices) {
    target_ = align::groupCalls(targetItems_, targetIndices, sides_.targetFlow,
                                words_);
    bench_ =
        align::groupCalls(benchItems_, benchIndices, sides_.benchFlow, words_);
    applyMap();
    setNumberedAside();
    joinGroups(findDividedCalls(target_, bench_, targetItems_, benchItems_));
    if (runsInParts())
      leaveNumberedAlone();
    joinEqual([](const Call &call) { return call.text; }, 1, "exact");
    joinEqual(
        [](const Call &call) {
          return call.module + "\n" + std::to_string(call.ordinal);
        },
        0.97, "counter");
    joinGroups(
        findGroups(target_, bench_, targetItems_, benchItems_, map_.groups));
    while (learnPrefix()) {
    }
    alignGaps();
    partUnlikeTrees();
    joinNumbered();
    noteClasses();
    emit(targetIndices, benchIndices);
  }

private:
  void applyMap();
  void joinGroups(llvm::ArrayRef<CallGroup> groups);
  void setNumberedAside();
  bool runsInParts() const;
  void leaveNumberedAlone();
  struct Place {
    std::string in, after;
  };
  std::string benchText(const ModuleCall &module, bool ofTarget) const;
  Place placeOf(const Call &call, bool ofTarget) const;
  void joinNumbered();
  void joinInOrder(llvm::ArrayRef<int64_t> target,
                   llvm::ArrayRef<int64_t> bench);
  uint64_t fedBy(const Call &call, bool ofTarget) const;
  bool isAnothers(int64_t left, int64_t right, llvm::ArrayRef<int64_t> t,
                  llvm::ArrayRef<int64_t> b);
  template <typename Key>
  void joinEqual(Key key, double confidence, const char *how);
  int64_t joinPrefix(llvm::StringRef from, llvm::StringRef to,
                     double confidence, const char *how);
  bool learnPrefix();
  void unwrap(std::vector<Call> &wrapped, llvm::StringRef inner,
              llvm::ArrayRef<Call> plain, llvm::StringRef outer);
  void alignGaps();
  void partUnlikeTrees();
  void noteClasses();
  void pairTensors(const Call &target, const Call &bench);
  void emit(llvm::ArrayRef<int64_t> targetIndices,
            llvm::ArrayRef<int64_t> benchIndices);
  void pair(int64_t t, int64_t b, double confidence, const char *how) {
    partner_[t] = {t, b, confidence, how};
    taken_.insert(b);
  }

  const Sides &sides_;
  llvm::ArrayRef<AlignItem> targetItems_, benchItems_;
  const NameMap &map_;
  Alignment &out_;
  Interner words_;
  std::vector<Call> target_, bench_;
  llvm::StringMap<size_t> byText_[2];      // named calls; [1]: the target's
  std::map<int64_t, int64_t> callOf_[2];   // numbered calls by item
  std::map<int64_t, AlignedPair> partner_; // by target index
  std::map<int64_t, std::vector<AlignedPair>> parts_; // by target index, for
                                                      // groups
  std::set<int64_t> taken_;                           // bench indices
  std::set<int64_t>
      alone_; // target indices that the map leaves without a counterpart
};
} // namespace

template <typename Key>
void StepAlignment::joinEqual(Key key, double confidence, const char *how) {
  llvm::StringMap<int64_t> index; // -2: not unique
  for (size_t i = 0; i < bench_.size(); ++i)
    if (bench_[i].partner < 0) {
      auto [it, isNew] =
          index.try_emplace(key(bench_[i]), static_cast<int64_t>(i));
      if (!isNew)
        it->second = -2;
    }
  for (size_t i = 0; i < target_.size(); ++i) {
    if (target_[i].partner >= 0)
      continue;
    auto it = index.find(key(target_[i]));
    if (it == index.end() || it->second < 0)
      continue;
    join(target_, bench_, static_cast<int64_t>(i), it->second, confidence, how);
    it->second = -2;
  }
}

/// Sets numbered calls aside where both sides have them: a number means nothing
/// in another dump, so these calls are not paired by name.
void StepAlignment::setNumberedAside() {
  auto isFree = [](const Call &call) {
    return call.numbered && call.partner < 0;
  };
  if (llvm::none_of(target_, isFree) || llvm::none_of(bench_, isFree))
    return; // the other side's calls have names
  for (std::vector<Call> *calls : {&target_, &bench_})
    for (Call &call : *calls)
      if (isFree(call))
        call.partner = kAside;
}

/// Whether one side runs the model on parts of the other's batch: the calls of all
/// modules that no other one is around are divided.
bool StepAlignment::runsInParts() const {
  llvm::StringMap<bool> isDivided; // by path
  for (const Call &call : target_)
    if (!call.numbered)
      isDivided[call.module] = call.partner == kGrouped;
  auto isInner = [&](llvm::StringRef path) {
    while (!path.empty()) {
      path = path.contains('.') ? path.rsplit('.').first : "";
      if (isDivided.count(path))
        return true;
    }
    return false;
  };
  return !isDivided.empty() && llvm::all_of(isDivided, [&](const auto &module) {
    return module.second || isInner(module.first());
  });
}

/// Operators on parts of a batch have no counterparts; the modules around them have.
void StepAlignment::leaveNumberedAlone() {
  for (std::vector<Call> *calls : {&target_, &bench_})
    for (Call &call : *calls)
      if (call.partner == kAside)
        call.partner = kAlone;
}

/// A module's call by the bench's name; empty: it has no counterpart.
std::string StepAlignment::benchText(const ModuleCall &module,
                                     bool ofTarget) const {
  auto it = byText_[ofTarget].find(module.text);
  if (it == byText_[ofTarget].end())
    return "";
  const Call &own = (ofTarget ? target_ : bench_)[it->second];
  if (!hasPartner(own))
    return "";
  return (ofTarget ? bench_[static_cast<size_t>(own.partner)].text
                   : module.text) +
         (module.backward ? " backward" : "");
}

/// The place where a numbered call ran, in terms of calls of modules that have
/// a counterpart: the call around it, and the call in that one after which it
/// ran.
StepAlignment::Place StepAlignment::placeOf(const Call &call,
                                            bool ofTarget) const {
  const DataFlow &flow = ofTarget ? sides_.targetFlow : sides_.benchFlow;
  Place place;
  int64_t item = call.items.front();
  auto lookBack = [&](const ModuleCall *earlier) {
    for (; earlier && place.after.empty(); earlier = flow.before(*earlier))
      place.after = benchText(*earlier, ofTarget);
  };
  lookBack(flow.before(item));
  for (const ModuleCall *module = flow.around(item); module;
       module = flow.outer(*module)) {
    place.in = benchText(*module, ofTarget);
    if (!place.in.empty())
      break;
    lookBack(flow.before(*module));
  }
  return place;
}

/// Numbered calls pair within the modules that they ran in: first those between
/// the same two calls of modules, then the others.
void StepAlignment::joinNumbered() {
  using Lists = std::array<std::vector<int64_t>, 2>;
  std::array<std::vector<Place>, 2> placesOf;
  for (bool ofTarget : {true, false}) {
    llvm::ArrayRef<Call> calls = ofTarget ? target_ : bench_;
    for (size_t i = 0; i < calls.size(); ++i) {
      if (!calls[i].numbered)
        byText_[ofTarget].try_emplace(calls[i].text, i);
      else
        for (int64_t item : calls[i].items)
          callOf_[ofTarget][item] = static_cast<int64_t>(i);
    }
  }
  for (bool ofTarget : {true, false})
    for (const Call &call : ofTarget ? target_ : bench_)
      placesOf[ofTarget].push_back(
          call.partner == kAside ? placeOf(call, ofTarget) : Place());
  for (bool exactly : {true, false}) {
    llvm::MapVector<std::string, Lists, llvm::StringMap<unsigned>> places;
    for (bool ofTarget : {true, false}) {
      llvm::ArrayRef<Call> calls = ofTarget ? target_ : bench_;
      for (size_t i = 0; i < calls.size(); ++i)
        if (calls[i].numbered && calls[i].partner == kAside) {
          const Place &place = placesOf[ofTarget][i];
          places[place.in + (exactly ? "\n" + place.after : "")][ofTarget]
              .push_back(static_cast<int64_t>(i));
        }
    }
    for (const auto &[place, lists] : places)
      joinInOrder(lists[1], lists[0]);
  }
}

/// A hash of the bench's calls (or counterparts of them) that made a call's
/// inputs, and of what the call does; 0: one of them has no counterpart yet, or
/// none made the inputs.
uint64_t StepAlignment::fedBy(const Call &call, bool ofTarget) const {
  const DataFlow &flow = ofTarget ? sides_.targetFlow : sides_.benchFlow;
  llvm::hash_code key = llvm::hash_combine(call.classId, call.shapesKey);
  bool known = false;
  for (int64_t index : call.items) {
    int64_t made = flow.origin(index);
    auto it = callOf_[ofTarget].find(made);
    if (it == callOf_[ofTarget].end())
      continue;
    int64_t maker = it->second;
    if (ofTarget)
      maker = hasPartner(target_[static_cast<size_t>(maker)])
                  ? target_[static_cast<size_t>(maker)].partner
                  : -1;
    if (maker < 0)
      return 0;
    const DumpName &given = (ofTarget ? targetItems_
                                      : benchItems_)[static_cast<size_t>(index)]
                                .name,
                   &item = (ofTarget ? targetItems_
                                     : benchItems_)[static_cast<size_t>(made)]
                               .name;
    key = llvm::hash_combine(key, llvm::StringRef(given.item), maker,
                             llvm::StringRef(item.item));
    known = true;
  }
  return known ? static_cast<uint64_t>(key) | 1 : 0;
}

/// Whether other calls made the inputs of these two, and a free call of the
/// other side has the same inputs as one of them.
bool StepAlignment::isAnothers(int64_t left, int64_t right,
                               llvm::ArrayRef<int64_t> t,
                               llvm::ArrayRef<int64_t> b) {
  Call &x = target_[static_cast<size_t>(left)],
       &y = bench_[static_cast<size_t>(right)];
  // Calls before these may have counterparts by now.
  x.fedBy = fedBy(x, /*ofTarget=*/true);
  y.fedBy = fedBy(y, /*ofTarget=*/false);
  if (x.fedBy == y.fedBy)
    return false;
  auto has = [&](uint64_t key, llvm::ArrayRef<int64_t> free, bool ofTarget) {
    constexpr size_t kAhead = 64;
    return key != 0 && llvm::any_of(free.take_front(kAhead), [&](int64_t i) {
             return fedBy((ofTarget ? target_ : bench_)[static_cast<size_t>(i)],
                          ofTarget) == key;
           });
  };
  return has(x.fedBy, b, /*ofTarget=*/false) ||
         has(y.fedBy, t, /*ofTarget=*/true);
}

/// Pairs calls that do the same on the same shapes, from both ends, unless
/// another call has the same inputs; calls in between are aligned by
/// similarity.
void StepAlignment::joinInOrder(llvm::ArrayRef<int64_t> t,
                                llvm::ArrayRef<int64_t> b) {
  auto joinAlike = [&](int64_t left, int64_t right) {
    const Call &x = target_[static_cast<size_t>(left)],
               &y = bench_[static_cast<size_t>(right)];
    if (x.classId != y.classId || x.shapesKey != y.shapesKey ||
        isAnothers(left, right, t, b))
      return false;
    bool equal = x.text == y.text;
    join(target_, bench_, left, right, equal ? 1 : 0.97,
         equal ? "exact" : "order");
    return true;
  };
  while (!t.empty() && !b.empty() && joinAlike(t.front(), b.front())) {
    t = t.drop_front();
    b = b.drop_front();
  }
  while (!t.empty() && !b.empty() && joinAlike(t.back(), b.back())) {
    t = t.drop_back();
    b = b.drop_back();
  }
  for (bool ofTarget : {false, true})
    for (int64_t i : ofTarget ? t : b) {
      Call &call = (ofTarget ? target_ : bench_)[static_cast<size_t>(i)];
      call.fedBy = fedBy(call, ofTarget);
    }
  alignGap(target_, bench_, t, b, words_);
}

/// Replaces the prefix `from` of `path` by `to`; nullopt when it does not
/// begin with it. Whole components only.
static std::optional<std::string>
exchangePrefix(llvm::StringRef path, llvm::StringRef from, llvm::StringRef to) {
  llvm::StringRef rest = path;
  if (!rest.consume_front(from) ||
      (!from.empty() && !rest.empty() && !rest.consume_front(".")))
    return std::nullopt;
  std::string result = to.str();
  if (!rest.empty())
    result += (result.empty() ? "" : ".") + rest.str();
  return result;
}

int64_t StepAlignment::joinPrefix(llvm::StringRef from, llvm::StringRef to,
                                  double confidence, const char *how) {
  llvm::StringMap<int64_t> index;
  auto key = [](llvm::StringRef module, int64_t ordinal) {
    return module.str() + "\n" + std::to_string(ordinal);
  };
  for (size_t i = 0; i < bench_.size(); ++i)
    if (bench_[i].partner < 0)
      index.try_emplace(key(bench_[i].module, bench_[i].ordinal),
                        static_cast<int64_t>(i));
  int64_t joined = 0;
  for (size_t i = 0; i < target_.size(); ++i) {
    if (target_[i].partner >= 0)
      continue;
    std::optional<std::string> module =
        exchangePrefix(target_[i].module, from, to);
    auto it =
        module ? index.find(key(*module, target_[i].ordinal)) : index.end();
    if (it == index.end())
      continue;
    join(target_, bench_, static_cast<int64_t>(i), it->second, confidence, how);
    index.erase(it);
    ++joined;
  }
  return joined;
}

void StepAlignment::applyMap() {
  if (map_.empty())
    return;
  for (size_t t = 0; t < target_.size(); ++t) {
    auto it = map_.modules.find(target_[t].text);
    bool whole = it == map_.modules.end(); // a path: all the module's calls
    if (whole)
      it = map_.modules.find(target_[t].module);
    if (it == map_.modules.end())
      continue;
    if (!it->second) {
      target_[t].partner = kAlone;
      continue;
    }
    for (size_t b = 0; b < bench_.size(); ++b)
      if (bench_[b].partner < 0 &&
          (bench_[b].text == *it->second ||
           (bench_[b].module == *it->second &&
            bench_[b].ordinal == target_[t].ordinal))) {
        join(target_, bench_, static_cast<int64_t>(t), static_cast<int64_t>(b),
             1, "map");
        break;
      }
  }
  for (const NameMap::Prefix &prefix : map_.prefixes)
    joinPrefix(prefix.target, prefix.bench, 1, "map");
}

/// Joins several calls that are one call of the other side.
void StepAlignment::joinGroups(llvm::ArrayRef<CallGroup> groups) {
  for (const CallGroup &group : groups) {
    std::vector<Call> &many = group.manyOfTarget ? target_ : bench_,
                      &single = group.manyOfTarget ? bench_ : target_;
    for (AlignedPair &pair :
         pairsOf(group, target_, bench_, targetItems_, benchItems_)) {
      taken_.insert(pair.bench);
      parts_[pair.target].push_back(std::move(pair));
    }
    for (int64_t call : group.many)
      many[static_cast<size_t>(call)].partner = kGrouped;
    Call &one = single[static_cast<size_t>(group.one)];
    one.partner = kGrouped;
    if (group.isDivided)
      continue;
    std::string names;
    for (int64_t call : group.many)
      names +=
          (names.empty() ? "" : ", ") + many[static_cast<size_t>(call)].module;
    out_.renames.push_back({"group", group.manyOfTarget ? names : one.module,
                            group.manyOfTarget ? one.module : names, 1});
  }
}

/// Pairs of free calls with equal shapes and an equal last component vote for
/// an exchange of the parts before their common end; the exchange with the most
/// votes is tried. Returns true when it joined at least two calls.
bool StepAlignment::learnPrefix() {
  constexpr size_t kMaxCandidates = 64;
  std::map<std::pair<unsigned, uint64_t>, std::vector<size_t>> index;
  for (size_t i = 0; i < bench_.size(); ++i)
    if (bench_[i].partner < 0 && !bench_[i].path.empty())
      index[{bench_[i].path.back(), bench_[i].shapesKey}].push_back(i);
  std::map<std::pair<std::string, std::string>, int64_t> votes;
  auto prefixText = [&](const Call &call, size_t common) {
    std::vector<llvm::StringRef> parts;
    for (size_t i = 0; i + common < call.path.size(); ++i)
      parts.push_back(words_.word(call.path[i]));
    return llvm::join(parts, ".");
  };
  for (const Call &call : target_) {
    if (call.partner >= 0 || call.path.empty())
      continue;
    auto it = index.find({call.path.back(), call.shapesKey});
    if (it == index.end() || it->second.size() > kMaxCandidates)
      continue;
    for (size_t candidate : it->second) {
      const Call &other = bench_[candidate];
      size_t common = 0, most = std::min(call.path.size(), other.path.size());
      while (common < most && call.path[call.path.size() - 1 - common] ==
                                  other.path[other.path.size() - 1 - common])
        ++common;
      ++votes[{prefixText(call, common), prefixText(other, common)}];
    }
  }
  auto best = std::max_element(
      votes.begin(), votes.end(),
      [](const auto &a, const auto &b) { return a.second < b.second; });
  if (best == votes.end() || best->second < 2 ||
      best->first.first == best->first.second)
    return false;
  int64_t joined =
      joinPrefix(best->first.first, best->first.second, 0.95, "prefix");
  if (joined > 0)
    out_.renames.push_back(
        {"prefix", best->first.first, best->first.second, joined});
  const auto &[ofTarget, ofBench] = best->first;
  unwrap(target_, ofTarget, bench_, ofBench);
  unwrap(bench_, ofBench, target_, ofTarget);
  return joined >= 2;
}

/// Handles a model in a wrapper: both sides have the path `outer`, and the
/// other side's model corresponds to the one at `inner`.
void StepAlignment::unwrap(std::vector<Call> &wrapped, llvm::StringRef inner,
                           llvm::ArrayRef<Call> plain, llvm::StringRef outer) {
  for (size_t i = 0; i < wrapped.size(); ++i) {
    if (wrapped[i].partner >= 0 || wrapped[i].module != inner)
      continue;
    for (size_t j = 0; j < plain.size(); ++j) {
      if (plain[j].partner < 0 || plain[j].module != outer ||
          plain[j].ordinal != wrapped[i].ordinal ||
          plain[j].shapesKey != wrapped[i].shapesKey)
        continue;
      Call &wrapper = wrapped[static_cast<size_t>(plain[j].partner)];
      if (wrapper.module != outer || wrapper.shapesKey == plain[j].shapesKey)
        continue;
      wrapper.partner = -1;
      bool ofTarget = &wrapped == &target_;
      auto mine = static_cast<int64_t>(i), other = static_cast<int64_t>(j);
      join(target_, bench_, ofTarget ? mine : other, ofTarget ? other : mine,
           0.95, "prefix");
      break;
    }
  }
}

/// The certain pairs that keep the order of both sides: the longest increasing
/// subsequence of partners.
static std::vector<int64_t> anchorsOf(llvm::ArrayRef<Call> target,
                                      size_t benchSize) {
  std::vector<int64_t> tails, previous(target.size(), -1);
  for (size_t i = 0; i < target.size(); ++i) {
    int64_t partner = target[i].partner;
    if (partner < 0 || partner >= static_cast<int64_t>(benchSize))
      continue;
    auto at = std::lower_bound(
        tails.begin(), tails.end(), partner, [&](int64_t tail, int64_t value) {
          return target[static_cast<size_t>(tail)].partner < value;
        });
    if (at != tails.begin())
      previous[i] = *(at - 1);
    if (at == tails.end())
      tails.push_back(static_cast<int64_t>(i));
    else
      *at = static_cast<int64_t>(i);
  }
  std::vector<int64_t> anchors;
  for (int64_t at = tails.empty() ? -1 : tails.back(); at >= 0;
       at = previous[static_cast<size_t>(at)])
    anchors.push_back(at);
  std::reverse(anchors.begin(), anchors.end());
  return anchors;
}

void StepAlignment::alignGaps() {
  std::vector<int64_t> anchors = anchorsOf(target_, bench_.size());
  int64_t t = 0, b = 0;
  auto freeOf = [](llvm::ArrayRef<Call> calls, int64_t begin, int64_t end) {
    std::vector<int64_t> result;
    for (int64_t i = begin; i < end; ++i)
      if (calls[static_cast<size_t>(i)].partner < 0)
        result.push_back(i);
    return result;
  };
  anchors.push_back(-1);
  for (int64_t anchor : anchors) {
    int64_t targetEnd =
        anchor < 0 ? static_cast<int64_t>(target_.size()) : anchor;
    int64_t benchEnd = anchor < 0
                           ? static_cast<int64_t>(bench_.size())
                           : target_[static_cast<size_t>(anchor)].partner;
    alignGap(target_, bench_, freeOf(target_, t, targetEnd),
             freeOf(bench_, b, benchEnd), words_);
    t = targetEnd + 1;
    b = benchEnd + 1;
  }
}

/// Separates modules that are paired by similarity where one has a module
/// inside whose counterpart is outside of the other.
void StepAlignment::partUnlikeTrees() {
  llvm::StringMap<std::vector<int64_t>> alike[2]; // by path; [1]: the target's
  auto isAlike = [](const Call &call) {
    return hasPartner(call) && !call.numbered &&
           llvm::StringRef(call.how) == "similar";
  };
  for (bool ofTarget : {false, true})
    for (const auto &[i, call] : llvm::enumerate(ofTarget ? target_ : bench_))
      if (isAlike(call))
        alike[ofTarget][call.module].push_back(static_cast<int64_t>(i));
  std::set<int64_t> parted; // indices of the target's calls
  auto look = [&](const Call &inner, const Call &other, bool ofTarget) {
    for (llvm::StringRef path = inner.module; path.contains('.');) {
      path = path.rsplit('.').first;
      for (int64_t i : alike[ofTarget].lookup(path)) {
        const Call &outer =
            (ofTarget ? target_ : bench_)[static_cast<size_t>(i)];
        llvm::StringRef theirs =
            (ofTarget ? bench_ : target_)[static_cast<size_t>(outer.partner)]
                .module;
        llvm::StringRef rest = other.module;
        if (!theirs.empty() &&
            (!rest.consume_front(theirs) || !rest.starts_with(".")))
          parted.insert(ofTarget ? i : outer.partner);
      }
    }
  };
  for (const Call &call : target_)
    if (hasPartner(call) && !call.numbered) {
      const Call &other = bench_[static_cast<size_t>(call.partner)];
      look(call, other, true);
      look(other, call, false);
    }
  for (int64_t t : parted) {
    Call &call = target_[static_cast<size_t>(t)];
    bench_[static_cast<size_t>(call.partner)].partner = -1;
    call.partner = -1;
  }
}

void StepAlignment::noteClasses() {
  std::map<std::pair<std::string, std::string>, int64_t> classes;
  for (const Call &call : target_) {
    if (!hasPartner(call))
      continue;
    const Call &other = bench_[static_cast<size_t>(call.partner)];
    auto text = [](const Call &c) {
      return c.counter < 0 ? c.className : c.className + ".N";
    };
    if (call.className != other.className ||
        (call.counter < 0) != (other.counter < 0))
      ++classes[{text(call), text(other)}];
  }
  for (const auto &[names, count] : classes)
    out_.renames.push_back({"class", names.first, names.second, count});
}

void StepAlignment::pairTensors(const Call &target, const Call &bench) {
  std::vector<int64_t> rest;
  for (int64_t t : target.items) {
    const DumpName &name = targetItems_[static_cast<size_t>(t)].name;
    auto it = llvm::find_if(bench.items, [&](int64_t b) {
      const DumpName &other = benchItems_[static_cast<size_t>(b)].name;
      return other.kind == name.kind && other.item == name.item &&
             !taken_.count(b);
    });
    if (partner_.count(t) || alone_.count(t))
      continue;
    if (it != bench.items.end())
      pair(t, *it, target.confidence, target.how);
    else
      rest.push_back(t);
  }
  for (int64_t t :
       rest) { // items with other names: the next of equal kind and shape
    const AlignItem &item = targetItems_[static_cast<size_t>(t)];
    auto it = llvm::find_if(bench.items, [&](int64_t b) {
      const AlignItem &other = benchItems_[static_cast<size_t>(b)];
      return other.name.kind == item.name.kind &&
             other.type.shape == item.type.shape && !taken_.count(b);
    });
    if (it != bench.items.end())
      pair(t, *it, target.confidence * 0.9, "similar");
  }
}

void StepAlignment::emit(llvm::ArrayRef<int64_t> targetIndices,
                         llvm::ArrayRef<int64_t> benchIndices) {
  if (!map_.tensors.empty()) {
    llvm::StringMap<int64_t> benchByName;
    for (int64_t b : benchIndices)
      benchByName[benchItems_[static_cast<size_t>(b)].name.text()] = b;
    for (int64_t t : targetIndices) {
      auto it =
          map_.tensors.find(targetItems_[static_cast<size_t>(t)].name.text());
      if (it == map_.tensors.end())
        continue;
      auto found =
          it->second ? benchByName.find(*it->second) : benchByName.end();
      // If two lines of the map name a tensor, the first one counts.
      if (found != benchByName.end() && !taken_.count(found->second))
        pair(t, found->second, 1, "map");
      else
        alone_.insert(t);
    }
  }
  for (const Call &call : target_)
    if (hasPartner(call))
      pairTensors(call, bench_[static_cast<size_t>(call.partner)]);
  // Pairs are in the target's order; a bench tensor without a counterpart
  // follows the pair that holds its predecessor.
  std::map<int64_t, std::vector<int64_t>> following;
  int64_t last = -1;
  for (int64_t b : benchIndices)
    if (taken_.count(b))
      last = b;
    else
      following[last].push_back(b);
  auto emitFollowing = [&](int64_t b) {
    for (int64_t alone : std::exchange(following[b], {}))
      out_.pairs.push_back({-1, alone, 0, ""});
  };
  emitFollowing(-1);
  for (int64_t t : targetIndices) {
    if (auto parts = parts_.find(t); parts != parts_.end()) {
      for (const AlignedPair &part : parts->second) {
        out_.pairs.push_back(part);
        emitFollowing(part.bench);
      }
      continue;
    }
    auto it = partner_.find(t);
    out_.pairs.push_back(it == partner_.end() ? AlignedPair{t, -1, 0, ""}
                                              : it->second);
    if (it != partner_.end())
      emitFollowing(it->second.bench);
  }
}

/// The indices of each step, in order of appearance.
static llvm::MapVector<int64_t, std::vector<int64_t>>
bySteps(llvm::ArrayRef<AlignItem> items) {
  llvm::MapVector<int64_t, std::vector<int64_t>> steps;
  for (size_t i = 0; i < items.size(); ++i)
    steps[items[i].name.step].push_back(static_cast<int64_t>(i));
  return steps;
}

Alignment alignNames(llvm::ArrayRef<AlignItem> target,
                     llvm::ArrayRef<AlignItem> bench, const NameMap &map) {
  Alignment result;
  DataFlow targetFlow(target), benchFlow(bench);
  StepAlignment::Sides sides{target, bench, targetFlow, benchFlow};
  auto targetSteps = bySteps(target), benchSteps = bySteps(bench);
  bool anyEqual = llvm::any_of(targetSteps, [&](const auto &step) {
    return benchSteps.count(step.first);
  });
  std::set<int64_t> done;
  size_t position = 0;
  for (const auto &[step, indices] : targetSteps) {
    std::vector<int64_t> other;
    if (anyEqual && benchSteps.count(step)) {
      other = benchSteps[step];
      done.insert(step);
    } else if (!anyEqual && position < benchSteps.size()) {
      auto it = benchSteps.begin() + static_cast<ptrdiff_t>(position++);
      other = it->second;
      done.insert(it->first);
    }
    StepAlignment(sides, map, result).run(indices, other);
  }
  for (const auto &[step, indices] : benchSteps)
    if (!done.count(step))
      for (int64_t b : indices)
        result.pairs.push_back({-1, b, 0, ""});
  return result;
}

} // namespace assay::trace
