// One-to-many names. The table below holds the names that serving engines and
// authors use for fused and single projections.
#include "assay/trace/Groups.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>
#include <map>
#include <numeric>

namespace assay::trace {

using align::Call;

tensor::Shape TensorPart::shapeOf(llvm::ArrayRef<int64_t> whole) const {
  tensor::Shape shape(whole.begin(), whole.end());
  shape[static_cast<size_t>(axis)] = size;
  return shape;
}

std::vector<int64_t>
TensorPart::blocksFor(llvm::ArrayRef<int64_t> whole) const {
  if (blocks > 0)
    return {blocks};
  int64_t all =
      std::gcd(std::gcd(whole[static_cast<size_t>(axis)], size), begin);
  std::vector<int64_t> result;
  for (int64_t count = 1; count <= all; ++count)
    if (all % count == 0)
      result.push_back(count);
  return result;
}

void TensorPart::cut(llvm::ArrayRef<int64_t> whole, int64_t elementBytes,
                     const std::byte *in, std::byte *out) const {
  int64_t count = std::max<int64_t>(blocks, 1), outer = 1, inner = elementBytes;
  for (int64_t i = 0; i < static_cast<int64_t>(whole.size()); ++i)
    (i < axis   ? outer
     : i > axis ? inner
                : count) *= i == axis ? 1 : whole[static_cast<size_t>(i)];
  int64_t all = whole[static_cast<size_t>(axis)] / count * inner;
  auto bytes = static_cast<size_t>(size / count * inner);
  for (int64_t block = 0; block < outer * count; ++block, out += bytes)
    std::memcpy(out, in + block * all + begin / count * inner, bytes);
}

namespace {
/// Names with the same meaning: any of the lists corresponds to any of the
/// words.
struct Common {
  std::vector<std::vector<std::string>> many;
  std::vector<std::string> one;
};
} // namespace

static const std::vector<Common> &commonGroups() {
  static const std::vector<Common> groups{
      {{{"q_proj", "k_proj", "v_proj"},
        {"to_q", "to_k", "to_v"},
        {"query", "key", "value"},
        {"q", "k", "v"},
        {"wq", "wk", "wv"},
        {"q_lin", "k_lin", "v_lin"},
        {"linear_q", "linear_k", "linear_v"}},
       {"qkv_proj", "to_qkv", "qkv", "query_key_value", "c_attn", "in_proj",
        "Wqkv", "wqkv", "W_pack", "attn_qkv", "linear_qkv"}},
      {{{"k_proj", "v_proj"}, {"to_k", "to_v"}, {"key", "value"}, {"k", "v"}},
       {"kv_proj", "to_kv", "kv", "key_value"}},
      {{{"gate_proj", "up_proj"}, {"w1", "w3"}, {"gate", "up"}},
       {"gate_up_proj", "w13", "gate_up", "w12", "linear_fc1"}}};
  return groups;
}

/// The part before a name at the end of a path; nullopt if it ends differently.
static std::optional<llvm::StringRef> beforeName(llvm::StringRef path,
                                                 llvm::StringRef name) {
  if (!path.consume_back(name) || (!path.empty() && !path.ends_with(".")))
    return std::nullopt;
  return path;
}

static bool isFree(const Call &call) {
  return call.partner < 0 && !call.numbered;
}

/// The free calls by the part before the name and their ordinal, in order.
static std::vector<std::pair<std::string, int64_t>>
callsNamed(llvm::ArrayRef<Call> calls, llvm::StringRef name) {
  std::vector<std::pair<std::string, int64_t>> found;
  for (size_t i = 0; i < calls.size(); ++i)
    if (std::optional<llvm::StringRef> before =
            isFree(calls[i]) ? beforeName(calls[i].module, name) : std::nullopt)
      found.emplace_back(before->str() + "\n" +
                             std::to_string(calls[i].ordinal),
                         static_cast<int64_t>(i));
  return found;
}

static const AlignItem *itemLike(const Call &call,
                                 llvm::ArrayRef<AlignItem> items,
                                 const DumpName &like, int64_t *index) {
  for (int64_t i : call.items) {
    const AlignItem &item = items[static_cast<size_t>(i)];
    if (item.name.kind == like.kind && item.name.item == like.item) {
      *index = i;
      return &item;
    }
  }
  return nullptr;
}

/// The dimension along which the parts make up the whole; -1: they do not.
static int64_t axisOf(llvm::ArrayRef<const AlignItem *> parts,
                      const AlignItem &whole) {
  const tensor::Shape &shape = whole.type.shape;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    int64_t sum = 0;
    bool others = true;
    for (const AlignItem *part : parts) {
      tensor::Shape other = part->type.shape;
      if (other.size() != shape.size())
        return -1;
      sum += other[axis];
      other[axis] = shape[axis];
      others &= other == shape;
    }
    if (others && sum == shape[axis])
      return static_cast<int64_t>(axis);
  }
  return -1;
}

static bool isOneFloat(const AlignItem &item) {
  return item.type.element.isFloat() &&
         llvm::all_of(item.type.shape, [](int64_t size) { return size == 1; });
}

/// Whose mean or sum a tensor of one element is; null: it is not one of divided calls.
static std::shared_ptr<const MeanOfCalls>
meanOf(const CallGroup &group, const AlignItem &fused, int64_t whole,
       llvm::ArrayRef<int64_t> parts,
       std::map<std::string, std::shared_ptr<const MeanOfCalls>> &forward) {
  bool isGradient = fused.name.kind == TensorKind::BackwardGradOutput;
  if (!group.isDivided || !isOneFloat(fused) ||
      (!isGradient && fused.name.kind != TensorKind::ForwardOutput))
    return nullptr;
  auto mean = std::make_shared<MeanOfCalls>(
      MeanOfCalls{group.manyOfTarget, parts, group.weights, whole});
  std::shared_ptr<const MeanOfCalls> &own = forward[fused.name.item];
  if (isGradient)
    mean->forward = own;
  else
    own = mean;
  return mean;
}

std::vector<AlignedPair> pairsOf(const CallGroup &group,
                                 llvm::ArrayRef<Call> target,
                                 llvm::ArrayRef<Call> bench,
                                 llvm::ArrayRef<AlignItem> targetItems,
                                 llvm::ArrayRef<AlignItem> benchItems) {
  bool manyOfTarget = group.manyOfTarget;
  auto calls = manyOfTarget ? target : bench;
  auto items = manyOfTarget ? targetItems : benchItems;
  const Call &one =
      (manyOfTarget ? bench : target)[static_cast<size_t>(group.one)];
  std::vector<AlignedPair> result;
  std::map<std::string, std::shared_ptr<const MeanOfCalls>> forward; // by item
  for (int64_t whole : one.items) {
    const AlignItem &fused =
        (manyOfTarget ? benchItems : targetItems)[static_cast<size_t>(whole)];
    bool isParameter = fused.name.kind == TensorKind::ForwardParams ||
                       fused.name.kind == TensorKind::ParamsGrad;
    if (fused.name.kind == TensorKind::BackwardGradInput && !group.isDivided)
      continue; // the fused one's is the sum of theirs
    std::vector<const AlignItem *> parts;
    std::vector<int64_t> indices;
    for (int64_t call : group.many) {
      int64_t index = -1;
      if (const AlignItem *item = itemLike(calls[static_cast<size_t>(call)],
                                           items, fused.name, &index)) {
        parts.push_back(item);
        indices.push_back(index);
      }
    }
    bool isWhole =
        group.isDivided && isParameter; // one call may have it for all
    if (parts.size() != group.many.size() && !isWhole)
      continue;
    int64_t axis = isWhole ? -1 : axisOf(parts, fused), begin = 0;
    auto mean = axis < 0 && !isWhole
                    ? meanOf(group, fused, whole, indices, forward)
                    : nullptr;
    for (size_t i = 0; i < parts.size(); ++i) {
      AlignedPair pair;
      pair.target = manyOfTarget ? indices[i] : whole;
      pair.bench = manyOfTarget ? whole : indices[i];
      pair.confidence = 0.95;
      pair.how = "group";
      pair.mean = mean;
      if (axis >= 0) {
        int64_t size = parts[i]->type.shape[static_cast<size_t>(axis)];
        pair.part = TensorPart{!manyOfTarget, axis, group.blocks,
                               begin,         size, static_cast<int64_t>(i)};
        begin += size;
      } else if (parts[i]->type.shape != fused.type.shape) {
        continue;
      }
      result.push_back(std::move(pair));
    }
  }
  return result;
}

/// The calls of `many` in order, divided among those of `one` so that their tensors
/// like `like` make up those of `one`; empty where they do not.
static std::vector<CallGroup>
divide(llvm::ArrayRef<int64_t> many, llvm::ArrayRef<int64_t> one,
       llvm::ArrayRef<Call> manyCalls, llvm::ArrayRef<Call> oneCalls,
       llvm::ArrayRef<AlignItem> manyItems, llvm::ArrayRef<AlignItem> oneItems,
       const DumpName &like) {
  std::vector<CallGroup> groups;
  size_t at = 0;
  int64_t index = -1;
  for (int64_t whole : one) {
    const AlignItem *all =
        itemLike(oneCalls[static_cast<size_t>(whole)], oneItems, like, &index);
    CallGroup group{.one = whole, .blocks = 1, .isDivided = true};
    std::vector<const AlignItem *> parts;
    int64_t axis = -1;
    while (all && at < many.size() && axis < 0) {
      parts.push_back(itemLike(manyCalls[static_cast<size_t>(many[at])],
                               manyItems, like, &index));
      if (!parts.back())
        return {};
      group.many.push_back(many[at++]);
      axis = parts.size() < 2 ? -1 : axisOf(parts, *all);
    }
    if (axis < 0)
      return {};
    auto sizeOf = [axis](const AlignItem *item) {
      return static_cast<double>(item->type.shape[static_cast<size_t>(axis)]);
    };
    for (const AlignItem *part : parts)
      group.weights.push_back(sizeOf(part) / sizeOf(all));
    groups.push_back(std::move(group));
  }
  return at == many.size() ? std::move(groups) : std::vector<CallGroup>();
}

std::vector<CallGroup> findDividedCalls(llvm::ArrayRef<Call> target,
                                        llvm::ArrayRef<Call> bench,
                                        llvm::ArrayRef<AlignItem> targetItems,
                                        llvm::ArrayRef<AlignItem> benchItems) {
  std::map<std::string, std::vector<int64_t>>
      calls[2]; // by path; [1]: the target's
  for (bool ofTarget : {false, true})
    for (const auto &[i, call] : llvm::enumerate(ofTarget ? target : bench))
      if (isFree(call))
        calls[ofTarget][call.module].push_back(static_cast<int64_t>(i));
  std::vector<CallGroup> groups;
  for (const auto &[module, mine] : calls[1]) {
    auto found = calls[0].find(module);
    if (found == calls[0].end() || found->second.size() == mine.size())
      continue;
    const std::vector<int64_t> &theirs = found->second;
    bool manyOfTarget = mine.size() > theirs.size();
    const Call &first = manyOfTarget
                            ? bench[static_cast<size_t>(theirs.front())]
                            : target[static_cast<size_t>(mine.front())];
    std::vector<CallGroup> divided;
    for (TensorKind kind :
         {TensorKind::ForwardOutput, TensorKind::ForwardInput})
      for (int64_t i : first.items) {
        const DumpName &like =
            (manyOfTarget ? benchItems : targetItems)[static_cast<size_t>(i)]
                .name;
        if (like.kind != kind || !divided.empty())
          continue;
        divided = manyOfTarget ? divide(mine, theirs, target, bench,
                                        targetItems, benchItems, like)
                               : divide(theirs, mine, bench, target, benchItems,
                                        targetItems, like);
      }
    for (CallGroup &group : divided) {
      group.manyOfTarget = manyOfTarget;
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

namespace {
class GroupFinder {
public:
  GroupFinder(llvm::ArrayRef<Call> target, llvm::ArrayRef<Call> bench,
              llvm::ArrayRef<AlignItem> targetItems,
              llvm::ArrayRef<AlignItem> benchItems)
      : calls_{bench, target}, items_{benchItems, targetItems} {}

  void add(llvm::ArrayRef<std::string> many, llvm::StringRef one,
           bool manyOfTarget, int64_t blocks) {
    std::map<std::string, std::vector<int64_t>>
        sets; // by the part before the name
    std::vector<std::string> order;
    for (size_t i = 0; i < many.size(); ++i)
      for (auto &[key, call] : callsNamed(calls_[manyOfTarget], many[i])) {
        std::vector<int64_t> &set = sets[key];
        if (set.empty())
          order.push_back(key);
        if (set.size() == i)
          set.push_back(call);
      }
    std::erase_if(order, [&](const std::string &key) {
      return sets[key].size() != many.size();
    });
    auto ones = callsNamed(calls_[!manyOfTarget], one);
    bool inOrder =
        order.size() == ones.size() &&
        llvm::none_of(ones, [&](const auto &o) { return sets.count(o.first); });
    for (size_t i = 0; i < ones.size(); ++i) {
      auto set = sets.find(inOrder ? order[i] : ones[i].first);
      if (set == sets.end() || set->second.size() != many.size())
        continue;
      CallGroup group{manyOfTarget, set->second, ones[i].second,
                      blocks,       false,       {}};
      if (fits(group))
        found_.push_back(std::move(group));
    }
  }
  std::vector<CallGroup> take() { return std::move(found_); }

private:
  /// Whether the outputs are parts of the fused output, and no call belongs to
  /// another group.
  bool fits(const CallGroup &group) {
    auto isTaken = [&](int64_t call, bool ofTarget) {
      return llvm::is_contained(taken_[ofTarget], call);
    };
    if (isTaken(group.one, !group.manyOfTarget) ||
        llvm::any_of(group.many,
                     [&](int64_t c) { return isTaken(c, group.manyOfTarget); }))
      return false;
    for (const AlignedPair &pair :
         pairsOf(group, calls_[1], calls_[0], items_[1], items_[0]))
      if (pair.part && items_[1][static_cast<size_t>(pair.target)].name.kind ==
                           TensorKind::ForwardOutput) {
        taken_[!group.manyOfTarget].push_back(group.one);
        llvm::append_range(taken_[group.manyOfTarget], group.many);
        return true;
      }
    return false;
  }

  llvm::ArrayRef<Call> calls_[2]; // [1]: the target's
  llvm::ArrayRef<AlignItem> items_[2];
  std::vector<int64_t> taken_[2];
  std::vector<CallGroup> found_;
};
} // namespace

std::vector<CallGroup> findGroups(llvm::ArrayRef<Call> target,
                                  llvm::ArrayRef<Call> bench,
                                  llvm::ArrayRef<AlignItem> targetItems,
                                  llvm::ArrayRef<AlignItem> benchItems,
                                  llvm::ArrayRef<NameMap::Group> named) {
  GroupFinder finder(target, bench, targetItems, benchItems);
  for (const NameMap::Group &group : named) {
    bool manyOfTarget = group.bench.size() == 1;
    finder.add(manyOfTarget ? group.target : group.bench,
               (manyOfTarget ? group.bench : group.target).front(),
               manyOfTarget, group.blocks);
  }
  for (const Common &common : commonGroups())
    for (const std::vector<std::string> &many : common.many)
      for (const std::string &one : common.one)
        for (bool manyOfTarget : {true, false})
          finder.add(many, one, manyOfTarget, 0);
  return finder.take();
}

} // namespace assay::trace
