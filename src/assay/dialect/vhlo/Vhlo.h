/// Portable artifacts: MLIR bytecode of VHLO, the versioned form of StableHLO
/// that jax.export and other exporters write. Types and attributes are
/// converted to StableHLO while they are read; legalizeVhlo() converts the
/// operations (Ops.def), of whatever version: an attribute that an old version
/// lacks gets its default. serialize() writes artifacts.
/// Source: openxla/stablehlo docs/vhlo.md and docs/bytecode.md; the codes are
/// those of VhloBytecode, which never change.
#pragma once

#include "assay/dialect/vhlo/Version.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"

namespace assay::vhlo {

class VhloDialect : public mlir::Dialect {
public:
  explicit VhloDialect(mlir::MLIRContext *context);
  static llvm::StringRef getDialectNamespace() { return "vhlo"; }
};

/// Converts every `vhlo.NAME_vN` to the operation `stablehlo.NAME` (func.func,
/// func.call, func.return), in place. Errors: a diagnostic at an operation that
/// the stablehlo dialect here does not have
mlir::LogicalResult legalizeVhlo(mlir::ModuleOp module);

/// Writes a program of stablehlo and func as a portable artifact of the given
/// version; without one, of the oldest version from 1.0.0 on that supports the
/// whole program. Errors: one diagnostic, at the operation that VHLO or the
/// version lacks
mlir::LogicalResult serialize(mlir::ModuleOp module,
                              std::optional<Version> target,
                              llvm::raw_ostream &os);

/// Registers legalizeVhlo() as the pass --vhlo-legalize-to-stablehlo.
void registerPasses();

} // namespace assay::vhlo
