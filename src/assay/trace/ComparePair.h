/// One pair of datasets: reading, metrics and verdict. Private to the
/// comparison.
#pragma once

#include "assay/trace/Compare.h"

namespace assay::trace {

/// The buffers of a worker thread.
struct PairBuffers {
  std::vector<std::byte> target, bench, targetWide, benchWide;
};

/// The element type that two types are compared in; see compareDumps.
numerics::ElementType commonType(numerics::ElementType a,
                                 numerics::ElementType b);

/// Fills everything of the row but its pair. Threads: re-entrant, one
/// PairBuffers each.
llvm::Error comparePair(const tensor::Hdf5Reader &targetFile,
                        const tensor::Hdf5Dataset &target,
                        const tensor::Hdf5Reader &benchFile,
                        const tensor::Hdf5Dataset &bench, llvm::StringRef name,
                        const CompareOptions &options, PairBuffers &buffers,
                        ComparedRow &row);

} // namespace assay::trace
