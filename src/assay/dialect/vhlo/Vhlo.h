/// Portable artifacts: MLIR bytecode of VHLO, the versioned form of StableHLO
/// that jax.export and other exporters write. Types and attributes become those
/// of StableHLO while they are read; operations (Ops.def) do when legalizeVhlo()
/// is called, of whatever version they are: an attribute that an old version
/// lacks has its default. serialize() writes them.
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

/// Makes every `vhlo.NAME_vN` the operation `stablehlo.NAME` (func.func,
/// func.call, func.return), in place. Errors: diagnostics at the operation, for
/// what StableHLO here does not know
mlir::LogicalResult legalizeVhlo(mlir::ModuleOp module);

/// Writes a program of stablehlo and func as a portable artifact of a version;
/// without one, of the oldest from 1.0.0 on that has all of the program.
/// Errors: one diagnostic, at the operation that VHLO or the version lacks
mlir::LogicalResult serialize(mlir::ModuleOp module,
                              std::optional<Version> target,
                              llvm::raw_ostream &os);

/// legalizeVhlo() as the pass --vhlo-legalize-to-stablehlo.
void registerPasses();

} // namespace assay::vhlo
