/// The elementwise functions of the problem grammar as StableHLO operations:
/// forward and their slopes, for driver eltwise and for post-ops.
#pragma once

#include "assay/program/Builder.h"

namespace assay::formulas {

/// One elementwise function with its two numbers, in benchdnn's syntax.
struct EltwiseFunction {
  std::string name; ///< relu, gelu_erf, tanh_dst, ...
  double alpha = 0, beta = 0;

  /// The name without "_dst".
  llvm::StringRef stem() const;
  /// The backward pass starts from dst, not from src.
  bool usesDst() const { return llvm::StringRef(name).ends_with("_dst"); }
};

/// The names of the grammar; "srelu" is soft_relu.
llvm::ArrayRef<llvm::StringRef> eltwiseNames();
bool isEltwiseFunction(llvm::StringRef name);
/// Whether alpha (beta) changes the function's value, or its slope.
bool usesAlpha(llvm::StringRef name);
bool usesBeta(llvm::StringRef name, bool backward = false);

/// Why the function is not allowed for this pass, or empty: clip with alpha
/// above beta, a negative alpha where dst must have the sign of src, round
/// backward.
std::string eltwiseContradiction(const EltwiseFunction &function,
                                 bool backward);

/// f(x), elementwise.
/// Formula:  the table "Forward formula" of oneDNN's developer guide, Eltwise
/// Types:    x f32 or f64; alpha and beta are rounded to f32 first
/// Note:     soft_relu and mish use max(v, 0) + log1p(exp(-|v|)), which does
///           not overflow
mlir::Value eltwiseForward(program::Builder &builder,
                           const EltwiseFunction &function, mlir::Value x);

/// f'(data), where data is src, or dst for the "_dst" functions.
/// Formula:  the tables "Backward formula" of the same page; mish as
///           tanh(sp) + x * logistic(x) * (1 - tanh(sp)^2), sp = soft_relu(x);
///           pow with beta 0 is 0
/// Types:    f32 or f64
mlir::Value eltwiseSlope(program::Builder &builder,
                         const EltwiseFunction &function, mlir::Value data);

} // namespace assay::formulas
