/// From a problem to tensors and arithmetic: which tensors there are, how each
/// is laid out, which of them are the two factors of the sum, and the JSON text
/// that a plugin gets.
#pragma once

#include "assay/engine/Worker.h"
#include "assay/judge/contraction/Case.h"
#include "assay/verify/Driver.h"
#include "llvm/Support/JSON.h"

namespace assay::verify {

using judge::FactorShape;
using judge::maskedDims;
using judge::rowMajor;
using judge::Slot;

/// A problem with its tensors and its program.
struct Lowered : judge::Case {
  const Problem *problem = nullptr;
  const BoundProgram *bound = nullptr; ///< its program; null: not made yet
  std::string json;
};

/// Errors: InvalidArgument when knobs contradict each other, ResourceLimit when
/// sizes overflow; Unsupported for a driver without sums.
llvm::Expected<Lowered> lower(const Problem &problem);

/// The sums of a problem: which of src, wei, dst are the factors in the
/// problem's direction, and which elements are multiplied.
struct Sums {
  judge::Contraction contraction;
  FactorShape aShape, bShape;
  /// Gradients of weights: diff_dst is factor a (and src b), not the reverse.
  bool gradientFirst = false;
  bool isMatmul = false;
};

/// Tensors with their layouts, roles and attributes added to these sums.
llvm::Expected<judge::Case> caseOf(const Problem &problem, const Sums &sums);

/// The same contraction as a separate problem for a fast reference: no
/// attributes, no bias, free formats, the factors in `factorType` and the
/// result in `resultType`.
Lowered accumulatorCase(const Lowered &original, ElementType factorType,
                        ElementType resultType);

/// For the worker of an engine: Assay's own get the program, the
/// others the words. Errors: those of contractionProgram().
llvm::Expected<engine::ProblemDescription>
describe(const Lowered &c, int threads, llvm::StringRef engineName);

/// The plugin interface's problem_json.
std::string problemJson(const Problem &problem);

/// Row-major order permuted by a tag, as strides; nullopt for a tag that is not a
/// permutation.
llvm::Expected<std::optional<Dims>> tagStrides(llvm::StringRef tag,
                                               const Dims &dims);

/// The bits of a mask of `argument` (src, wei, dst or a post-op's operand
/// "po").
int64_t maskBits(const Mask &mask, const Problem &problem,
                 llvm::StringRef argument);

} // namespace assay::verify
