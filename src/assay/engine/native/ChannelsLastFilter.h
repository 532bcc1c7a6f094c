/// The filter of a convolution with channels last, in the panels that the
/// kernels read.
#pragma once

#include "assay/engine/native/ChannelsLast.h"
#include "assay/engine/native/FilterColumns.h"
#include "assay/engine/native/KeptResult.h"

namespace assay::engine {

/// By phase and output channel: whether its results are NaN, because the phase
/// skips a tap that is not finite and that would make NaN of each zero that it
/// is multiplied with.
using NanChannels = std::vector<std::vector<bool>>;

/// The filter in panels, for all groups: [group][phase].
struct FilterPanels {
  Tensor memory;
  NanChannels nanChannels; ///< empty if there are none
};

class ChannelsLastFilter {
public:
  ChannelsLastFilter(std::shared_ptr<NativeContext> context,
                     const ChannelsLast &geometry)
      : context_(std::move(context)), c_(geometry) {}
  void setConstant() { isConstant_ = true; }
  /// The panels of operand 1: those of the last call if it is a weight and the
  /// same tensor. Errors: ResourceLimit.
  llvm::Expected<std::shared_ptr<const FilterPanels>>
  panels(StepContext &context) const;

private:
  llvm::Expected<std::shared_ptr<const FilterPanels>>
  pack(StepContext &context, const Tensor &filter) const;
  bool writePanels(const Tensor &filter,
                   const std::optional<FilterColumns> &columns,
                   std::byte *packed, ThreadPool &threads) const;
  NanChannels findNanChannels(const Tensor &filter) const;

  std::shared_ptr<NativeContext> context_; ///< owns the kernels' code
  const ChannelsLast &c_;
  bool isConstant_ = false;
  mutable KeptResult<std::shared_ptr<const FilterPanels>> panels_;
};

} // namespace assay::engine
