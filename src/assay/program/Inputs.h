/// Makes the arguments of a run from the user's specifications (docs/cli.md,
/// SPEC): a tensor file, a literal, random, zeros, iota.
#pragma once

#include "assay/program/Program.h"

namespace assay::program {

/// One tensor for each parameter of the function. A single spec may serve all
/// of them: an .npz file (members in0, in1, ...) or `random`; otherwise there
/// is one spec per argument. `seed` is used for `random` without its own seed.
/// Errors: InvalidArgument with the argument's number, its type and the given
/// spec.
llvm::Expected<std::vector<tensor::Tensor>>
makeInputs(const Program &program, mlir::func::FuncOp function,
           llvm::ArrayRef<std::string> specs, uint64_t seed);

/// Counter-based values, keyed by seed, argument number and element: standard
/// normal for floats and the parts of complex numbers, the whole range for
/// integers of up to 8 bits, -1000 to 1000 (unsigned: 0 to 1000) for wider
/// ones, fair coins for i1.
llvm::Expected<tensor::Tensor> randomTensor(const tensor::TensorType &type,
                                            uint64_t seed, uint64_t argument);

/// Splits `[dense<1> : tensor<2xi32>, ...]`, the syntax of
/// stablehlo-translate's --args, into one spec per argument.
llvm::Expected<std::vector<std::string>> splitArgs(llvm::StringRef text);

} // namespace assay::program
