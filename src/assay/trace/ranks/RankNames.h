/// The names that tensors of several ranks share: modules that each rank numbers
/// from 0 get their number in the whole model, and all names are in one order.
/// Private to Merge.
#pragma once

#include "assay/formats/Hdf5Reader.h"
#include "assay/trace/ranks/Merge.h"

namespace assay::trace {

/// A name of the whole run, and the datasets that have it.
struct SharedName {
  DumpName name;
  struct Source {
    size_t rank; ///< index of the dump
    const formats::Hdf5Dataset *dataset;
  };
  std::vector<Source> sources; ///< in the order of ranks
};

/// All names except those of operator calls (which are counted in `operators`),
/// in an order that agrees with each rank's own order. Forward tensors that
/// only a later rank has (a stage of a pipeline) come after those of the ranks
/// before it, up to the next name that both have; its gradients come before
/// theirs.
std::vector<SharedName> shareNames(llvm::ArrayRef<RankDump> ranks,
                                   const Layout *layout, int64_t &operators);

} // namespace assay::trace
