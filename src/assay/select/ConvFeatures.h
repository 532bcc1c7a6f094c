/// What a model sees of a convolution and a kernel of this machine
/// (ConvFeatures.def), row by row for training, all kernels at once for
/// dispatch.
#pragma once

#include "assay/kernels/conv/ConvConfig.h"
#include "assay/select/Features.h"

namespace assay::select {

/// All features in the order of ConvFeatures.def, the same for each direction.
llvm::ArrayRef<FeatureInfo> convFeatures();

class ConvFeatures {
public:
  explicit ConvFeatures(const kernels::Machine &machine) : machine_(machine) {}
  /// All features of one pair, in order.
  std::vector<float> row(const kernels::ConvProblem &problem,
                         const kernels::ConvConfig &config) const;
  /// The grid in which each kernel is one tile, with the features that depend
  /// on the kernel alone.
  ForestGrid grid(llvm::ArrayRef<kernels::ConvConfig> configs) const;
  /// Fills in one problem for that grid; reuses the memory of `query`.
  void fill(const kernels::ConvProblem &problem,
            llvm::ArrayRef<kernels::ConvConfig> configs, int64_t paddedTiles,
            ForestQuery &query) const;

private:
  kernels::Machine machine_;
};

} // namespace assay::select
