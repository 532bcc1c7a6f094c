/// `assay compare`: two dumps side by side, tensor by tensor.
#pragma once

#include "assay/formats/Hdf5Reader.h"
#include "assay/numerics/Metrics.h"
#include "assay/numerics/Rules.h"
#include "assay/support/Interrupt.h"
#include "assay/support/ThreadPool.h"
#include "assay/trace/Align.h"
#include "assay/trace/Padding.h"
#include "assay/trace/SampleOrder.h"

namespace assay::trace {

struct CompareOptions {
  numerics::PairOptions pair; ///< tolerances of IsClose and GtNum
  numerics::RuleSet rules{numerics::Rule::dtype()}; ///< the verdict
  NameMap map;
  Interrupt interrupt; ///< asked before each tensor
};

/// The verdict on a row.
enum class RowStatus { Pass, Fail, Unmatched };

/// One tensor of the target beside its counterpart of the bench.
struct ComparedRow {
  AlignedPair pair; ///< indices into Comparison::target and ::bench
  RowStatus status = RowStatus::Pass;
  std::string reason; ///< why it fails, or how it is unusual; or empty
  numerics::ElementType type; ///< the type in which both sides were compared
  bool compared = false; ///< false: shapes differ, unmatched, or unreadable;
                         ///< there are no metrics
  std::vector<numerics::MetricValue>
      metrics;                         ///< in the order of comparedMetrics()
  std::string targetValue, benchValue; ///< at the largest error
  std::string rule;
  double worstFraction =
      0; ///< of the rule's bound; infinite for a NaN or Inf without counterpart
  double relL2 = 0; ///< |t - b| / |b|; infinite when only |b| is 0
  double maxAbs = 0;
  double benchRms = 0;
  double carried = 0; ///< relative error carried from earlier tensors; see
                      ///< compareDumps
  double allowedRms = -1; ///< the rms that the rule was applied with
  /// The bench's samples were put in the target's order.
  std::optional<SampleView> samples;
  /// Set where positions without a token were left out, because only they
  /// differ much.
  std::optional<PaddingView> padding;
  std::shared_ptr<numerics::PairAccumulator>
      undecided; ///< while the comparison runs
  int64_t nonFiniteDisagree = 0, elements = 0, mismatches = 0;
};

struct Comparison {
  std::string targetPath, benchPath;
  std::vector<AlignItem> target, bench;
  Alignment alignment;
  std::vector<ComparedRow> rows; ///< one for each of alignment.pairs
  numerics::PairOptions pair;
  std::string ruleName;
  std::map<int64_t, SampleOrder> sampleOrders; ///< steps whose samples are in
                                               ///< another order
  /// A row's tensor on a side that has it.
  const AlignItem &item(const ComparedRow &row, bool ofTarget) const {
    return ofTarget ? target[static_cast<size_t>(row.pair.target)]
                    : bench[static_cast<size_t>(row.pair.bench)];
  }
  /// The target's, else the bench's.
  const AlignItem &item(const ComparedRow &row) const {
    return item(row, row.pair.target >= 0);
  }
  int64_t rank = 0;
  int64_t passed = 0, failed = 0, unmatchedTarget = 0, unmatchedBench = 0;
};

/// Aligns the names, then reads each pair window by window and judges it.
/// Pairs of hard links to the same data are computed once.
/// Memory:  at most a few windows of 8 MiB per thread, whatever the size of the
///          tensors; one tensor per thread where samples are in another order
/// Types:   different floats are compared in the narrower type (the other side
///          is rounded once), integers of different width as i64, anything else
///          as f64; the row says so
/// Rule `dtype` in a module dump: modules carry a rounding difference on to
///          later ones, so the bound of a tensor is
///          c * (|b| + rms) + 24 * carried * rms, with `carried` the largest
///          relative L2 error among the tensors before it in its step that
///          passed. A fault is not carried: it fails, and so do the tensors
///          after it.
/// Padding: tensors that differ much only where a mask leaves tokens out
///          (Padding.h) are compared without those positions.
/// Errors:  Cancelled, ResourceLimit (a time limit); a pair that cannot be read
///          becomes a failing row
llvm::Expected<Comparison> compareDumps(const formats::Hdf5Reader &target,
                                        const formats::Hdf5Reader &bench,
                                        const CompareOptions &options,
                                        ThreadPool &pool);

/// The metrics of the table, in the order of its columns.
llvm::ArrayRef<const numerics::Metric *> comparedMetrics();

/// The alignment's facts about a file's datasets, in their order.
std::vector<AlignItem> alignItems(const formats::Hdf5Reader &file);

} // namespace assay::trace
