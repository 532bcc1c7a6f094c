/// What the functions of Expansions.def write with. Private to program/.
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
  /// Zeros of any type, complex ones too.
  static mlir::DenseElementsAttr zeroOf(mlir::RankedTensorType type);

  /// An operation of StableHLO whose result has the type of `a`.
  mlir::Value unary(llvm::StringRef name, mlir::Value a);
  mlir::Value binary(llvm::StringRef name, mlir::Value a, mlir::Value b);
  /// x itself where it has the element type already.
  mlir::Value convert(mlir::Value x, mlir::Type element);
  /// A number without dimensions.
  mlir::Value scalar(double value, mlir::Type element);
  /// x, whose dimensions are `dimensions` of `like`, in the shape of `like`.
  mlir::Value spread(mlir::Value x, llvm::ArrayRef<int64_t> dimensions,
                     mlir::Value like);
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> permutation);
  /// The sum along dimensions, which the result no longer has.
  mlir::Value sum(mlir::Value x, llvm::ArrayRef<int64_t> dimensions);
  /// A region that adds two values of type `one`.
  void addSumRegion(mlir::OperationState &state, mlir::RankedTensorType one);
  /// x of the type that values of type `element` are computed in: of quantised
  /// ones the expressed type, of floats of fewer than 32 bits f32.
  mlir::Value computable(mlir::Value x, mlir::Type element);
  /// replace() by a value that is converted (or quantised) to its type.
  void give(unsigned i, mlir::Value value);
  /// Replaces result number `i`: at its location, with its type.
  void replace(unsigned i, mlir::Value value);

private:
  mlir::Location place_; ///< of the expanded operation
};

/// False: the operation stays, since a shape is not known.
bool expandScan(mlir::Operation *op);
/// An all_reduce that adds.
bool expandCrossReplicaSum(mlir::Operation *op);
/// One inside another in the processes of the outer one; values that are still
/// to be summed over axes of the mesh.
bool expandManual(mlir::Operation *op);
/// Nothing: it only describes where values are.
bool expandShardingGroup(mlir::Operation *op);
/// Functions with a manual computation that another one calls get a copy for it.
void separateInnerFunctions(mlir::ModuleOp module);
/// A product's dimensions in another order, diagonals of labels that one
/// operand repeats, sums over labels that nothing else has.
/// Types: where an operand is summed alone, floats of fewer than 32 bits as f32
bool expandEinsum(mlir::Operation *op);
/// The three as the specification's formulas have them, with x * rsqrt(v) for
/// x / sqrt(v), whose bound holds for both.
/// Types: floats of fewer than 32 bits as f32, with one rounding at the end;
///        quantised ones in their expressed type
bool expandBatchNormInference(mlir::Operation *op);
bool expandBatchNormTraining(mlir::Operation *op);
bool expandBatchNormGrad(mlir::Operation *op);

} // namespace assay::program
