// One transpose of the whole filter: its blocks stay in the cache, and vectors
// of output channels are read from it in place.
#include "assay/engine/native/FilterColumns.h"

#include "assay/reference/Strided.h"

namespace assay::engine {

/// Smaller filters are packed directly.
static constexpr int64_t kFewestElements = 1 << 12;

/// Whether the channels of the first column of every tap are at the start of
/// `inner`, or a whole number of blocks after that.
bool FilterColumns::takes(const ChannelsLast &c) const {
  int64_t channels = (c.w.groupIn() - 1) * c.filterIn;
  bool isInner = channels < inner_;
  if (!isInner && c.filterIn % (columns_ * inner_) != 0)
    return false;
  return llvm::all_of(c.phases, [&](const WindowPhase &phase) {
    return llvm::all_of(phase.filterStarts, [&](int64_t start) {
      int64_t last = start % (columns_ * inner_) + (isInner ? channels : 0);
      return last < inner_;
    });
  });
}

std::optional<FilterColumns> FilterColumns::of(const ChannelsLast &c,
                                               int64_t elements) {
  FilterColumns made;
  made.columns_ = c.w.outFeatures, made.inner_ = c.filterOut;
  int64_t block = made.columns_ * made.inner_;
  if (elements < kFewestElements || made.inner_ <= 1 || c.filterIn <= 1 ||
      elements % block != 0 || (c.w.groups() > 1 && elements != block) ||
      !made.takes(c))
    return std::nullopt;
  made.outer_ = elements / block;
  made.channelStride_ =
      c.filterIn < made.inner_ ? c.filterIn * made.columns_ : c.filterIn;
  return made;
}

llvm::Expected<Tensor> FilterColumns::arranged(StepContext &context,
                                               const Tensor &filter) const {
  llvm::Expected<Tensor> copy =
      context.allocate({filter.elementType(), {outer_, inner_, columns_}});
  if (!copy)
    return copy;
  tensor::Shape shape{outer_, inner_, columns_};
  reference::copyStrided(filter.elementType().storageBytes(), shape,
                         filter.bytes(), {columns_ * inner_, 1, inner_},
                         copy->mutableBytes(), tensor::rowMajorStrides(shape),
                         &context.run.threads);
  return copy;
}

} // namespace assay::engine
