/// Products as a contest, on operands filled with small random numbers.
#pragma once

#include "assay/kernels/Registry.h"
#include "assay/select/Contest.h"
#include "assay/select/spaces/Gemm.h"

namespace assay::select {

/// Kernels are indices into the list that it is given.
class GemmContest final : public Contest {
public:
  /// `layout` is that of the list; the problem's strides may be others.
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

/// Kernels are indices into kernelsFor().
class GemmSource final : public KernelSource {
public:
  GemmSource(kernels::Registry &registry, kernels::TypePair types,
             kernels::Layout layout);
  const kernels::Machine &machine() const override {
    return registry_.machine();
  }
  std::string op() const override { return "gemm"; }
  std::string dtype() const override { return toString(types_); }
  std::string layout() const override { return toString(layout_); }
  std::string registryHash() const override;
  llvm::Expected<std::unique_ptr<Contest>> contest(const ProblemRef &problem,
                                                   ThreadPool &pool,
                                                   uint64_t seed) override;
  /// The registry's list for types and layout; where k is 1 what each layout has in
  /// common with the others, and behind it those that only B of rows has: what
  /// dispatch takes there.
  llvm::ArrayRef<kernels::GemmConfig> kernelsFor(int64_t k) const {
    return llvm::ArrayRef(configs_).take_front(k == 1 ? configs_.size()
                                                      : plain_);
  }
  /// The number of a kernel for such a problem; negative: it is not in the list.
  int32_t numberOf(const kernels::GemmConfig &config, int64_t k) const;

private:
  kernels::Registry &registry_;
  kernels::TypePair types_;
  kernels::Layout layout_;
  std::vector<kernels::GemmConfig> configs_;
  size_t plain_; ///< how many of them are of every problem
};

/// The configurations that support the problem, as indices into
/// registry.enumerate(types, layout).
std::vector<int32_t>
supportedKernels(kernels::Registry &registry,
                 const kernels::GemmProblem &problem,
                 llvm::ArrayRef<kernels::GemmConfig> configs);

} // namespace assay::select
