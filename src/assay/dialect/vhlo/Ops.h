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
  /// The first version of VHLO that has it.
  llvm::StringLiteral since;
  /// Names, one blank between two.
  llvm::StringLiteral attributes;

  llvm::SmallVector<llvm::StringRef> attributeNames() const;
};

/// The versions of "cosine", the oldest first.
llvm::SmallVector<const Row *> rowsOf(llvm::StringRef stem);

/// "vhlo.add_v1" without dialect and version; empty for other names.
llvm::StringRef stemOf(llvm::StringRef name);

/// What WEAKORDER, a comparison type that has no place in StableHLO's enumeration
/// here, is read as; its number in bytecode.
inline constexpr llvm::StringLiteral kWeakOrderName = "WEAKORDER";
inline constexpr uint64_t kWeakOrderNumber = 5;

/// Whether a `vhlo.compare` has that type.
bool isWeakOrder(mlir::Operation *op);

/// Puts comparisons of type FLOAT in its place. Errors: a diagnostic, where it
/// compares no floats.
mlir::LogicalResult expandWeakOrder(mlir::Operation *op);

/// The properties of an operation to write: the values of its
/// row's attributes. One that was read has plain attributes instead.
struct Values {
  llvm::SmallVector<mlir::Attribute> list;
  bool operator==(const Values &) const = default;
};

} // namespace assay::vhlo
