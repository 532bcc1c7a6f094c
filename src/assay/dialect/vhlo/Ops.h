/// The table of VHLO's operations. Private to the dialect.
#pragma once

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Dialect.h"
#include "llvm/ADT/SmallVector.h"

namespace assay::vhlo {

void registerOps(mlir::Dialect &dialect);

/// One version of an operation: "vhlo.cosine_v2".
struct Row {
  llvm::StringLiteral name;
  /// The first version of VHLO that has this version of the operation.
  llvm::StringLiteral since;
  /// The names of its attributes, separated by one blank.
  llvm::StringLiteral attributes;

  llvm::SmallVector<llvm::StringRef> attributeNames() const;
};

/// All versions of an operation such as "cosine", the oldest first.
llvm::SmallVector<const Row *> rowsOf(llvm::StringRef stem);

/// "vhlo.add_v1" without dialect and version; empty for other names.
llvm::StringRef stemOf(llvm::StringRef name);

/// The name under which comparison type WEAKORDER is read, because the
/// StableHLO enumeration here does not have it; and its number in bytecode.
inline constexpr llvm::StringLiteral kWeakOrderName = "WEAKORDER";
inline constexpr uint64_t kWeakOrderNumber = 5;

/// Whether a `vhlo.compare` has that type.
bool isWeakOrder(mlir::Operation *op);

/// Replaces it by comparisons of type FLOAT. Errors: a diagnostic if it does
/// not compare floats.
mlir::LogicalResult expandWeakOrder(mlir::Operation *op);

/// The properties of an operation that is written: the values of its row's
/// attributes. An operation that was read has plain attributes instead.
struct Values {
  llvm::SmallVector<mlir::Attribute> list;
  bool operator==(const Values &) const = default;
};

} // namespace assay::vhlo
