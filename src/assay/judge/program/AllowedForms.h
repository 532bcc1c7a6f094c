/// The allowances that the forms written onto operations (CommonForms.h) add to their
/// bounds.
#pragma once

#include "assay/judge/program/ErrorTracker.h"

namespace assay::judge {

/// The errors of an operation's result, widened by the accuracy of a function
/// that it ends, by terms that may be scaled before they are subtracted, and by a
/// sum that may begin with the other term.
Errors allowForms(mlir::Operation *op, llvm::ArrayRef<program::Value *> operands,
                  const program::Value &result, Errors errors);

} // namespace assay::judge
