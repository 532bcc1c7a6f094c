/// Batches whose samples are in different orders on the two sides.
#pragma once

#include "assay/support/Error.h"
#include "assay/tensor/Tensor.h"

#include <map>
#include <memory>
#include <vector>

namespace assay::trace {

struct Comparison;
struct PairFiles;

/// For each sample of the target, the same sample's place in the bench.
using SampleOrder = std::vector<int64_t>;

/// The layout of a batch's samples in a tensor: [outer, samples, inner].
struct SampleView {
  int64_t outer = 1, inner = 1; ///< inner: elements
  std::shared_ptr<const SampleOrder> order;
};

/// Steps whose model was given the same samples in another order: each input of
/// the first call that differs is the bench's with its samples (the first
/// dimension, else the second) exchanged, all by one order. Types may differ:
/// values are rounded to the narrower type for the comparison.
std::map<int64_t, std::shared_ptr<const SampleOrder>>
findSampleOrders(const Comparison &comparison, const PairFiles &files);

/// The layouts that the samples may have in a tensor: as a dimension, or as the
/// outer or inner part of one.
std::vector<SampleView>
sampleViews(llvm::ArrayRef<int64_t> shape,
            const std::shared_ptr<const SampleOrder> &order);

/// Writes the bench's elements in the target's order.
void putInOrder(const SampleView &view, int64_t elementBytes,
                const std::byte *bench, std::byte *out);

/// "3 2 1 0"
std::string sampleOrderText(const SampleOrder &order);

} // namespace assay::trace
