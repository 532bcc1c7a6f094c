/// Prints tensors like the StableHLO interpreter.
#pragma once

#include "assay/tensor/Tensor.h"
#include "llvm/Support/raw_ostream.h"

namespace assay::program {

/// `tensor<2x2xi8> {` and a newline, one indented line per row, nested
/// brackets, `}`; rank 0: `tensor<ui8> {1}`; complex: [re, im].
void printTensor(llvm::raw_ostream &os, const tensor::Tensor &tensor);

/// `dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>`: a literal that parses to the
/// same bits; `dense<1> : tensor<2x2xi8>` where all elements are the same.
void printDense(llvm::raw_ostream &os, const tensor::Tensor &tensor);

} // namespace assay::program
