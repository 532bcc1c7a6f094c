/// How a kernel is chosen for a problem: by the analytic model, or by whatever
/// replaces it (a learned model).
#pragma once

#include "assay/kernels/Registry.h"

namespace assay::kernels {

class Selector {
public:
  virtual ~Selector() = default;
  /// The configuration to use; it must be one that supports(problem, config)
  /// accepts. Threads: any.
  virtual GemmConfig choose(const GemmProblem &problem) = 0;
  /// "analytic", or the model's name: shown by `assay kernels explain`.
  virtual llvm::StringRef name() const = 0;
};

/// A problem as kernels take it: a column-major C is the row-major C of the
/// transposed product (C^T = B^T A^T), whose A and B are the other way round.
struct NormalGemm {
  GemmProblem problem;
  bool turned = false;
};
NormalGemm normalForm(const GemmProblem &problem);

/// C = epilogue(A * B) with the kernel that the selector chooses; choices and
/// prepared kernels are kept per problem. Errors: those of validate() and
/// Registry::prepare().
llvm::Error gemm(const GemmProblem &problem, const GemmPointers &pointers,
                 Registry &registry, Selector &selector, ThreadPool &pool);

} // namespace assay::kernels
