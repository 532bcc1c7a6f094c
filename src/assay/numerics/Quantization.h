/// Quantised element types: stored integers that stand for floats (the
/// expressed values), with one scale and zero point for the whole tensor or for
/// each index of an axis. Source: StableHLO specification, "Quantized element
/// types" and "Quantization computations".
#pragma once

#include "assay/numerics/ElementType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace assay::numerics {

struct QuantizationParameters {
  std::string text; ///< MLIR's name: !quant.uniform<i8:f32, 0.1:-30>
  ElementType expressed;
  int64_t axis = -1; ///< -1: one scale and zero point for the tensor
  llvm::SmallVector<double, 1> scales;
  llvm::SmallVector<int64_t, 1> zeroPoints;
  int64_t storageMin = 0, storageMax = 0;
};

/// The only copy of these parameters in the process, looked up by their text
/// and never freed. So equal types have equal pointers, and a tensor may
/// outlive its program. Threads: any.
const QuantizationParameters *
internQuantization(QuantizationParameters parameters);

/// The integer type in which a quantised type is stored; other types are
/// returned unchanged.
inline ElementType storageOf(ElementType type) {
  type.quantization = nullptr;
  return type;
}
/// The float type whose values a quantised type represents; other types are
/// returned unchanged.
inline ElementType expressedOf(ElementType type) {
  return type.quantization ? type.quantization->expressed : type;
}

/// target[i] = (source[i] - zero point) * scale, computed in `floats`: the
/// expressed type or a wider one (for a shadow). The difference is computed
/// exactly, so that it cannot wrap in a narrow storage type, and rounded once;
/// the product is rounded once.
void dequantizeArray(ElementType type, llvm::ArrayRef<int64_t> shape,
                     const void *source, ElementType floats, void *target);

/// target[i] = round_nearest_even(clamp(min, source[i] / scale + zero point,
/// max)), each step rounded to the expressed type; NaN becomes the storage
/// value nearest to 0.
void quantizeArray(ElementType type, llvm::ArrayRef<int64_t> shape,
                   const void *source, void *target);

} // namespace assay::numerics
