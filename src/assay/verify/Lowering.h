/// From a problem to tensors and arithmetic: which tensors there are, how each
/// is laid out, which of them are the two factors of the sum, and the JSON text
/// that a plugin gets.
#pragma once

#include "assay/engine/Worker.h"
#include "assay/judge/contraction/Case.h"
#include "assay/verify/Problem.h"
#include "llvm/Support/JSON.h"

namespace assay::verify {

using judge::FactorShape;
using judge::maskedDims;
using judge::rowMajor;
using judge::Slot;

/// A problem made ready.
struct Lowered : judge::Case {
  const Problem *problem = nullptr;
  std::string json;
};

/// Errors: InvalidArgument when knobs contradict each other, ResourceLimit when
/// sizes overflow.
llvm::Expected<Lowered> lower(const Problem &problem);

/// The same contraction as a problem of its own for a fast reference: no
/// attributes, no bias, free formats, the factors in `factorType` and the
/// result in `resultType`.
Lowered accumulatorCase(const Lowered &original, ElementType factorType,
                        ElementType resultType);

/// For the worker.
engine::ProblemDescription describe(const Lowered &c, int threads);

/// The bits of a mask of `argument` (src, wei, dst or a post-op's operand
/// "po").
int64_t maskBits(const Mask &mask, const Problem &problem,
                 llvm::StringRef argument);

} // namespace assay::verify
