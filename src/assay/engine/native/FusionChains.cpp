// A chain begins with its last operation and takes in the producers of what it reads
// as long as
//   - they have the loop's elements in the same order, whatever their own shape
//     (dimensions of size 1 and reshapes on the way do not count), or one value
//     per row of them: a reduction of the trailing dimensions, or a value that
//     is computed from it and broadcast back;
//   - all other readers come after the end of the chain, so that
//     the order of operations stays possible.
// Broadcasts, slices, transposes and reshapes on the way are read through
// strides.
#include "assay/engine/native/FusionChains.h"

#include "assay/engine/native/Groups.h"

namespace assay::engine {

using mlir::Block;
using mlir::Operation;
using mlir::Value;

ChainFinder::ChainFinder(Block &block) {
  for (Operation &op : block) {
    index_[&op] = ops_.size();
    ops_.push_back(&op);
    roles_.push_back(fusionRoleOf(&op));
    if (op.getNumOperands() == 1 && op.getNumResults() == 1 &&
        knownTypeOf(op.getResult(0)))
      if (View view = viewOf(op.getResult(0)); view.base != op.getResult(0))
        views_[op.getResult(0)] = view;
  }
  chainEnd_.assign(ops_.size(), kNone);
}

View ChainFinder::viewOfValue(Value value) const {
  auto known = views_.find(value);
  return known != views_.end()
             ? known->second
             : View::dense(value, knownTypeOf(value)->shape);
}

/// The position of the operation that makes the value in this block.
std::optional<size_t> ChainFinder::makerOf(Value value) const {
  auto found = index_.find(value.getDefiningOp());
  return found == index_.end() ? std::nullopt : std::optional(found->second);
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

ChainRead ChainFinder::readOf(const Chain &chain, bool perRow, Operation *op,
                              unsigned operand) const {
  using Kind = ChainRead::Kind;
  Value value = op->getOperand(operand);
  auto type = knownTypeOf(value);
  Shape level = chain.levelShape(perRow);
  ChainRead read;
  read.view = withoutOnes(viewOfValue(value));
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

/// Whether an operation for which `matters` holds reads the value, perhaps through
/// views; those for which `passes` holds do not count. Both get a position in the block.
bool ChainFinder::isRead(Value value, llvm::function_ref<bool(size_t)> passes,
                         llvm::function_ref<bool(size_t)> matters) const {
  llvm::SmallVector<Value, 4> work{value};
  while (!work.empty())
    for (Operation *user : work.pop_back_val().getUsers()) {
      size_t reader = index_.at(ops_.front()->getBlock()->findAncestorOpInBlock(*user));
      if (passes(reader))
        continue;
      if (matters(reader))
        return true;
      Operation *op = ops_[reader];
      if (op->getNumResults() != 1 || !isView(op->getResult(0)))
        return true;
      work.push_back(op->getResult(0));
    }
  return false;
}

/// Whether every reader of the value outside the chain comes after its end.
bool ChainFinder::isReadLater(const Chain &chain, Value value) const {
  return !isRead(
      value,
      [&](size_t reader) {
        return reader > chain.end || chain.members.count(reader) ||
               chainEnd_[reader] != kNone; // its chain ends after this one
      },
      [](size_t) { return false; });
}

bool ChainFinder::isReadOutside(const Chain &chain, Value value) const {
  return isRead(
      value, [&](size_t reader) { return chain.members.count(reader) != 0; },
      [&](size_t reader) {
        return reader + 1 == ops_.size() || chainEnd_[reader] != kNone;
      });
}

//===--- Growth ----------------------------------------------------------===//

std::optional<Chain> ChainFinder::chainEndingAt(size_t end) const {
  if (chainEnd_[end] != kNone || roles_[end] == FusionRole::None)
    return std::nullopt;
  Operation *op = ops_[end];
  Chain chain;
  chain.end = end;
  Shape result = withoutOnes(knownTypeOf(op->getResult(0))->shape);
  if (isReduction(end)) {
    chain.shape = withoutOnes(knownTypeOf(op->getOperand(0))->shape);
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

std::optional<size_t> rankOf(llvm::ArrayRef<int64_t> shape, int64_t elements) {
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
  Operation *op = ops_[candidate];
  int64_t count = elementsOf(knownTypeOf(op->getResult(0))->shape);
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
  Operation *op = ops_[candidate];
  bool reduction = isReduction(candidate);
  for (size_t o = 0; o < (reduction ? 1 : op->getNumOperands()); ++o) {
    ChainRead read =
        readOf(chain, !reduction && perRow, op, static_cast<unsigned>(o));
    std::optional<size_t> made = makerOf(read.base);
    auto member = made ? chain.members.find(*made) : chain.members.end();
    bool can = member == chain.members.end()
                   ? read.kind != ChainRead::Kind::Unknown || splatOf(read.base)
                   : read.isInOrder() && read.ofRows == member->second;
    if (!can)
      return false;
  }
  return true;
}

/// Adds a producer to the chain, if its role and shape allow.
bool ChainFinder::admit(Chain &chain, size_t candidate,
                        llvm::ArrayRef<ChainRead> reads) const {
  Operation *op = ops_[candidate];
  if (chainEnd_[candidate] != kNone || roles_[candidate] == FusionRole::None ||
      !isReadLater(chain, op->getResult(0)))
    return false;
  std::optional<size_t> rowRank = chain.rowRank;
  std::optional<bool> perRow = levelOf(chain, candidate, reads);
  bool fits = perRow && (!isReduction(candidate) ||
                         (*perRow && elementsOf(knownTypeOf(
                                         op->getOperand(0))->shape) ==
                                         elementsOf(chain.shape)));
  if (!fits || !canRead(chain, candidate, *perRow)) {
    chain.rowRank = rowRank;
    return false;
  }
  chain.members[candidate] = *perRow;
  return true;
}

/// Calls body(position, read) for each operand of a member that another operation of the
/// block makes.
void ChainFinder::readsOf(
    const Chain &chain, size_t member,
    llvm::function_ref<void(size_t, const ChainRead &)> body) const {
  Operation *op = ops_[member];
  bool reduction = isReduction(member),
       perRow = !reduction && chain.members.at(member);
  for (size_t o = 0; o < (reduction ? 1 : op->getNumOperands()); ++o) {
    auto operand = static_cast<unsigned>(o);
    if (elementsOf(knownTypeOf(op->getOperand(operand))->shape) == 1)
      continue;
    ChainRead read = readOf(chain, perRow, op, operand);
    if (std::optional<size_t> made = makerOf(read.base))
      body(*made, read);
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
         llvm::any_of(ops_[chain.end]->getOperands(),
                      [&](Value value) { return isView(value); });
}

void ChainFinder::take(const Chain &chain) {
  for (auto [index, perRow] : chain.members)
    chainEnd_[index] = chain.end;
}

} // namespace assay::engine
