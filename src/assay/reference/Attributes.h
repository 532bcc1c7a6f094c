/// Reads an operation's attributes while a plan is made: integers, flags and
/// lists, under the specification's names.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace assay::reference {

using Ints = llvm::SmallVector<int64_t, 6>;

/// array<i64>, array<i1> or dense integers, flattened row-major; `fallback`
/// repeated `count` times when absent.
inline Ints intsOf(mlir::Operation *op, llvm::StringRef name, int64_t count = 0,
                   int64_t fallback = 0) {
  mlir::Attribute attribute = op->getAttr(name);
  if (auto array = mlir::dyn_cast_or_null<mlir::DenseI64ArrayAttr>(attribute))
    return Ints(array.asArrayRef().begin(), array.asArrayRef().end());
  if (auto array = mlir::dyn_cast_or_null<mlir::DenseBoolArrayAttr>(attribute))
    return Ints(array.asArrayRef().begin(), array.asArrayRef().end());
  if (auto dense =
          mlir::dyn_cast_or_null<mlir::DenseIntElementsAttr>(attribute)) {
    Ints values;
    for (const llvm::APInt &value : dense.getValues<llvm::APInt>())
      values.push_back(value.getBitWidth() == 1
                           ? static_cast<int64_t>(value.getZExtValue())
                           : value.getSExtValue());
    return values;
  }
  return Ints(static_cast<size_t>(count), fallback);
}

inline int64_t intOf(mlir::Operation *op, llvm::StringRef name,
                     int64_t fallback = 0) {
  if (auto integer = op->getAttrOfType<mlir::IntegerAttr>(name))
    return integer.getType().isUnsignedInteger() ||
                   integer.getType().isInteger(1)
               ? static_cast<int64_t>(integer.getValue().getZExtValue())
               : integer.getValue().getSExtValue();
  return fallback;
}

inline bool flagOf(mlir::Operation *op, llvm::StringRef name,
                   bool fallback = false) {
  if (auto boolean = op->getAttrOfType<mlir::BoolAttr>(name))
    return boolean.getValue();
  return op->getAttrOfType<mlir::UnitAttr>(name) ? true : fallback;
}

inline llvm::StringRef stringOf(mlir::Operation *op, llvm::StringRef name) {
  auto string = op->getAttrOfType<mlir::StringAttr>(name);
  return string ? string.getValue() : llvm::StringRef();
}

} // namespace assay::reference
