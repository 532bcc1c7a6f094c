/// Making groups of the native dialect: operations that become one step.
#pragma once

#include "assay/dialect/Native.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"

namespace assay::engine {

/// Marks an operation whose results an observer wants: it joins no group.
inline constexpr const char *kObserved = "native.observed";
inline bool isObserved(mlir::Operation *op) { return op->hasAttr(kObserved); }

/// A product, a convolution; alone or a group.
bool isProduct(mlir::Operation *op);
bool isConvolution(mlir::Operation *op);

/// Calls body for every block that runs as a block: bodies of functions, loops and branches.
void forEachBlock(mlir::ModuleOp module,
                  llvm::function_ref<void(mlir::Block &)> body);

/// What becomes a group, in one block.
struct GroupParts {
  llvm::SmallVector<mlir::Operation *, 8> members;
  /// Operations between members, or before them, that others may read too: the
  /// group gets copies then.
  llvm::SetVector<mlir::Operation *> views;
  /// The group's first operands, in this order; what else its region reads comes after them.
  llvm::SmallVector<mlir::Value, 8> operands;

  /// Adds the operands of an operation but for one.
  void addOthers(mlir::Operation *op, unsigned except) {
    for (mlir::OpOperand &operand : op->getOpOperands())
      if (operand.getOperandNumber() != except)
        operands.push_back(operand.get());
  }
  /// Adds the operations with one operand that make `value` from `base`.
  void addViews(mlir::Value value, mlir::Value base);
};

/// The group, in place of the last member, at this location. Its results are those
/// results of members that others read, in their order.
mlir::Operation *makeGroup(llvm::StringRef name, GroupParts parts,
                           mlir::Location location);

/// The constant that the value is, if all its elements are one; or null. An argument of a
/// group is the group's operand.
mlir::DenseElementsAttr splatOf(mlir::Value value);

/// The operation of the reader's block that makes this operand and nothing else, if
/// the reader alone reads it, and only there; or null.
mlir::Operation *soleMaker(mlir::Operation *reader, unsigned operand);

} // namespace assay::engine
