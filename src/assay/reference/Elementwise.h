/// Elementwise operations: one typed loop, chosen once per operation, serves
/// whole tensors, lanes of a region body, and shadows. A family file
/// (ops/Arithmetic.cpp, ops/Math.cpp, ...) has loops for the types that it
/// computes in. Narrower types (4-bit integers, 8- and 16-bit floats) are
/// converted block by block and rounded once.
#pragma once

#include "assay/numerics/ElementType.h"
#include "assay/support/Error.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>

namespace mlir {
class Operation;
}

namespace assay::reference {

using numerics::ElementType;

/// One call of a loop: out[i] = f(in0[i], in1[i], in2[i]) for i in [0, count).
struct ElementwiseArgs {
  const void *in[3] = {};
  void *out = nullptr; ///< may be one of the inputs
  int64_t count = 0;
  int32_t bits = 0; ///< logical width of the element (shifts, popcnt, mulhi of
                    ///< 2- and 4-bit integers)
  int32_t parameter[2] = {0,
                          0}; ///< reduce_precision: exponent and mantissa bits
};
using ElementwiseLoop = void (*)(const ElementwiseArgs &);

/// The query to a family file: the operation and its element types.
struct LoopQuery {
  mlir::Operation *op;
  llvm::ArrayRef<ElementType> operands;
  ElementType result;
};

/// The answer to a query: the loop and the types that it computes in. Without a
/// loop the types are not supported.
struct LoopChoice {
  ElementwiseLoop loop = nullptr;
  llvm::SmallVector<ElementType, 3> operands;
  ElementType result;
  int32_t bits = 0;
  int32_t parameter[2] = {0, 0};
  bool conversion =
      false; ///< no loop: use numerics::convertArray from operand 0
  std::shared_ptr<const void>
      constant; ///< no loop: every element of the result is this constant
};

/// An elementwise operation with its types decoded.
class ElementwiseFunction {
public:
  /// For an operation of Elementwise.def with these element types (already
  /// widened in a shadow run). Errors: Unsupported, naming the type.
  static llvm::Expected<ElementwiseFunction>
  make(mlir::Operation *op, llvm::ArrayRef<ElementType> operands,
       ElementType result);
  /// True for an operation that make() supports: elementwise operations of
  /// stablehlo and chlo, and chlo.broadcast_*, whose operands the caller brings
  /// to one shape.
  static bool knows(mlir::Operation *op);

  /// Evaluates `count` elements; inputs and output are in the storage of their
  /// types. A stride is 1, or 0 for a splat. The output may be an input with
  /// stride 1 and the same element size. Threads: re-entrant. Cost: a few ns in
  /// addition to the loop; no allocation.
  void evaluate(llvm::ArrayRef<const void *> in,
                llvm::ArrayRef<int64_t> strides, void *out,
                int64_t count) const;

  /// Evaluates one element, like evaluate() with count = 1, in a few ns.
  void evaluateOne(llvm::ArrayRef<const void *> in, void *out) const;

  size_t arity() const { return operands_.size(); }
  ElementType operandType(size_t i) const { return operands_[i]; }
  ElementType resultType() const { return result_; }

private:
  void evaluateBlocks(llvm::ArrayRef<const void *> in,
                      llvm::ArrayRef<int64_t> strides, void *out,
                      int64_t count) const;

  LoopChoice choice_;
  llvm::SmallVector<ElementType, 3> operands_;
  ElementType result_;
  bool direct_ = false; ///< the loop computes in the operand types themselves
};

} // namespace assay::reference
