/// Contractions as StableHLO programs: factors less their zero points, one
/// product (a dot or a convolution; backward passes are the convolution that
/// computes them), scales, bias, post-ops and the rounding into the
/// destination's type, all in f32 (f64 for f64 problems; sums of integers in
/// i32). And the reverse: the scales, bias and post-ops around a product of any
/// program.
#pragma once

#include "assay/verify/Driver.h"

namespace assay::verify {

/// The program and the bindings of a problem whose sums are `c`. The location
/// of every operation names the part that it belongs to: "product",
/// "scale_src", "bia", "post_op_0", "store".
/// Errors: those of program::Builder::finish.
llvm::Expected<BoundProgram> contractionProgram(const Problem &problem,
                                                const judge::Case &c);

/// A product in a program with the operations around it.
struct FoundContraction {
  mlir::Operation *product = nullptr; ///< dot_general or convolution
  int a = -1, b = -1;                 ///< arguments that are its operands
  int bias = -1;                      ///< argument that is added to its result
  int result = 0;                     ///< of the function
  int biasGradient = -1;
  Attributes attributes;
};

/// The only product between arguments and a result, where every other operation
/// is explained. nullopt if there is none, or several.
std::optional<FoundContraction> findContraction(const BoundProgram &bound);

/// The problem's parts that all contractions share: types, tags, strides, bias,
/// attributes, direction, algorithm, name.
Problem sharedParts(const Driver &driver, const BoundProgram &bound,
                    const FoundContraction &found);

/// The sizes of an argument.
Dims dimsOfArgument(const BoundProgram &bound, int argument);

/// The sizes of the argument or result with one of these roles; empty: none.
Dims dimsOfRole(const BoundProgram &bound,
                std::initializer_list<llvm::StringRef> roles);

} // namespace assay::verify
