/// Operations that scale and shift each channel after a convolution, where they
/// can be moved into the filter:
///   (conv(x, w) - m) s + b = conv(x, w s) + (b - m s)
#pragma once

#include "assay/dialect/Stablehlo.h"
#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace assay::reference {

/// A chain of f32 multiplications, divisions, additions and subtractions after
/// a convolution. Each is the only reader of the value before it; its other
/// operand is one number per channel of the result.
struct ChannelScale {
  struct Link {
    mlir::Operation *op;
    mlir::Value channels; ///< one element in all, or one per channel
  };
  stablehlo::ConvolutionOp convolution;
  llvm::SmallVector<Link, 4> links;
  int factors = 0; ///< multiplications and divisions, at least one
};

/// The chains in the entry blocks of public functions whose filter and channel
/// values do not change from run to run. That holds if they are computed from
/// constants; with `argumentsStay` also from arguments (for channel values only
/// from vectors, because arguments of other ranks may as well be inputs as
/// parameters).
std::vector<ChannelScale> channelScales(mlir::ModuleOp module,
                                        bool argumentsStay);

} // namespace assay::reference
