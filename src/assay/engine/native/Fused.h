/// Fused loops: a chain of elementwise operations, broadcasts and reductions
/// along rows as one step over blocks that stay in the cache.
#pragma once

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
  /// read once.
  struct Load {
    int value;
    size_t operand;
    StridedReader reader;
    bool fixed;
  };
  enum class Kind : uint8_t {
    Compute, ///< value = function(inputs)
    Expand,  ///< value[row, i] = input[row]
    Add,     ///< value[row] = init + sum over i of input[row, i], f32 in f64
    Maximum, ///< value[row] = the greatest of init and the row's, f32
    Minimum,
    Fold, ///< value[row] = init op input[row, 0] op ..., in the fold's type
  };
  struct Code {
    Kind kind;
    int value;
    llvm::SmallVector<int, 3> inputs;
    std::optional<reference::ElementwiseFunction> function;
    VectorLoop loop = nullptr; ///< in place of the function
    std::optional<reference::Fold> fold;
    size_t init = 0; ///< reductions: the operand that holds the initial value
  };

  int64_t rows = 0, length = 1;
  std::vector<Value> values;
  std::vector<Load> loads;
  std::vector<Code> code;   ///< in order of evaluation
  std::vector<int> outputs; ///< the value of each result of the step
};

/// Threads: rows are shared out; the result does not depend on how.
std::unique_ptr<program::Step> makeFusedStep(FusedProgram program);

} // namespace assay::engine
