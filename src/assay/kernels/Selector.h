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
  /// What choices depend on besides the problem, the processor and the build:
  /// choices kept on disk are valid while it is the same. Empty: none are
  /// kept.
  virtual std::string fingerprint() const { return ""; }
};

/// What the analytic choice depends on: the caches' sizes and measured speeds.
std::string analyticFingerprint(const Machine &machine);
/// A file's time and size: they change when it is rewritten. "-" where there is
/// none.
std::string stampOf(llvm::StringRef path);

/// A problem as kernels take it: a column-major C is the row-major C of the
/// transposed product (C^T = B^T A^T), whose A and B are exchanged.
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
