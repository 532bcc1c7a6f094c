/// The interface for choosing a kernel for a problem: by the analytic model, or
/// by a replacement (a learned model).
#pragma once

#include "assay/kernels/Registry.h"

namespace assay::kernels {

class Selector {
public:
  virtual ~Selector() = default;
  /// The configuration to use, which must be one that supports(problem, config)
  /// accepts. Threads: any.
  virtual GemmConfig choose(const GemmProblem &problem) = 0;
  /// "analytic", or the model's name; `assay kernels explain` shows it.
  virtual llvm::StringRef name() const = 0;
  /// Everything besides the problem, the processor and the build that choices
  /// depend on: choices on disk are valid while it is the same. Empty: choices
  /// are not stored.
  virtual std::string fingerprint() const { return ""; }
};

/// The inputs of the analytic choice: the caches' sizes and measured speeds.
std::string analyticFingerprint(const Machine &machine);
/// A file's time and size, which change when it is rewritten. "-" if there is
/// no file.
std::string stampOf(llvm::StringRef path);

/// A problem in the form that kernels support: a column-major C is the
/// row-major C of the transposed product (C^T = B^T A^T), in which A and B are
/// exchanged.
struct NormalGemm {
  GemmProblem problem;
  bool turned = false;
};
NormalGemm normalForm(const GemmProblem &problem);

/// C = epilogue(A * B) with the kernel that the selector chooses. Choices and
/// prepared kernels are cached per problem. Errors: those of validate() and
/// Registry::prepare().
llvm::Error gemm(const GemmProblem &problem, const GemmPointers &pointers,
                 Registry &registry, Selector &selector, ThreadPool &pool);

} // namespace assay::kernels
