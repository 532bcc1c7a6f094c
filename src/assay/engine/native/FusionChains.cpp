// A chain begins with its last step and takes in the producers of what it reads
// as long as
//   - they have the loop's elements in the same order, whatever their own shape
//     (dimensions of size 1 and reshapes on the way do not count), or one value
//     per row of them: a reduction of the trailing dimensions, or a value that
//     is computed from it and broadcast back;
//   - all other readers come after the end of the chain, so that
//     the order of steps stays possible.
// Broadcasts, slices, transposes and reshapes on the way are read through
// strides.
#include "assay/engine/native/FusionChains.h"

#include "assay/engine/native/FusionPass.h"

namespace assay::engine {

using program::BlockPlan;
using program::FunctionPlan;
using program::SlotId;
using program::StepNode;

ChainFinder::ChainFinder(const FunctionPlan &function, BlockPlan &block,
                         const std::function<bool(mlir::Operation *)> &wanted)
    : block_(block), uses_(function, block), views_(viewsOf(block, wanted)),
      chainEnd_(block.steps.size(), kNone) {
  for (const StepNode &node : block.steps)
    roles_.push_back(fusionRoleOf(node, wanted));
}

View ChainFinder::viewOfSlot(SlotId slot,
                             llvm::ArrayRef<int64_t> shape) const {
  auto known = views_.find(slot);
  return known != views_.end() ? known->second : View::dense(slot, shape);
}

const tensor::Tensor *ChainFinder::splatOf(SlotId slot) const {
  auto made = uses_.producer.find(slot);
  if (made == uses_.producer.end())
    return nullptr;
  const StepNode &node = block_.steps[made->second];
  bool is = node.control == StepNode::Control::Constant &&
            node.constant.isTensor() && node.constant.tensor().isSplat();
  return is ? &node.constant.tensor() : nullptr;
}

//===--- Reads -----------------------------------------------------------===//

/// The view without dimensions of size 1.
static View withoutOnes(const View &view) {
  View result = view;
  result.shape.clear(), result.strides.clear();
  for (size_t d = 0; d < view.shape.size(); ++d)
    if (view.shape[d] != 1) {
      result.shape.push_back(view.shape[d]);
      result.strides.push_back(view.strides[d]);
    }
  return result;
}

/// True for one value per row, repeated along it.
static bool isPerRow(const Chain &chain, const View &view) {
  size_t rank = view.shape.size();
  while (rank > 0 && view.strides[rank - 1] == 0)
    --rank;
  // A value that never changes makes one row of all elements. That is accepted
  // only for a reduction: threads could not share such a loop.
  if (rank == view.shape.size() || (chain.rowRank && *chain.rowRank != rank) ||
      (rank == 0 && !chain.rowRank))
    return false;
  llvm::ArrayRef<int64_t> rows =
      llvm::ArrayRef<int64_t>(view.shape).take_front(rank);
  return llvm::ArrayRef<int64_t>(view.strides).take_front(rank) ==
         llvm::ArrayRef<int64_t>(tensor::rowMajorStrides(rows));
}

ChainRead ChainFinder::readOf(const Chain &chain, bool perRow,
                              const StepNode &node, unsigned operand) const {
  using Kind = ChainRead::Kind;
  auto type = knownTypeOf(node.op->getOperand(operand));
  Shape level = chain.levelShape(perRow);
  ChainRead read;
  read.view = withoutOnes(viewOfSlot(node.operands[operand], type->shape));
  read.base = read.view.base;
  if (elementsOf(type->shape) == 1 && level != read.view.shape)
    return read; // a scalar: repeated
  if (read.view.shape != level) {
    std::optional<View> view = reshaped(read.view, level);
    if (!view || elementsOf(read.view.shape) != elementsOf(level)) {
      read.kind = Kind::Unknown;
      return read;
    }
    read.view = *view;
  }
  if (read.view.offset != 0)
    return read;
  if (read.view.strides == tensor::rowMajorStrides(level))
    read.kind = Kind::Direct;
  else if (!perRow && isPerRow(chain, read.view))
    read.kind = Kind::PerRow;
  read.ofRows = perRow || read.kind == Kind::PerRow;
  return read;
}

/// Whether a step for which `matters` holds reads the slot, perhaps through views; steps
/// for which `passes` holds do not count. Both get a step's position in the block.
bool ChainFinder::isRead(SlotId slot, llvm::function_ref<bool(size_t)> passes,
                         llvm::function_ref<bool(size_t)> matters) const {
  llvm::SmallVector<SlotId, 4> work{slot};
  while (!work.empty()) {
    auto readers = uses_.readers.find(work.pop_back_val());
    if (readers == uses_.readers.end())
      continue;
    for (size_t reader : readers->second) {
      if (passes(reader))
        continue;
      if (matters(reader))
        return true;
      const StepNode &node = block_.steps[reader];
      if (node.results.size() != 1 || !views_.contains(node.results[0]))
        return true;
      work.push_back(node.results[0]);
    }
  }
  return false;
}

/// Whether every reader of the slot outside the chain comes after its end.
bool ChainFinder::isReadLater(const Chain &chain, SlotId slot) const {
  return !isRead(
      slot,
      [&](size_t reader) {
        return reader > chain.end || chain.members.count(reader) ||
               chainEnd_[reader] != kNone; // its chain ends after this one
      },
      [](size_t) { return false; });
}

bool ChainFinder::isReadOutside(const Chain &chain, SlotId slot) const {
  return isRead(
      slot, [&](size_t reader) { return chain.members.count(reader) != 0; },
      [&](size_t reader) {
        return reader == block_.steps.size() || chainEnd_[reader] != kNone;
      });
}

//===--- Growth ----------------------------------------------------------===//

std::optional<Chain> ChainFinder::chainEndingAt(size_t end) const {
  if (chainEnd_[end] != kNone || roles_[end] == FusionRole::None)
    return std::nullopt;
  const StepNode &node = block_.steps[end];
  Chain chain;
  chain.end = end;
  Shape result = withoutOnes(knownTypeOf(node.op->getResult(0))->shape);
  if (isReduction(end)) {
    chain.shape = withoutOnes(knownTypeOf(node.op->getOperand(0))->shape);
    chain.rowRank = result.size();
    chain.members[end] = true;
  } else {
    chain.shape = result;
    chain.members[end] = false;
  }
  if (elementsOf(chain.shape) < 2)
    return std::nullopt;
  grow(chain);
  return chain;
}

/// The number of leading dimensions with this many elements, if there is one.
static std::optional<size_t> rankOf(llvm::ArrayRef<int64_t> shape,
                                    int64_t elements) {
  for (size_t rank = 0; rank < shape.size(); ++rank)
    if (elementsOf(shape.take_front(rank)) == elements)
      return rank;
  return std::nullopt;
}

/// Whether the candidate has one value per row of the chain (this may decide
/// what the rows are); nullopt where it has neither one per element nor one per
/// row, or is read as both.
std::optional<bool>
ChainFinder::levelOf(Chain &chain, size_t candidate,
                     llvm::ArrayRef<ChainRead> reads) const {
  const StepNode &node = block_.steps[candidate];
  int64_t count = elementsOf(knownTypeOf(node.op->getResult(0))->shape);
  bool ofRows = reads.front().ofRows;
  if (llvm::any_of(reads, [&](const ChainRead &read) {
        return read.ofRows != ofRows;
      }))
    return std::nullopt;
  if (ofRows && !chain.rowRank)
    chain.rowRank = rankOf(chain.shape, count);
  if (ofRows && !chain.rowRank)
    return std::nullopt;
  return elementsOf(chain.levelShape(ofRows)) == count ? std::optional(ofRows)
                                                       : std::nullopt;
}

/// Whether the loop can read every operand of the candidate; a member's result
/// can only be read in its order.
bool ChainFinder::canRead(const Chain &chain, size_t candidate,
                          bool perRow) const {
  const StepNode &node = block_.steps[candidate];
  bool reduction = isReduction(candidate);
  for (size_t o = 0; o < (reduction ? 1 : node.operands.size()); ++o) {
    ChainRead read = readOf(chain, !reduction && perRow, node,
                            static_cast<unsigned>(o));
    auto made = uses_.producer.find(read.base);
    auto member = made == uses_.producer.end()
                      ? chain.members.end()
                      : chain.members.find(made->second);
    bool can = member == chain.members.end()
                   ? read.kind != ChainRead::Kind::Unknown || isSplat(read.base)
                   : read.isInOrder() && read.ofRows == member->second;
    if (!can)
      return false;
  }
  return true;
}

/// Adds a producer to the chain, if its role and shape allow.
bool ChainFinder::admit(Chain &chain, size_t candidate,
                        llvm::ArrayRef<ChainRead> reads) const {
  const StepNode &node = block_.steps[candidate];
  if (chainEnd_[candidate] != kNone || roles_[candidate] == FusionRole::None ||
      !isReadLater(chain, node.results[0]))
    return false;
  std::optional<size_t> rowRank = chain.rowRank;
  std::optional<bool> perRow = levelOf(chain, candidate, reads);
  bool fits = perRow && (!isReduction(candidate) ||
                         (*perRow && elementsOf(knownTypeOf(
                                         node.op->getOperand(0))->shape) ==
                                         elementsOf(chain.shape)));
  if (!fits || !canRead(chain, candidate, *perRow)) {
    chain.rowRank = rowRank;
    return false;
  }
  chain.members[candidate] = *perRow;
  return true;
}

/// Calls body(step, read) for each operand of a member that another step of the
/// block makes.
void ChainFinder::readsOf(
    const Chain &chain, size_t member,
    llvm::function_ref<void(size_t, const ChainRead &)> body) const {
  const StepNode &node = block_.steps[member];
  bool reduction = isReduction(member),
       perRow = !reduction && chain.members.at(member);
  for (size_t o = 0; o < (reduction ? 1 : node.operands.size()); ++o) {
    auto operand = static_cast<unsigned>(o);
    if (elementsOf(knownTypeOf(node.op->getOperand(operand))->shape) == 1)
      continue;
    ChainRead read = readOf(chain, perRow, node, operand);
    auto made = uses_.producer.find(read.base);
    if (made != uses_.producer.end())
      body(made->second, read);
  }
}

void ChainFinder::grow(Chain &chain) const {
  constexpr size_t kMostMembers = 96;
  bool changed = true;
  while (changed && chain.members.size() < kMostMembers) {
    changed = false;
    std::map<size_t, Reads, std::greater<>> candidates;
    for (auto [index, perRow] : chain.members)
      readsOf(chain, index, [&](size_t made, const ChainRead &read) {
        if (made < chain.end && !chain.members.count(made))
          candidates[made].push_back(read);
      });
    // The latest first: its own readers are already in the chain.
    for (auto &[candidate, reads] : candidates)
      if (llvm::all_of(reads,
                       [](const ChainRead &read) { return read.isInOrder(); }) &&
          admit(chain, candidate, reads)) {
        changed = true;
        break;
      }
  }
}

bool ChainFinder::isWorthwhile(const Chain &chain) const {
  return chain.members.size() > 1 || isReduction(chain.end) ||
         llvm::any_of(block_.steps[chain.end].operands,
                      [&](SlotId slot) { return views_.contains(slot); });
}

void ChainFinder::take(const Chain &chain) {
  for (auto [index, perRow] : chain.members)
    chainEnd_[index] = chain.end;
}

} // namespace assay::engine
