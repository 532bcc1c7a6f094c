/// The arguments that two programs are compared on.
#pragma once

#include "assay/judge/equivalence/Equivalence.h"

namespace assay::judge {

struct Draw {
  std::string name; ///< names the kind of data
  uint64_t seed;
  std::vector<tensor::Tensor> inputs;
  bool finite = true;
  bool isSalted = false; ///< with zeros, or values that are not finite
  /// The numbers are those at which decisions turn. A decision that rounding
  /// may turn there does not count as a difference.
  bool isLiteral = false;
};
/// `draws` of ordinary data (normal and uniform alternately), one with many
/// zeros of both signs, one with infinities and NaNs (three where arguments are
/// small, each certain to have another of these values), and those of
/// edgeDraws(). If arguments are given, only these. Errors: a parameter that is
/// not a static tensor.
llvm::Expected<std::vector<Draw>> drawInputs(const EquivRequest &request);

/// An argument in the type that a program's parameter number `i` has.
llvm::Expected<tensor::Tensor> asArgument(const program::Plan &plan, unsigned i,
                                          const tensor::Tensor &input);

} // namespace assay::judge
