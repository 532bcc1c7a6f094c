/// Batches whose samples stand in another order on the two sides.
#pragma once

#include "assay/support/Error.h"
#include "assay/tensor/Tensor.h"

#include <map>
#include <memory>
#include <vector>

namespace assay::trace {

struct Comparison;
struct PairFiles;

/// Of each sample of the target, which of the bench's it is.
using SampleOrder = std::vector<int64_t>;

/// How the samples of a batch lie in a tensor: as [outer, samples, inner].
struct SampleView {
  int64_t outer = 1, inner = 1; ///< inner: elements
  std::shared_ptr<const SampleOrder> order;
};

/// Steps whose model was given the same samples in another order: each input of
/// the first call that differs is the bench's with its samples (the first
/// dimension, else the second) exchanged, all by one order. Types may differ:
/// what is compared is rounded to the narrower one.
std::map<int64_t, std::shared_ptr<const SampleOrder>>
findSampleOrders(const Comparison &comparison, const PairFiles &files);

/// The ways in which the samples may lie in a tensor: as a dimension, or as the
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
