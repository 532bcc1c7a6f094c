/// A run of elementwise operations as one compiled loop, whose intermediate
/// values stay in registers.
#pragma once

#include "assay/kernels/jit/Jit.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir {
class Operation;
}

namespace assay::engine {

/// What a compiled loop can compute, in f32 and truth values. The functions are
/// those of VectorMath.h, step by step, so that they give the same bits.
enum class ElementOp : uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide,
  Maximum,
  Minimum,
  Clamp,
  Negate,
  Abs,
  Sqrt,
  Equal,
  NotEqual,
  GreaterEqual,
  Greater,
  LessEqual,
  Less,
  Select,
  And,
  Or,
  Not,
  Exponential,
  Logistic,
  Tanh
};

/// The operation, if a loop can compute it with these types: f32, and truth
/// values where it has them. `quick`: its functions may be those of VectorMath.h.
std::optional<ElementOp> elementOpOf(mlir::Operation *op, bool quick);

/// Values are numbered: inputs, then one a node.
struct ElementLoop {
  struct Node {
    ElementOp op;
    llvm::SmallVector<int, 3> inputs;
  };
  std::vector<bool> inputIsTruth; ///< a byte each, else f32
  /// One element serves all: it stays in a register. Empty: none does.
  std::vector<bool> inputIsScalar;
  std::vector<Node> nodes;
  std::vector<int> outputs;

  bool isTruth(int value) const;
  bool isScalar(size_t input) const {
    return input < inputIsScalar.size() && inputIsScalar[input];
  }
  /// Equal loops, equal text.
  std::string text() const;
};

/// pointers: of the inputs, then of the outputs; an output may be an input with
/// elements of the same size. Writes `count` elements of each; inputs have as
/// many, scalar ones one.
using ElementFunction = void (*)(void *const *pointers, int64_t count);

/// The loop's function for this processor. Errors: those of the compiler.
llvm::Expected<ElementFunction> compileLoop(const ElementLoop &loop,
                                            kernels::Jit &jit);

} // namespace assay::engine
