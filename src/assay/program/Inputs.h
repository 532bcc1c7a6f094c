/// The arguments of a run, from what the user wrote (docs/cli.md, SPEC): a
/// tensor file, a literal, random, zeros, iota.
#pragma once

#include "assay/program/Program.h"

namespace assay::program {

/// One tensor for each parameter of the function. One spec for all: an .npz
/// file (members in0, in1, ...) or `random`; otherwise one spec an argument.
/// `seed` serves `random` without a seed of its own. Errors: InvalidArgument
/// with the argument's number, its type, and what was given.
llvm::Expected<std::vector<tensor::Tensor>>
makeInputs(const Program &program, mlir::func::FuncOp function,
           llvm::ArrayRef<std::string> specs, uint64_t seed);

/// Counter-based values, keyed by seed, argument number and element: standard
/// normal for floats and the parts of complex numbers, the whole range for
/// integers of up to 8 bits, -1000 to 1000 (0 to 1000) above, fair coins for
/// i1.
llvm::Expected<tensor::Tensor> randomTensor(const tensor::TensorType &type,
                                            uint64_t seed, uint64_t argument);

/// `[dense<1> : tensor<2xi32>, ...]`, the spelling of stablehlo-translate's
/// --args, cut into one spec an argument.
llvm::Expected<std::vector<std::string>> splitArgs(llvm::StringRef text);

} // namespace assay::program
