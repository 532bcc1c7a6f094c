/// The stablehlo dialect in bytecode. Private to the dialects.
#pragma once

#include "assay/dialect/BytecodeFields.h"

namespace assay::stablehlo {

/// Lets bytecode hold the dialect's attributes and types as upstream does.
void addBytecode(mlir::Dialect &dialect);

/// The fields of result_accuracy, which VHLO has too; null after a message.
mlir::Attribute readAccuracy(bytecode::Fields &in);
/// Reads output_operand_alias.
mlir::Attribute readAlias(bytecode::Fields &in);

/// Reads what has one of the codes of meshes, axes and groups that name them; none:
/// the code is of something else.
std::optional<mlir::Attribute> readOfMesh(uint64_t code, bytecode::Fields &in);
/// Writes such an attribute; failure: it is another one.
mlir::LogicalResult writeOfMesh(mlir::Attribute attr,
                                mlir::DialectBytecodeWriter &writer);

} // namespace assay::stablehlo
