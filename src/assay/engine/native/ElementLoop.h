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

/// The operations of a compiled loop, on f32 and truth values. Its functions
/// follow those of VectorMath.h step by step, so that they give the same bits.
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
/// values where the operation has them. `quick`: its functions may be those of
/// VectorMath.h.
std::optional<ElementOp> elementOpOf(mlir::Operation *op, bool quick);

/// How a loop over rows of elements reads an input: one value per element, one
/// for all, one per row, or one row of elements for all rows.
enum class ElementReads : uint8_t { Each, One, OneARow, ARow };

/// Values are numbered: first the inputs, then one per node.
struct ElementLoop {
  struct Node {
    ElementOp op;
    llvm::SmallVector<int, 3> inputs;
  };
  std::vector<bool> inputIsTruth;  ///< one byte each, else f32
  std::vector<ElementReads> reads; ///< by input; empty: Each
  std::vector<Node> nodes;
  std::vector<int> outputs;
  /// Whether a vector of columns is processed down all rows, so that inputs of
  /// ARow stay in registers. Otherwise rows are processed one by one, and
  /// inputs of OneARow stay in registers.
  bool columnsOutside = false;

  bool isTruth(int value) const;
  ElementReads readsOf(size_t input) const {
    return input < reads.size() ? reads[input] : ElementReads::Each;
  }
  /// Equal loops have equal texts.
  std::string text() const;
};

/// pointers: those of the inputs, then of the outputs. An output may be an
/// input that is read as Each and has elements of the same size. Writes rows x
/// length elements of each output.
using ElementFunction = void (*)(void *const *pointers, int64_t rows,
                                 int64_t length);

/// The loop's function for this processor. Errors: those of the compiler.
llvm::Expected<ElementFunction> compileLoop(const ElementLoop &loop,
                                            kernels::Jit &jit);

} // namespace assay::engine
