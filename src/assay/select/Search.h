/// Searches the kernels of the registry for the best one for a problem: by a
/// model, with a limit on the number of scores that are read, and optionally by
/// measured time.
#pragma once

#include "assay/select/Collector.h"
#include "assay/select/LearnedSelector.h"

namespace assay::select {

enum class Strategy : uint8_t {
  Random,       ///< `budget` different supported kernels, drawn at random
  Differential, ///< differential evolution over the values of each field,
                ///< projected to registered kernels
  Active,       ///< by measured time: the model's best, then their neighbours
};
/// "random" "de" "active"
std::optional<Strategy> parseStrategy(llvm::StringRef text);

struct SearchOptions {
  Strategy strategy = Strategy::Random;
  int64_t budget = 500;
  size_t top = 10;
  uint64_t seed = 0;
};

/// The best kernels found, best first, all different, all able to compute the
/// problem. Errors: Unsupported when no kernel supports the problem
llvm::Expected<std::vector<RankedKernel>> search(KernelModel &model,
                                                 const Problem &problem,
                                                 const SearchOptions &options);

/// One kernel that was measured.
struct MeasuredKernel {
  RankedKernel ranked;
  double ns = 0;
};
/// Measures the model's best kernels (at most 64, and half of the budget).
/// Then, up to six times, measures those that differ in one choice from the
/// four fastest, until the budget is spent or they are no faster beyond the
/// noise. Returns the `top` fastest, fastest first. `set`: what runs the
/// model's kernels.
/// Errors: Unsupported when no kernel supports the problem or none could be
/// prepared; those of `interrupt`
llvm::Expected<std::vector<MeasuredKernel>>
searchByClock(KernelModel &model, KernelSet &set, ThreadPool &pool,
              const ProblemRef &problem, const SearchOptions &options,
              int mostPairs, const Interrupt &interrupt);

/// Times kernels, each alternately with the first. `ratio` is time / time of
/// the first; a kernel that cannot be prepared has no row.
struct TimedContender {
  int32_t kernel = 0;
  double ratio = 1, noise = 0, ns = 0;
  int pairs = 0;
};
llvm::Expected<std::vector<TimedContender>>
timeContenders(Contest &contest, llvm::ArrayRef<int32_t> kernels, int mostPairs,
               const Interrupt &interrupt);
/// How timePicks() times kernels of a set on a problem, by timeContenders():
/// the most pairs of runs, and the seed of the operands' data.
struct PickTiming {
  int mostPairs = 15;
  uint64_t seed = 0;
};
llvm::Expected<std::vector<TimedContender>>
timePicks(KernelSet &set, ThreadPool &pool, const ProblemRef &problem,
          llvm::ArrayRef<int32_t> kernels, const PickTiming &timing,
          const Interrupt &interrupt);

/// The kernels to be judged on one problem, as numbers in its contest;
/// negative: none.
struct JudgedPicks {
  int32_t learned = -1, analytic = -1;
  /// The analytic choice without the speeds that were measured on this
  /// machine (TileSpeeds.h); nullopt if there are none.
  std::optional<int32_t> assumed;
};

/// One problem of a validation: the picks and the best kernel of a fresh race
/// (the oracle), all measured again alternately. Only the second measurement
/// counts.
struct Validation {
  std::string problem, key; ///< key: of the problem's group in training
  std::string oracle, learned, analytic, assumed;
  double bestNs = 0, learnedEfficiency = 0, analyticEfficiency = 0,
         assumedEfficiency = 0, noise = 0;
};
/// Finds the 16 fastest kernels by a race over `kernels`, then times them with
/// the picks. The caller fills in the key.
llvm::Expected<Validation>
validateProblem(Contest &contest, ThreadPool &pool, const JudgedPicks &picks,
                const RaceOptions &options, const Interrupt &interrupt);

} // namespace assay::select
