/// One pair of datasets: reading, metrics and verdict. Private to the
/// comparison.
#pragma once

#include "assay/trace/Compare.h"

namespace assay::trace {

/// The buffers of a worker thread.
struct PairBuffers {
  std::vector<std::byte> target, bench, targetWide, benchWide;
  std::vector<std::byte> ordered; // a whole tensor: the bench's samples
};

/// The element type that two types are compared in; see compareDumps.
numerics::ElementType commonType(numerics::ElementType a,
                                 numerics::ElementType b);

/// The two files; a row's pair indexes their datasets.
struct PairFiles {
  const formats::Hdf5Reader &target, &bench;
  const formats::Hdf5Dataset &targetOf(const ComparedRow &row) const {
    return target.datasets()[static_cast<size_t>(row.pair.target)];
  }
  const formats::Hdf5Dataset &benchOf(const ComparedRow &row) const {
    return bench.datasets()[static_cast<size_t>(row.pair.bench)];
  }
};

/// Reads the pair once: metrics, and `undecided` set when the sums alone do not
/// prove that the rule holds. With an order of the samples, a pair that differs
/// is also compared sample by sample, and the nearer comparison counts for the
/// row.
/// Threads: re-entrant, one PairBuffers each.
llvm::Error measurePair(const PairFiles &files, llvm::StringRef name,
                        const CompareOptions &options, PairBuffers &buffers,
                        const std::shared_ptr<const SampleOrder> &order,
                        ComparedRow &row);

/// Measures a row that its sums do not decide without the positions that one of the
/// masks leaves out, where they hold nearly all of the difference.
llvm::Error measureWithoutPadding(
    const PairFiles &files, llvm::StringRef name, const CompareOptions &options,
    PairBuffers &buffers,
    llvm::ArrayRef<std::shared_ptr<const PaddingMask>> masks, ComparedRow &row);

/// Reads the pair again and judges each element, with row.allowedRms; sets
/// status, reason and worstFraction.
llvm::Error judgePair(const PairFiles &files, llvm::StringRef name,
                      const CompareOptions &options, PairBuffers &buffers,
                      ComparedRow &row);

} // namespace assay::trace
