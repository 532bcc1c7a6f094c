/// Measures kernels on problems: successive halving per problem, each kernel as
/// a ratio to an anchor that runs alternately with it.
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
/// of `count` kernels, half of it the best by the analytic model, half drawn at
/// random (another draw for each problem). `active`: a small sample first, then
/// kernels that differ in one choice from the best so far, until those are no
/// longer faster.
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
  /// The first candidates, the anchor at the front, in place of the draws of
  /// `kernels`; indices into the registry's list.
  std::vector<int32_t> first;
  size_t most = 0; ///< kernels in all, 0: no limit
};

/// Measurements of a problem by an earlier, interrupted run.
using KnownRows = std::vector<Measurement>;
/// Called after every measurement. It returns (having appended to a journal)
/// before the next measurement begins.
using MeasurementSink = std::function<llvm::Error(const Measurement &)>;

struct RaceResult {
  std::vector<Measurement>
      rows;              ///< the last row of each kernel, known rows included
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
/// A hash of the names of all configurations in order: it identifies the
/// kernels of a model.
template <typename Configs> std::string registryHash(const Configs &configs) {
  std::string names;
  for (const auto &config : configs)
    names += config.name() + "\n";
  return llvm::utohexstr(llvm::xxh3_64bits(names), true, 16);
}

} // namespace assay::select
