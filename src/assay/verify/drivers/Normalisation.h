/// The shared parts of drivers lnorm, gnorm and bnorm: flags, tensors and their
/// order, the program, and the recogniser. They differ in the descriptor, the
/// layout of the statistics and the knobs.
#pragma once

#include "assay/formulas/Norms.h"
#include "assay/verify/drivers/Assembly.h"
#include "assay/verify/drivers/Recognition.h"

namespace assay::verify::drivers {

/// One normalisation, with all words parsed.
struct NormProblem {
  formulas::NormLayout layout;
  Dims src, stats, channels; ///< sizes of src, of mean and var, of a scale
  ElementType from, to;      ///< of src and of dst
  ElementType scaleType = types::F32;
  Layout srcLayout, dstLayout, statLayout;
  double epsilon = 0.0625;
};

/// The letters of `letters` that a value of --flags has, in this order: G C H M
/// R A.
llvm::Expected<std::string> readNormFlags(llvm::StringRef value,
                                          llvm::StringRef letters);

/// Tensors:  forward: src [src1] [mean var] [scale] [shift] -> dst [mean var];
///           backward: src [src1] mean var diff_dst [scale] [shift] ->
///           diff_src [diff_src1] [diff_scale] [diff_shift]; with M no mean;
///           shift backward only where the sign of the result matters
llvm::Expected<BoundProgram> buildNorm(const Problem &problem,
                                       const NormProblem &norm);

/// The problem `p`, complete except for flags and eps, with the flags and eps
/// that make the program.
std::optional<Problem> recogniseNorm(const Reading &reading,
                                     const Driver &driver, Problem p);

} // namespace assay::verify::drivers
