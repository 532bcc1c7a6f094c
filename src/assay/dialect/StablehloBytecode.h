/// The stablehlo dialect in bytecode. Private to the dialects.
#pragma once

#include "assay/dialect/BytecodeFields.h"

namespace assay::stablehlo {

/// Lets bytecode contain the dialect's attributes and types in upstream's
/// encoding.
void addBytecode(mlir::Dialect &dialect);

/// Reads the fields of result_accuracy, which VHLO also has; reports an error
/// and returns null if they are wrong.
mlir::Attribute readAccuracy(bytecode::Fields &in);
/// Reads output_operand_alias.
mlir::Attribute readAlias(bytecode::Fields &in);

/// Reads an attribute whose code is that of meshes, axes or groups that name
/// them; nullopt for other codes.
std::optional<mlir::Attribute> readOfMesh(uint64_t code, bytecode::Fields &in);
/// Writes such an attribute; failure for other attributes.
mlir::LogicalResult writeOfMesh(mlir::Attribute attr,
                                mlir::DialectBytecodeWriter &writer);

} // namespace assay::stablehlo
