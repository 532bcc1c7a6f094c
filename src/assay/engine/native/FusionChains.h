/// Which operations of a block can share one fused loop, and how each would read its
/// operands there.
#pragma once

#include "assay/engine/native/FusionRoles.h"
#include "assay/engine/native/Views.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseMap.h"

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
  mlir::Value base;
  View view;           ///< over the loop's dimensions (or its rows)
  bool ofRows = false; ///< of one value for each row
  /// Elements in the loop's order: what the loop makes itself can be read in it.
  bool isInOrder() const {
    return kind == Kind::Direct || kind == Kind::PerRow;
  }
};

/// Operations that become one loop, by their positions in the block. A member's own shape may be any that has the
/// loop's elements (or its rows) in the same order.
struct Chain {
  size_t end = 0;
  Shape shape;                    ///< of the loop, without ones
  std::optional<size_t> rowRank;  ///< dimensions that count rows
  std::map<size_t, bool> members; ///< operation -> one value per row
  llvm::ArrayRef<int64_t> rowShape() const {
    return llvm::ArrayRef<int64_t>(shape).take_front(*rowRank);
  }
  Shape levelShape(bool perRow) const {
    return perRow ? Shape(rowShape()) : shape;
  }
};

/// The number of leading dimensions with this many elements, if there is one.
std::optional<size_t> rankOf(llvm::ArrayRef<int64_t> shape, int64_t elements);

/// The operations of a block by their chains: those that were taken, and those that
/// could still be. The block must stay as it is.
class ChainFinder {
public:
  explicit ChainFinder(mlir::Block &block);

  /// The longest chain that ends with this operation; none where it is
  /// in a chain already or cannot be in one.
  std::optional<Chain> chainEndingAt(size_t end) const;
  /// True where the chain as a loop does less than its operations one by one.
  bool isWorthwhile(const Chain &chain) const;
  /// Takes its operations, which are in no other chain from now on.
  void take(const Chain &chain);

  size_t size() const { return ops_.size(); }
  mlir::Operation *op(size_t index) const { return ops_[index]; }
  bool isMember(size_t index) const { return roles_[index] != FusionRole::None; }
  bool isReduction(size_t index) const {
    return roles_[index] == FusionRole::Reduction;
  }
  /// How a member (one value per row or not) reads operand `operand`.
  ChainRead readOf(const Chain &chain, bool perRow, mlir::Operation *op,
                   unsigned operand) const;
  /// The value through views, else a view of it in its own order.
  View viewOfValue(mlir::Value value) const;
  bool isView(mlir::Value value) const { return views_.contains(value); }
  /// An operation outside the chain reads the value.
  bool isReadOutside(const Chain &chain, mlir::Value value) const;

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
  bool isRead(mlir::Value value, llvm::function_ref<bool(size_t)> passes,
              llvm::function_ref<bool(size_t)> matters) const;
  bool isReadLater(const Chain &chain, mlir::Value value) const;
  std::optional<size_t> makerOf(mlir::Value value) const;

  std::vector<mlir::Operation *> ops_; ///< the last one ends the block
  llvm::DenseMap<mlir::Operation *, size_t> index_;
  llvm::DenseMap<mlir::Value, View> views_;
  static constexpr size_t kNone = ~size_t{0};
  std::vector<size_t> chainEnd_; ///< of operations that are in a chain already
  std::vector<FusionRole> roles_;
};

} // namespace assay::engine
