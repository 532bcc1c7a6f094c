/// Defaults of attributes: omitted in StableHLO, written out in VHLO. Private
/// to the dialect.
#pragma once

#include "mlir/IR/Attributes.h"
#include "mlir/IR/OperationSupport.h"

namespace assay::vhlo {

/// The default of an attribute of the operation `stem` ("convolution") with
/// this number of `windows`; null if it has no default.
mlir::Attribute makeDefault(llvm::StringRef stem, llvm::StringRef name,
                            int64_t windows, mlir::MLIRContext *context);

/// Whether a value, in StableHLO's or VHLO's form, is that default.
bool isDefault(llvm::StringRef stem, llvm::StringRef name,
               mlir::Attribute value);

} // namespace assay::vhlo
