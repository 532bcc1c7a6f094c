/// Makes the StableHLO that replaces another operation. The expansions of program/ write with it, too.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace assay::exporters {

class ExporterRewriter {
public:
  explicit ExporterRewriter(mlir::Operation *op)
      : ExporterRewriter(op, op->getLoc()) {}
  /// Gives the written operations another location than the original's.
  ExporterRewriter(mlir::Operation *op, mlir::Location location)
      : op_(op), builder_(op), loc_(location) {}

  mlir::Operation *op() const { return op_; }
  mlir::Value operand(unsigned i) const { return op_->getOperand(i); }
  mlir::RankedTensorType resultType() const;

  mlir::Value make(llvm::StringRef name, mlir::Type type,
                   mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  mlir::NamedAttribute named(llvm::StringRef name, mlir::Attribute value) {
    return builder_.getNamedAttr(name, value);
  }
  mlir::Builder &builder() { return builder_; }
  mlir::Location location() const { return loc_; }
  mlir::Operation *create(const mlir::OperationState &state) {
    return builder_.create(state);
  }
  /// Numbers as a tensor of i64.
  mlir::Value numbers(llvm::ArrayRef<int64_t> values);
  mlir::Value number(int64_t value);
  mlir::Value compare(llvm::StringRef direction, mlir::Value a, mlir::Value b);
  /// The same bits as another element type.
  mlir::Value retyped(mlir::Value value, mlir::Type element);
  /// Concatenates rank-0 numbers to a tensor of one dimension.
  mlir::Value list(mlir::ValueRange numbers, mlir::Type element);
  /// Element number `at` of a list, as a tensor of rank 0.
  mlir::Value element(mlir::Value list, mlir::Value at);
  /// The size of a dimension as i64.
  mlir::Value sizeOf(mlir::Value tensor, int64_t dim);

private:
  mlir::Operation *op_;
  mlir::OpBuilder builder_;
  mlir::Location loc_;
};

/// The value that replaces the operation's result; null where no row supports
/// the operation in this form.
mlir::Value lowerArith(ExporterRewriter &rewriter);
mlir::Value lowerTensor(ExporterRewriter &rewriter);
mlir::Value lowerShape(ExporterRewriter &rewriter);

} // namespace assay::exporters
