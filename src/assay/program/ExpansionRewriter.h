/// The helper that the functions of Expansions.def write operations with.
/// Private to program/.
#pragma once

#include "assay/dialect/exporters/ExporterRewriter.h"

#include "mlir/IR/BuiltinOps.h"

namespace assay::program {

/// Writes operations before the one that is expanded. All methods also take shapes
/// that are known only in a run.
class ExpansionRewriter : public exporters::ExporterRewriter {
public:
  explicit ExpansionRewriter(mlir::Operation *op);

  static mlir::RankedTensorType typeOf(mlir::Value value);
  /// Zeros of any type, including complex ones.
  static mlir::DenseElementsAttr zeroOf(mlir::RankedTensorType type);

  /// A stablehlo operation whose result has the type of `a`.
  mlir::Value unary(llvm::StringRef name, mlir::Value a);
  mlir::Value binary(llvm::StringRef name, mlir::Value a, mlir::Value b);
  /// Returns x itself where it already has the element type.
  mlir::Value convert(mlir::Value x, mlir::Type element);
  /// A constant of rank 0.
  mlir::Value scalar(double value, mlir::Type element);
  /// Broadcasts x to the shape of `like`; the dimensions of x become
  /// `dimensions` of `like`.
  mlir::Value spread(mlir::Value x, llvm::ArrayRef<int64_t> dimensions,
                     mlir::Value like);
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> permutation);
  /// The sum along `dimensions`, which the result no longer has.
  mlir::Value sum(mlir::Value x, llvm::ArrayRef<int64_t> dimensions);
  /// A region that adds two values of type `one`.
  void addSumRegion(mlir::OperationState &state, mlir::RankedTensorType one);
  /// x in the type in which values of type `element` are computed: the
  /// expressed type of a quantised one, f32 for floats of fewer than 32 bits.
  mlir::Value computable(mlir::Value x, mlir::Type element);
  /// Calls replace() with the value converted (or quantised) to the result's
  /// type.
  void give(unsigned i, mlir::Value value);
  /// Replaces result number `i` and keeps its location and type.
  void replace(unsigned i, mlir::Value value);

private:
  mlir::Location place_; ///< location of the expanded operation
};

/// Returns false, and keeps the operation, where a shape is not known.
bool expandScan(mlir::Operation *op);
/// Becomes an all_reduce that adds.
bool expandCrossReplicaSum(mlir::Operation *op);
/// A computation inside another one runs in the processes of the outer one.
/// Values that are still to be summed over mesh axes are summed here.
bool expandManual(mlir::Operation *op);
/// Becomes nothing: the operation only describes where values are.
bool expandShardingGroup(mlir::Operation *op);
/// Makes a separate copy of each function with a manual computation that
/// another manual computation calls.
void separateInnerFunctions(mlir::ModuleOp module);
/// Becomes a product with its dimensions permuted, diagonals for labels that an
/// operand repeats, and sums over labels that occur only once.
/// Types: where an operand is summed on its own, floats of fewer than 32 bits
/// are computed as f32
bool expandEinsum(mlir::Operation *op);
/// The three become the specification's formulas, with x * rsqrt(v) for x /
/// sqrt(v); the bound holds for both forms.
/// Types: floats of fewer than 32 bits are computed as f32 and rounded once at
/// the end;
///        quantised values are computed in their expressed type
bool expandBatchNormInference(mlir::Operation *op);
bool expandBatchNormTraining(mlir::Operation *op);
bool expandBatchNormGrad(mlir::Operation *op);

} // namespace assay::program
