/// Quantised element types: integers (the storage) that stand for floats (the
/// expressed values), with one scale and zero point for the tensor or one for
/// each index of an axis. Source: StableHLO specification, "Quantized element
/// types" and "Quantization computations".
#pragma once

#include "assay/numerics/ElementType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace assay::numerics {

struct QuantizationParameters {
  std::string text; ///< MLIR's spelling: !quant.uniform<i8:f32, 0.1:-30>
  ElementType expressed;
  int64_t axis = -1; ///< -1: one scale and zero point for the tensor
  llvm::SmallVector<double, 1> scales;
  llvm::SmallVector<int64_t, 1> zeroPoints;
  int64_t storageMin = 0, storageMax = 0;
};

/// The one copy of these parameters in the process, found by their text and
/// never freed: equal types have equal pointers, and a tensor may outlive the
/// program that it came from. Threads: any.
const QuantizationParameters *
internQuantization(QuantizationParameters parameters);

/// The type of the integers that a quantised type is stored as; the type
/// itself where it is not quantised.
inline ElementType storageOf(ElementType type) {
  type.quantization = nullptr;
  return type;
}
/// The float type whose values a quantised type stands for; the type itself
/// where it is not quantised.
inline ElementType expressedOf(ElementType type) {
  return type.quantization ? type.quantization->expressed : type;
}

/// target[i] = (source[i] - zero point) * scale, in `floats`: the expressed
/// type or a wider one (a shadow). The difference is exact, so that it cannot
/// wrap in a narrow storage type, then rounded once; the product is rounded
/// once.
void dequantizeArray(ElementType type, llvm::ArrayRef<int64_t> shape,
                     const void *source, ElementType floats, void *target);

/// target[i] = round_nearest_even(clamp(min, source[i] / scale + zero point,
/// max)), each step rounded to the expressed type; NaN gives the storage value
/// nearest to 0.
void quantizeArray(ElementType type, llvm::ArrayRef<int64_t> shape,
                   const void *source, void *target);

} // namespace assay::numerics
