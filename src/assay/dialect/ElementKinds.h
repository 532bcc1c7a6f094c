/// Element kinds: the classes of element types that operands are made of, as a
/// bit mask that the .td files name.
#pragma once

#include "mlir/IR/BuiltinTypes.h"

namespace assay::stablehlo {

enum ElementKind : unsigned {
  kPred = 1 << 0, // i1
  kInt = 1 << 1, // i2 i4 i8 i16 i32 i64 and ui2 ... ui64; a signless integer is
                 // signed
  kFloat = 1 << 2,          // the 15 floating-point types, f4E2M1FN to f64
  kComplex = 1 << 3,        // complex<f32>, complex<f64>
  kQuantPerTensor = 1 << 4, // !quant.uniform with one scale
  kQuantPerAxis = 1 << 5,   // !quant.uniform with a scale per index of an axis
  kIndex = 1 << 6,          // index, in shape operands
  kQuant = kQuantPerTensor | kQuantPerAxis,
  kAnyElement = kPred | kInt | kFloat | kComplex,
};

/// The kind of an element type; 0 if the dialect has no such element.
unsigned elementKind(mlir::Type type);
/// A ranked tensor whose element kind is in `kinds`.
bool isTensorOf(mlir::Type type, unsigned kinds);
/// As isTensorOf, of rank 0.
bool isScalarOf(mlir::Type type, unsigned kinds);
/// As isTensorOf, of rank 1.
bool isVectorOf(mlir::Type type, unsigned kinds);
/// tensor<i32>, tensor<ui32>.
bool isI32Scalar(mlir::Type type);
bool isUI32Scalar(mlir::Type type);
/// A tensor, token or buffer: what control flow may carry.
bool isFlowType(mlir::Type type);
/// A flow type or a (nested) tuple of them.
bool isValueType(mlir::Type type);
/// A 2-dimensional table of i64, or #stablehlo.replica_group_mesh_axes.
bool isReplicaGroups(mlir::Attribute attribute);

} // namespace assay::stablehlo
