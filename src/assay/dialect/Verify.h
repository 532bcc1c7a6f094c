/// Building blocks of the verifiers. Each reports errors at the operation, with
/// the actual and the expected value.
#pragma once

#include "assay/dialect/Infer.h"
#include "assay/dialect/StablehloAttrs.h"

#include "mlir/IR/Operation.h"

namespace assay::stablehlo {

inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return tensorType(value).getShape();
}
inline mlir::Type elementOf(mlir::Value value) {
  return tensorType(value).getElementType();
}

/// Whether dimensions are equal or one of them is dynamic.
bool sameDim(int64_t a, int64_t b);
bool sameShape(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

/// Whether element types are equal except for scales, zero points and axis of a
/// quantized type.
bool sameBaseline(mlir::Type a, mlir::Type b);
bool isQuantized(mlir::Type element);
bool isPerAxis(mlir::Type element);
/// The storage type of a quantized element; other types are returned unchanged.
mlir::Type storageOf(mlir::Type element);
/// The expressed type of a quantized element; other types are returned
/// unchanged.
mlir::Type expressedOf(mlir::Type element);
/// The axis of a per-axis quantized element, else -1.
int64_t quantizedAxis(mlir::Type element);
/// The bits of an element in memory as the specification counts them; 64 for
/// complex<f32>.
int64_t bitWidth(mlir::Type element);
/// Whether a reduction over `from` may accumulate in `to`: same kind, at least
/// as wide.
bool isPromotable(mlir::Type from, mlir::Type to);

/// Reports "expected shape [2, 3], got [2, 4]" for value number `index` among
/// the results.
mlir::LogicalResult expectShape(mlir::Operation *op, const llvm::Twine &what,
                                llvm::ArrayRef<int64_t> expected,
                                llvm::ArrayRef<int64_t> got);
/// Checks that the operation's only result has the shape that Infer.h computed.
/// A failed inference has already reported its error.
mlir::LogicalResult expectInferred(mlir::Operation *op,
                                   const mlir::FailureOr<Dims> &inferred);
/// Checks that all values have the same baseline element type.
mlir::LogicalResult expectSameElements(mlir::Operation *op,
                                       mlir::ValueRange values);
/// Checks that every number is in [0, rank).
mlir::LogicalResult expectInRange(mlir::Operation *op, llvm::StringRef name,
                                  llvm::ArrayRef<int64_t> dims, int64_t rank);
mlir::LogicalResult expectUnique(mlir::Operation *op, llvm::StringRef name,
                                 llvm::ArrayRef<int64_t> dims);
mlir::LogicalResult expectSize(mlir::Operation *op, llvm::StringRef name,
                               int64_t size, int64_t expected);

/// Checks that the region has one block with these arguments, ended by
/// stablehlo.return with these operands; null stands for any type.
mlir::LogicalResult expectRegion(mlir::Operation *op, llvm::StringRef name,
                                 mlir::Region &region,
                                 mlir::TypeRange arguments,
                                 mlir::TypeRange results);
/// Checks that the region folds `elements`: (E0, ..., E0, ...) -> (E0, ...),
/// with scalars (or tensors of `shape`) of types Ei to which the i-th element
/// type may be promoted. The element types of `results` are these Ei.
mlir::LogicalResult expectReducer(mlir::Operation *op, llvm::StringRef name,
                                  mlir::Region &region,
                                  llvm::ArrayRef<mlir::Type> elements,
                                  mlir::ValueRange results,
                                  llvm::ArrayRef<int64_t> shape = {});
/// Reads an Nx2 table of numbers.
mlir::LogicalResult
readPairs(mlir::Operation *op, llvm::StringRef name,
          std::optional<mlir::DenseIntElementsAttr> table, int64_t rows,
          llvm::SmallVectorImpl<std::pair<int64_t, int64_t>> &pairs);

} // namespace assay::stablehlo
