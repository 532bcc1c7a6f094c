#include "assay/engine/native/ChannelsLastFilter.h"

#include "assay/kernels/Finite.h"

#include <atomic>

namespace assay::engine {

/// Finds, by phase, the channels that have a tap that is not finite and that
/// the phase skips.
NanChannels
ChannelsLastFilter::findNanChannels(const Tensor &filter) const {
  int64_t outs = c_.w.outFeatures, size = filter.elementType().storageBytes();
  NanChannels nanChannels(c_.phases.size(),
                          std::vector<bool>(static_cast<size_t>(outs)));
  auto hasNonFinite = [&](int64_t start, int64_t out) {
    for (int64_t i = 0; i < c_.w.groupIn(); ++i)
      if (!kernels::areFinite(
              c_.types.b,
              filter.bytes() +
                  (start + out * c_.filterOut + i * c_.filterIn) * size,
              1))
        return true;
    return false;
  };
  for (int64_t z = 0; z < c_.axes[0].kernel; ++z)
    for (int64_t y = 0; y < c_.axes[1].kernel; ++y)
      for (int64_t x = 0; x < c_.axes[2].kernel; ++x)
        for (int64_t out = 0; out < outs; ++out) {
          int64_t start = c_.filterStart(z, y, x);
          if (!hasNonFinite(start, out))
            continue;
          for (size_t p = 0; p < c_.phases.size(); ++p)
            if (!llvm::is_contained(c_.phases[p].filterStarts, start))
              nanChannels[p][static_cast<size_t>(out)] = true;
        }
  return nanChannels;
}

/// Writes the panels of all groups; false if one contains a number that is not
/// finite.
bool ChannelsLastFilter::writePanels(
    const Tensor &filter, const std::optional<FilterColumns> &columns,
    std::byte *packed, ThreadPool &threads) const {
  std::atomic<bool> finite{true};
  int64_t columnStride = columns ? 1 : c_.filterOut;
  for (const WindowPhase &phase : c_.phases) {
    if (!phase.product)
      continue;
    std::vector<int64_t> starts = phase.filterStarts;
    for (int64_t &start : starts)
      start = columns ? columns->start(start) : start;
    int64_t panels = phase.product->panels();
    threads.parallelFor(
        c_.w.groups() * panels, 1, [&](int64_t begin, int64_t end) {
          for (int64_t index = begin; index < end; ++index) {
            int64_t group = index / panels;
            kernels::WindowFilter from;
            from.source =
                filter.bytes() + group * c_.w.groupOut() * columnStride *
                                     filter.elementType().storageBytes();
            from.starts = starts;
            from.channelStride =
                columns ? columns->channelStride() : c_.filterIn;
            from.columnStride = columnStride;
            if (!phase.product->pack(from, index % panels,
                                     packed + group * c_.groupBytes +
                                         phase.packedOffset))
              finite = false;
          }
        });
  }
  return finite;
}

llvm::Expected<std::shared_ptr<const FilterPanels>>
ChannelsLastFilter::pack(StepContext &context,
                              const Tensor &filter) const {
  auto made = std::make_shared<FilterPanels>();
  int64_t bytes = c_.w.groups() * c_.groupBytes;
  bool finite = true;
  std::optional<FilterColumns> columns = FilterColumns::of(c_, filter.size());
  Tensor source = filter;
  if (columns) {
    auto arranged = columns->arranged(context, filter);
    if (arranged)
      source = std::move(*arranged);
    else
      columns.reset(); // packed from the filter itself
    llvm::consumeError(arranged.takeError());
  }
  auto write = [&](std::byte *packed) {
    finite = writePanels(source, columns, packed, context.run.threads);
  };
  auto memory =
      context_->panelMemory.make(context, bytes, write, isConstant_);
  if (!memory)
    return memory.takeError();
  made->memory = std::move(*memory);
  // Taps that are in no phase are in no panel.
  size_t taps = 0;
  for (const WindowPhase &phase : c_.phases)
    taps += phase.filterStarts.size();
  bool seen = finite && taps >= static_cast<size_t>(c_.w.taps());
  if (c_.w.hasDilatedInput() && !seen)
    made->nanChannels = findNanChannels(filter);
  return made;
}

llvm::Expected<std::shared_ptr<const FilterPanels>>
ChannelsLastFilter::panels(StepContext &context) const {
  llvm::Expected<Tensor> filter = context.dense(1);
  if (!filter)
    return filter.takeError();
  if (!isConstant_)
    return pack(context, *filter);
  return panels_.get(context.operand(1), [&] {
    auto made = pack(context, *filter);
    context_->packings += made ? 1 : 0;
    return made;
  });
}

} // namespace assay::engine
