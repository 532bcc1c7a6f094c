/// What scales and shifts each channel behind a convolution, where it can be part of
/// the filter: (conv(x, w) - m) s + b = conv(x, w s) + (b - m s).
#pragma once

#include "assay/dialect/Stablehlo.h"
#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace assay::reference {

/// A chain of f32 multiplications, divisions, additions and subtractions behind a
/// convolution. Each is the only reader of the value before it; the other operand is
/// one number per channel of the result.
struct ChannelScale {
  struct Link {
    mlir::Operation *op;
    mlir::Value channels; ///< one element, or one for each channel
  };
  stablehlo::ConvolutionOp convolution;
  llvm::SmallVector<Link, 4> links;
  int factors = 0; ///< multiplications and divisions, at least one
};

/// The chains in the entry blocks of public functions whose filter and channel
/// values stay the same from run to run: they are computed from constants and, with
/// `argumentsStay`, from arguments (channel values: from vectors alone, since
/// arguments of other ranks are inputs as often as parameters).
std::vector<ChannelScale> channelScales(mlir::ModuleOp module,
                                        bool argumentsStay);

} // namespace assay::reference
