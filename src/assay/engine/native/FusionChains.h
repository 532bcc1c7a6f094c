/// Which steps of a block can share one fused loop, and how each would read its
/// operands there.
#pragma once

#include "assay/engine/PlanEdit.h"
#include "assay/engine/native/FusionRoles.h"
#include "assay/engine/native/Views.h"

#include <map>

namespace assay::engine {

/// How a member of a chain reads one operand.
struct ChainRead {
  enum class Kind : uint8_t {
    Direct,  ///< element i of the loop (or row i, at the rows' level) is element
             ///< i of `base`
    PerRow,  ///< row i of the loop is element i of `base`
    Load,    ///< through the view's strides
    Unknown, ///< it cannot be expressed by strides in the loop's dimensions
  } kind = Kind::Load;
  program::SlotId base = 0;
  View view;           ///< over the loop's dimensions (or its rows)
  bool ofRows = false; ///< of one value for each row
  /// Elements in the loop's order: what the loop makes itself can be read in it.
  bool isInOrder() const {
    return kind == Kind::Direct || kind == Kind::PerRow;
  }
};

/// Steps that become one loop. A member's own shape may be any that has the
/// loop's elements (or its rows) in the same order.
struct Chain {
  size_t end = 0;
  Shape shape;                    ///< of the loop, without ones
  std::optional<size_t> rowRank;  ///< dimensions that count rows
  std::map<size_t, bool> members; ///< step -> one value per row
  llvm::ArrayRef<int64_t> rowShape() const {
    return llvm::ArrayRef<int64_t>(shape).take_front(*rowRank);
  }
  Shape levelShape(bool perRow) const {
    return perRow ? Shape(rowShape()) : shape;
  }
};

/// The steps of a block by their chains: those that were taken, and those that
/// could still be.
class ChainFinder {
public:
  ChainFinder(const program::FunctionPlan &function, program::BlockPlan &block,
              const std::function<bool(mlir::Operation *)> &wanted);

  /// The longest chain that ends with this step; none where the step is
  /// in a chain already or cannot be in one.
  std::optional<Chain> chainEndingAt(size_t end) const;
  /// True where the chain as a loop does less than its steps.
  bool isWorthwhile(const Chain &chain) const;
  /// Takes its steps, which are in no other chain from now on.
  void take(const Chain &chain);

  const program::StepNode &step(size_t index) const {
    return block_.steps[index];
  }
  bool isReduction(size_t index) const {
    return roles_[index] == FusionRole::Reduction;
  }
  /// How a member (one value per row or not) reads operand `operand`.
  ChainRead readOf(const Chain &chain, bool perRow,
                   const program::StepNode &node, unsigned operand) const;
  /// The slot through views, else a view of it in its own order.
  View viewOfSlot(program::SlotId slot, llvm::ArrayRef<int64_t> shape) const;
  bool isView(program::SlotId slot) const { return views_.contains(slot); }
  /// A constant whose elements are all one: it is read as a scalar.
  bool isSplat(program::SlotId slot) const { return splatOf(slot) != nullptr; }
  /// That constant, or null.
  const tensor::Tensor *splatOf(program::SlotId slot) const;
  /// A step outside the chain reads the slot.
  bool isReadOutside(const Chain &chain, program::SlotId slot) const;

private:
  void grow(Chain &chain) const;
  bool admit(Chain &chain, size_t candidate,
             llvm::ArrayRef<ChainRead> reads) const;
  using Reads = llvm::SmallVector<ChainRead, 2>;
  void readsOf(const Chain &chain, size_t member,
               llvm::function_ref<void(size_t, const ChainRead &)> body) const;
  std::optional<bool> levelOf(Chain &chain, size_t candidate,
                              llvm::ArrayRef<ChainRead> reads) const;
  bool canRead(const Chain &chain, size_t candidate, bool perRow) const;
  bool isRead(program::SlotId slot, llvm::function_ref<bool(size_t)> passes,
              llvm::function_ref<bool(size_t)> matters) const;
  bool isReadLater(const Chain &chain, program::SlotId slot) const;

  program::BlockPlan &block_;
  BlockUses uses_;
  llvm::DenseMap<program::SlotId, View> views_;
  static constexpr size_t kNone = ~size_t{0};
  std::vector<size_t> chainEnd_; ///< of steps that are in a chain already
  std::vector<FusionRole> roles_;
};

} // namespace assay::engine
