/// Shape inference: result shapes from operand shapes and attributes, with all
/// constraints of the specification on them. The verifiers call it with the
/// shapes in types; an executor may call it with run-time shapes.
///
/// A dimension may be mlir::ShapedType::kDynamic, and is then dynamic in the
/// result. Sizes are computed with overflow checks. Errors go to `error`, which
/// makes a diagnostic (for example [&] { return op->emitOpError(); }).
#pragma once

#include "assay/dialect/StablehloAttrs.h"

#include <optional>

namespace assay::stablehlo {

using Dims = llvm::SmallVector<int64_t>;
using Shape = llvm::ArrayRef<int64_t>;
using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// One dimension of a window that slides over a base; the defaults are those of
/// the specification.
struct WindowDim {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t padLow = 0;
  int64_t padHigh = 0;
  int64_t baseDilation = 1;
  int64_t windowDilation = 1;
};

/// Number of elements; nullopt if a dimension is dynamic; an error if it
/// exceeds 63 bits.
mlir::FailureOr<std::optional<int64_t>> countElements(Shape shape,
                                                      EmitError error);

/// Positions of a window:
/// padded < dilated window ? 0 : (padded - dilated window) / stride + 1.
mlir::FailureOr<int64_t> countWindows(int64_t base, const WindowDim &window,
                                      EmitError error);

/// ceil((limit - start) / stride) in each dimension. slice_c2 to c5.
mlir::FailureOr<Dims> inferSlice(Shape operand, Shape starts, Shape limits,
                                 Shape strides, EmitError error);
/// operand + low + max(operand - 1, 0) * interior + high. pad_c2 to c4.
mlir::FailureOr<Dims> inferPad(Shape operand, Shape low, Shape high,
                               Shape interior, EmitError error);
/// The sum of sizes along `dimension`. concatenate_c2 to c6.
mlir::FailureOr<Dims> inferConcatenate(llvm::ArrayRef<Shape> inputs,
                                       int64_t dimension, EmitError error);
/// operand[permutation[i]]. transpose_c2, c3.
mlir::FailureOr<Dims> inferTranspose(Shape operand, Shape permutation,
                                     EmitError error);
/// Batch dimensions, then the free dimensions of lhs, then of rhs.
/// dot_general_c1 to c12.
mlir::FailureOr<Dims> inferDotGeneral(Shape lhs, Shape rhs,
                                      DotDimensionNumbersAttr dims,
                                      EmitError error);
/// The shape of a convolution. convolution_c1 to c26. The sizes of `windows`
/// are taken from rhs.
mlir::FailureOr<Dims> inferConvolution(Shape lhs, Shape rhs,
                                       ConvDimensionNumbersAttr dims,
                                       llvm::MutableArrayRef<WindowDim> windows,
                                       int64_t featureGroups,
                                       int64_t batchGroups, EmitError error);
/// The input's dimensions without `dimensions`. reduce_c4, c5, c7.
mlir::FailureOr<Dims> inferReduce(Shape input, Shape dimensions,
                                  EmitError error);
/// countWindows in each dimension. reduce_window_c15, select_and_scatter_c2.
mlir::FailureOr<Dims>
inferWindows(Shape base, llvm::ArrayRef<WindowDim> windows, EmitError error);
/// The batch dimensions of the indices and those of the slice, interleaved.
/// gather_c1 to c22.
mlir::FailureOr<Dims> inferGather(Shape operand, Shape startIndices,
                                  GatherDimensionNumbersAttr dims,
                                  Shape sliceSizes, EmitError error);
/// Checks updates against inputs and indices. scatter_c2 to c22.
mlir::LogicalResult checkScatter(Shape input, Shape indices, Shape updates,
                                 ScatterDimensionNumbersAttr dims,
                                 EmitError error);
/// The operand's shape, but with n/2+1 as the last dimension for RFFT, and the
/// reverse for IRFFT. fft_c1, c3 to c5.
mlir::FailureOr<Dims> inferFft(Shape operand, FftType type, Shape length,
                               EmitError error);

} // namespace assay::stablehlo
