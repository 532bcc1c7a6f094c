/// Tensors as the StableHLO interpreter prints them.
#pragma once

#include "assay/tensor/Tensor.h"
#include "llvm/Support/raw_ostream.h"

namespace assay::program {

/// `tensor<2x2xi8> {` newline, one indented line a row, nested brackets, `}`;
/// rank 0: `tensor<ui8> {1}`; complex: [re, im].
void printTensor(llvm::raw_ostream &os, const tensor::Tensor &tensor);

/// `dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>`: a literal that parses back to the
/// same bits; where all elements are the same, `dense<1> : tensor<2x2xi8>`.
void printDense(llvm::raw_ostream &os, const tensor::Tensor &tensor);

} // namespace assay::program
