/// A caller's own functions for stablehlo.custom_call, by target. They take
/// precedence over those of the engine.
#pragma once

#include "assay/tensor/Tensor.h"
#include "mlir/IR/Operation.h"

#include <functional>
#include <map>
#include <string>

namespace assay::program {

/// Receives dense operands and writes results that the executor has allocated.
using CustomFunction = std::function<llvm::Error(
    mlir::Operation *op, llvm::ArrayRef<tensor::Tensor> operands,
    llvm::MutableArrayRef<tensor::Tensor *> results)>;

using CustomFunctions = std::map<std::string, CustomFunction, std::less<>>;

} // namespace assay::program
