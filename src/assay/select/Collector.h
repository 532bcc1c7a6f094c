/// Measuring kernels over problems: successive halving per problem, each kernel
/// as a ratio to an anchor run alternately.
#pragma once

#include "assay/select/Dataset.h"
#include "assay/select/KernelSet.h"
#include "assay/select/Timing.h"
#include "assay/support/Interrupt.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <functional>

namespace assay::select {

/// Which kernels are measured on each problem: all that support it, or a sample
/// of `count`: half of it the best by the analytic model, half drawn at random
/// (another draw for each problem). `active`: a small sample first; then
/// kernels that differ in one choice from the best so far,
/// until those are not faster.
struct KernelChoice {
  bool all = true;
  int64_t count = 0;
  bool active = false;
};
/// Parses "all", "sample:N", "active" (a sample of 64) or "active:N".
llvm::Expected<KernelChoice> parseKernelChoice(llvm::StringRef text);

struct RaceOptions {
  KernelChoice kernels;
  uint64_t seed = 0;
  int mostPairs = 100;
  double noise = 0.01;
  size_t finalists = 8; ///< kernels that are measured until the noise is small
  /// The first candidates, the anchor at the front, instead of those that
  /// `kernels` draws; indices into the registry's list.
  std::vector<int32_t> first;
  size_t most = 0; ///< kernels in all, 0: no limit
};

/// The facts known of a problem from an earlier, interrupted run.
using KnownRows = std::vector<Measurement>;
/// Called after every measurement; it returns (having appended to a journal)
/// before the next begins.
using MeasurementSink = std::function<llvm::Error(const Measurement &)>;

struct RaceResult {
  std::vector<Measurement>
      rows;              ///< the last of each kernel, known ones included
  double noiseFloor = 0; ///< |1 - ratio| + noise of the anchor against itself
};

/// Measures the kernels of a contest in three rounds: all with a few pairs,
/// the better sixth with more, the finalists until their interval is under
/// options.noise (or options.mostPairs). Kernels are compiled in parallel
/// before the clock runs; one that fails to compile or to pass its check
/// becomes a row with the reason.
/// Errors:   those of the sink and of `interrupt`, asked between measurements
llvm::Expected<RaceResult> race(Contest &contest, ThreadPool &pool,
                                const RaceOptions &options,
                                const KnownRows &known,
                                const MeasurementSink &sink,
                                const Interrupt &interrupt);
/// Hash of the names of all configurations in order: what a model's kernels
/// are.
template <typename Configs> std::string registryHash(const Configs &configs) {
  std::string names;
  for (const auto &config : configs)
    names += config.name() + "\n";
  return llvm::utohexstr(llvm::xxh3_64bits(names), true, 16);
}

} // namespace assay::select
