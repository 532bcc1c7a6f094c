/// Fused loops: a chain of elementwise operations, broadcasts and reductions
/// along rows as one step over blocks that stay in the cache.
#pragma once

#include "assay/engine/native/ElementLoop.h"
#include "assay/engine/native/NativeStep.h"
#include "assay/engine/native/VectorMath.h"
#include "assay/engine/native/Views.h"
#include "assay/program/Step.h"
#include "assay/reference/Elementwise.h"
#include "assay/reference/Fold.h"

namespace assay::engine {

/// What a fused step computes, over rows x length elements in row-major order.
/// A value has one element per element of that space, or one per row.
struct FusedProgram {
  struct Value {
    numerics::ElementType element;
    bool perRow = false;
  };
  /// Reads an operand of the step. `fixed`: every row reads the same, so it is
  /// read once. `scalar`: it is one element. `rowInPlace`: a fixed row is in the
  /// operand as it is read.
  struct Load {
    int value;
    size_t operand;
    StridedReader reader;
    bool fixed;
    bool scalar = false;
    bool rowInPlace = false;
  };
  enum class Kind : uint8_t {
    Compute, ///< value = function(inputs)
    Expand,  ///< value[row, i] = input[row]
    Add,     ///< value[row] = init + sum over i of input[row, i], f32 in f64
    Maximum, ///< value[row] = the greatest of init and the row's, f32
    Minimum,
    Any,  ///< value[row] = init or one of the row's, truth values
    All,  ///< value[row] = init and all of the row's
    Fold, ///< value[row] = init op input[row, 0] op ..., in the fold's type
  };
  struct Code {
    Kind kind = Kind::Compute;
    int value = 0;
    llvm::SmallVector<int, 3> inputs = {};
    std::optional<reference::ElementwiseFunction> function = {};
    VectorLoop loop = nullptr; ///< instead of the function
    std::optional<reference::Fold> fold = {};
    size_t init = 0; ///< reductions: the operand that holds the initial value
    std::optional<ElementOp> op = {}; ///< what a compiled loop does in its place
  };

  int64_t rows = 0, length = 1;
  std::vector<Value> values;
  std::vector<Load> loads;
  std::vector<Code> code;   ///< in order of evaluation
  std::vector<int> outputs; ///< the value of each result of the step
};

/// Threads: rows are shared out; the result does not depend on how. Operations
/// that follow each other are compiled as one loop with `jit` (null: none are),
/// where the loop gives the same results as they do one by one on test data.
std::unique_ptr<program::Step> makeFusedStep(FusedProgram program,
                                             std::shared_ptr<kernels::Jit> jit = nullptr);

/// A fused loop that goes over what another step makes, piece by piece.
class FollowingLoop {
public:
  virtual ~FollowingLoop() = default;
  /// True if rows can be computed as soon as the elements of `operand` in them
  /// are there: `unit` elements in a row, or a multiple of it.
  virtual bool canFollow(size_t operand, int64_t unit) const = 0;
  /// The result that may be written over `operand`, or nothing.
  virtual std::optional<size_t> resultInPlaceOf(size_t operand) const = 0;
  /// One execution. `operands`: all of the loop's; the bytes of an operand that is
  /// still being made are known, its elements are not read before ready(). Where it and
  /// the results are never in memory as a whole, they are null.
  class Execution {
  public:
    virtual ~Execution() = default;
    /// Elements [begin, end) of that operand are there. Threads: any, each
    /// range once.
    virtual void ready(int64_t begin, int64_t end) const = 0;
    /// The same where they are null and the loop has one result, an element for
    /// each: `made` has the operand's elements, `result` gets the result's.
    virtual void readyApart(int64_t begin, int64_t end, const std::byte *made,
                            std::byte *result) const = 0;
  };
  virtual llvm::Expected<std::unique_ptr<Execution>>
  begin(llvm::ArrayRef<const tensor::Tensor *> operands,
        llvm::ArrayRef<std::byte *> results) const = 0;
};

} // namespace assay::engine
