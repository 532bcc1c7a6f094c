/// Makes a filter's output channels contiguous before it is packed.
#pragma once

#include "assay/engine/native/ChannelsLast.h"

namespace assay::engine {

/// The elements of a filter as [outer, output channel, inner]. Neither its
/// output channels nor its input channels are contiguous ([O, I, H, W]), so
/// that each element of a panel would be in another cache line.
class FilterColumns {
public:
  /// The form of a convolution's filter; nullopt if panels can be packed from
  /// the filter itself, or if the filter does not have that form.
  static std::optional<FilterColumns> of(const ChannelsLast &c, int64_t elements);

  /// The elements as [outer, inner, output channel], allocated from the run's
  /// budget.
  llvm::Expected<Tensor> arranged(StepContext &context,
                                  const Tensor &filter) const;
  /// The position in arranged() of element `e` of the filter, which belongs to
  /// the first output channel, and the stride between input channels there.
  int64_t start(int64_t e) const {
    int64_t block = columns_ * inner_;
    return e / block * block + e % block * columns_;
  }
  int64_t channelStride() const { return channelStride_; }

private:
  bool takes(const ChannelsLast &c) const;

  int64_t outer_ = 1, columns_ = 1, inner_ = 1, channelStride_ = 1;
};

} // namespace assay::engine
