/// Results that the field leaves open (by functions for which not every law
/// holds there, exp nested too deep, a function of whole operands) are decided
/// by the f64 shadows of both programs.
#pragma once

#include "assay/judge/equivalence/Equivalence.h"

namespace assay::judge {

enum class InShadow : uint8_t {
  Same,   ///< to 2^-36 of the result's size, in every element
  Unlike, ///< by more than slightly moved arguments explain
  Unknown ///< between the two, or an operation has no shadow
};

/// `rounds`: a constant of one program may be a rounded one of the other, so
/// that arguments are moved by 2^-24 instead of 2^-48. Errors: those of a
/// program.
llvm::Expected<InShadow> compareShadows(const EquivRequest &request,
                                        llvm::ArrayRef<tensor::Tensor> inputs,
                                        bool rounds, ThreadPool &pool);

} // namespace assay::judge
