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
  Tanh,
  Erf,
  Erfc,
  Square,
  Cube
};

/// The operation, if a loop can compute it with these types: f32, and truth
/// values where it has them. `quick`: its functions may be those of VectorMath.h.
std::optional<ElementOp> elementOpOf(mlir::Operation *op, bool quick);

/// How a loop over rows of elements reads an input: an element each, one for all,
/// one for a row, or a row of elements that serves all rows.
enum class ElementReads : uint8_t { Each, One, OneARow, ARow };

/// Values are numbered: inputs, then one a node.
struct ElementLoop {
  struct Node {
    ElementOp op;
    llvm::SmallVector<int, 3> inputs;
  };
  std::vector<bool> inputIsTruth;  ///< a byte each, else f32
  std::vector<ElementReads> reads; ///< by input; empty: Each
  std::vector<Node> nodes;
  std::vector<int> outputs;
  /// A vector of columns goes down all rows, so that inputs of ARow stay in
  /// registers; else row by row, and inputs of OneARow do.
  bool columnsOutside = false;

  bool isTruth(int value) const;
  ElementReads readsOf(size_t input) const {
    return input < reads.size() ? reads[input] : ElementReads::Each;
  }
  /// Equal loops, equal text.
  std::string text() const;
};

/// pointers: of the inputs, then of the outputs; an output may be an input that is
/// read Each with elements of the same size. Writes rows x length elements of each.
using ElementFunction = void (*)(void *const *pointers, int64_t rows,
                                 int64_t length);

/// The loop's function for this processor. Errors: those of the compiler.
llvm::Expected<ElementFunction> compileLoop(const ElementLoop &loop,
                                            kernels::Jit &jit);

} // namespace assay::engine
