/// A part of a program that is offered to an engine that knows whole problems
/// (a library behind the plugin interface): a problem in the syntax of
/// `verify`, its tensors, and the values of the program that they are.
#pragma once

#include "assay/engine/Worker.h"
#include "assay/tensor/Tensor.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <functional>
#include <string>
#include <vector>

namespace assay::engine {

/// One tensor of an offered problem and the program's value that it stands for.
/// Element i of `shape` is i . programStrides elements into the value (which is
/// dense and row-major) and i . problemStrides into the problem's tensor.
struct OfferTensor {
  TensorDescription description; ///< as the engine sees it
  mlir::Value value;             ///< the value that is read, or, for an output,
                                 ///< made
  tensor::Shape shape, programStrides, problemStrides;
  int64_t widthBytes = 0; ///< of an element, the same in the program and the
                          ///< problem
};

/// One problem found in a program.
struct Offer {
  std::string driver; ///< "matmul"
  std::string json;   ///< the plugin interface's problem_json
  std::string words;  ///< "--matmul --dt=f32 4x8:8x2", for repro lines
  std::vector<OfferTensor> tensors; ///< inputs first
  /// The operations that the problem computes, in program order, all in one
  /// block. Only the values of the last have readers outside of them.
  llvm::SmallVector<mlir::Operation *, 4> covered;
};

/// The problems whose main operation is the given one, the one that covers most
/// operations first (product with bias and activation, product with bias,
/// product). An engine computes the first that it does not refuse. Empty: the
/// syntax of `verify` cannot describe the operation.
using Recogniser = std::function<std::vector<Offer>(mlir::Operation *)>;

} // namespace assay::engine
