/// The programs of drivers binary, prelu and shuffle as StableHLO
/// operations, forward and backward.
#pragma once

#include "assay/program/Builder.h"

namespace assay::formulas {

/// x with its dimensions of size 1 repeated up to `shape`, which has x's rank;
/// x itself where the shapes are equal.
mlir::Value spread(program::Builder &builder, mlir::Value x,
                   program::DimsRef shape);
/// The reverse: x summed over the dimensions that `shape` has with size 1.
mlir::Value sumTo(program::Builder &builder, mlir::Value x,
                  program::DimsRef shape);

/// The operations of driver binary and of binary post-ops: add sub mul div max
/// min, and eq ne ge gt le lt, which are 1 or 0. "select" is not among them.
bool isBinaryFunction(llvm::StringRef name);
/// Shapes:   both equal to the result's
/// Types:    both f32 or both f64
mlir::Value binaryForward(program::Builder &builder, llvm::StringRef name,
                          mlir::Value a, mlir::Value b);

/// Formula:  src where src > 0, else src * wei
/// Shapes:   wei has src's rank; its dimensions of size 1 are repeated
mlir::Value preluForward(program::Builder &builder, mlir::Value src,
                         mlir::Value wei);
struct PreluBackward {
  mlir::Value diffSrc, diffWei;
};
/// Formula:  diffSrc = diffDst * (src > 0 ? 1 : wei)
///           diffWei = sum of min(src, 0) * diffDst over a weight's elements
PreluBackward preluBackward(program::Builder &builder, mlir::Value src,
                            mlir::Value wei, mlir::Value diffDst);

/// The elements along `axis` as the rows of a matrix, transposed.
/// Formula:  element r * (size / rows) + c goes to c * rows + r
mlir::Value shuffle(program::Builder &builder, mlir::Value x, int64_t axis,
                    int64_t rows);

} // namespace assay::formulas
