/// Products as a contest, on operands filled with small random numbers.
#pragma once

#include "assay/kernels/Registry.h"
#include "assay/select/Contest.h"
#include "assay/select/Shapes.h"

namespace assay::select {

/// Kernels are indices into the list that it is given.
class GemmContest final : public Contest {
public:
  /// `types` and `layout` are those of the list; the problem's strides may be
  /// others.
  GemmContest(kernels::Registry &registry, ThreadPool &pool,
              const kernels::GemmProblem &problem, kernels::TypePair types,
              kernels::Layout layout,
              llvm::ArrayRef<kernels::GemmConfig> configs, uint64_t seed);

  std::string title() const override;
  double flops() const override { return problem_.flops(); }
  uint64_t hash() const override { return problem_.hash(); }
  int threads() const override { return problem_.threads; }
  Measurement blank() const override;
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
  kernels::TypePair types_;
  kernels::Layout layout_;
  llvm::ArrayRef<kernels::GemmConfig> configs_;
  std::vector<std::byte> memory_;
  kernels::GemmPointers pointers_;
};

class GemmSource final : public KernelSource {
public:
  GemmSource(kernels::Registry &registry, kernels::TypePair types,
             kernels::Layout layout)
      : registry_(registry), types_(types), layout_(layout) {}
  const kernels::Machine &machine() const override {
    return registry_.machine();
  }
  std::string op() const override { return "gemm"; }
  std::string dtype() const override { return toString(types_); }
  std::string layout() const override { return toString(layout_); }
  std::string registryHash() const override;
  llvm::Expected<std::unique_ptr<Contest>> contest(const Measurement &problem,
                                                   ThreadPool &pool,
                                                   uint64_t seed) override;

private:
  kernels::Registry &registry_;
  kernels::TypePair types_;
  kernels::Layout layout_;
};

/// Each shape with each number of threads.
std::vector<Measurement> gemmProblems(kernels::TypePair types,
                                      kernels::Layout layout,
                                      llvm::ArrayRef<Shape> shapes,
                                      llvm::ArrayRef<int> threads);

/// The configurations that support the problem, as indices into
/// registry.enumerate(types, layout).
std::vector<int32_t>
supportedKernels(kernels::Registry &registry,
                 const kernels::GemmProblem &problem,
                 llvm::ArrayRef<kernels::GemmConfig> configs);

} // namespace assay::select
