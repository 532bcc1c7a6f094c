/// Products as a contest, on operands filled with small random numbers.
#pragma once

#include "assay/select/spaces/Gemm.h"

namespace assay::select {

/// Kernels are indices into the list that the constructor receives.
class GemmContest final : public Contest {
public:
  /// `layout` is that of the list; the problem's strides may have another.
  GemmContest(kernels::Registry &registry, ThreadPool &pool,
              const kernels::GemmProblem &problem, kernels::Layout layout,
              llvm::ArrayRef<kernels::GemmConfig> configs, uint64_t seed);

  ProblemRef problem() const override { return problemOf(problem_, layout_); }
  std::vector<int32_t> candidates() const override;
  std::string name(int32_t kernel) const override;
  int differences(int32_t a, int32_t b) const override;
  llvm::Expected<std::shared_ptr<const Contender>>
  prepare(int32_t kernel) override;

private:
  const kernels::GemmConfig &config(int32_t kernel) const {
    return configs_[static_cast<size_t>(kernel)];
  }

  kernels::Registry &registry_;
  ThreadPool &pool_;
  kernels::GemmProblem problem_;
  kernels::Layout layout_;
  llvm::ArrayRef<kernels::GemmConfig> configs_;
  std::vector<std::byte> memory_;
  kernels::GemmPointers pointers_;
};

} // namespace assay::select
