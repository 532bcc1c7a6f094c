// Element kinds: decides which element types each operand accepts.
//
// The generated operand checks call isTensorOf with a mask of kinds, so a
// constraint costs one line of .td and one call.
#include "assay/dialect/ElementKinds.h"

#include "assay/dialect/Stablehlo.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace assay::stablehlo {

using namespace mlir;

static unsigned integerKind(IntegerType type) {
  unsigned width = type.getWidth();
  if (width == 1 && type.isSignless())
    return kPred;
  bool isPowerOfTwo = width >= 2 && width <= 64 && (width & (width - 1)) == 0;
  return isPowerOfTwo && !type.isSigned() ? unsigned(kInt) : 0;
}

/// Excludes MLIR's floats that StableHLO lacks.
static bool isSupportedFloat(Type type) {
  return isa<FloatType>(type) &&
         !isa<FloatTF32Type, Float80Type, Float128Type>(type);
}

unsigned elementKind(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integerKind(integer);
  if (isSupportedFloat(type))
    return kFloat;
  if (auto complex = dyn_cast<ComplexType>(type))
    return isa<Float32Type, Float64Type>(complex.getElementType())
               ? unsigned(kComplex)
               : 0;
  if (isa<IndexType>(type))
    return kIndex;
  if (isa<quant::UniformQuantizedType>(type))
    return kQuantPerTensor;
  return isa<quant::UniformQuantizedPerAxisType>(type) ? unsigned(kQuantPerAxis)
                                                       : 0;
}

/// Checks that zero points are numbers of the storage type and that a quantized
/// axis exists and has a scale for each index. quantized_element_type_c8, c12,
/// c13
static bool isSound(RankedTensorType tensor) {
  auto element = dyn_cast<quant::QuantizedType>(tensor.getElementType());
  if (!element)
    return true;
  // MLIR's `i8` and `u8` are the specification's si8 and ui8.
  if (element.getStorageType().isSignedInteger())
    return false;
  auto isStored = [&](int64_t zero) {
    return zero >= element.getStorageTypeMin() &&
           zero <= element.getStorageTypeMax();
  };
  if (auto uniform = dyn_cast<quant::UniformQuantizedType>(element))
    return isStored(uniform.getZeroPoint());
  auto perAxis = cast<quant::UniformQuantizedPerAxisType>(element);
  int64_t axis = perAxis.getQuantizedDimension();
  if (axis < 0 || axis >= tensor.getRank() ||
      !llvm::all_of(perAxis.getZeroPoints(), isStored))
    return false;
  return tensor.isDynamicDim(axis) ||
         tensor.getDimSize(axis) ==
             static_cast<int64_t>(perAxis.getScales().size());
}

bool isTensorOf(Type type, unsigned kinds) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && (elementKind(tensor.getElementType()) & kinds) &&
         isSound(tensor);
}

bool isScalarOf(Type type, unsigned kinds) {
  return isTensorOf(type, kinds) && cast<RankedTensorType>(type).getRank() == 0;
}

bool isVectorOf(Type type, unsigned kinds) {
  return isTensorOf(type, kinds) && cast<RankedTensorType>(type).getRank() == 1;
}

bool isI32Scalar(Type type) {
  return isScalarOf(type, kInt) &&
         cast<RankedTensorType>(type).getElementType().isSignlessInteger(32);
}

bool isUI32Scalar(Type type) {
  return isScalarOf(type, kInt) &&
         cast<RankedTensorType>(type).getElementType().isUnsignedInteger(32);
}

bool isFlowType(Type type) {
  return isTensorOf(type, kAnyElement | kQuant) ||
         isa<TokenType, MemRefType>(type);
}

bool isValueType(Type type) {
  // Type aliases can nest tuples without limit and repeat them, so each type is
  // visited once, without recursion.
  llvm::SmallPtrSet<Type, 8> seen;
  SmallVector<Type> pending{type};
  while (!pending.empty()) {
    Type next = pending.pop_back_val();
    auto tuple = dyn_cast<TupleType>(next);
    // An unranked tensor may be an operand of a custom call, but does not run.
    if (!tuple && !isFlowType(next) &&
        !isa<FutureType, UnrankedTensorType>(next))
      return false;
    if (tuple && seen.insert(next).second)
      llvm::append_range(pending, tuple.getTypes());
  }
  return true;
}

bool isReplicaGroups(Attribute attribute) {
  if (isa<ReplicaGroupMeshAxesAttr>(attribute))
    return true;
  auto table = dyn_cast<DenseIntElementsAttr>(attribute);
  return table && table.getElementType().isSignlessInteger(64) &&
         table.getType().getRank() == 2;
}

} // namespace assay::stablehlo
