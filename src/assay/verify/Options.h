/// The knobs that determine how problems run, not what they are: mode, engines,
/// fills, rule, limits, output. Like all knobs they apply to the problems after
/// them; a problem keeps the options that applied when it was
/// read.
#pragma once

#include "assay/judge/FillKind.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace assay::verify {

using judge::FillKind;

enum class Mode : uint8_t {
  Correctness,
  Performance,
  CorrectnessAndPerformance,
  Run,
  List,
  Initialize
};
enum class ColdCache : uint8_t { None, Weights, All };

using judge::nameOf;

struct RunOptions {
  Mode mode = Mode::Correctness;
  std::string engine = "onednn"; ///< under test; driver op: native unless given
  bool engineGiven = false;
  bool fastReference = true;
  std::vector<std::string> trust; ///< empty = the default list
  std::string rule = "bound";
  bool exactDivision = false; ///< a division must be computed as one, rounded
                              ///< once
  llvm::SmallVector<FillKind, 4> fills{FillKind::Exact, FillKind::Normal,
                                       FillKind::Range, FillKind::Special};
  bool special = true; ///< false: no special data by default (--no-special)
  std::vector<std::string> properties; ///< checked instead of the results;
                                       ///< "all"
  bool isBitwise = false; ///< mode B: a property under another name
  std::map<std::string, std::string> requests; ///< of the run (Requests.h)
  /// Tensors from files, by role.
  std::map<std::string, std::string> inputs;
  ColdCache coldCache = ColdCache::None;
  std::string perfTemplate = "def";
  double maxMsPerProblem = 3000;
  int64_t fixTimes = 0;
  double timeoutSeconds = 60;
  int verbosity = 0;
  bool canonical = false;
  bool showProgram = false;
  // Options of the whole run; the last value counts.
  int jobs = 1;
  int threads = 0;
  uint64_t seed = 1;
  int64_t maxMemoryBytes = 0;
  double maxSeconds = 0;
  std::string resumeFile, jsonFile, junitFile;
  int64_t shardIndex = 0, shardCount = 1;
  bool quiet = false;
};

/// Whether no --fill selects the kinds of data.
bool fillsByDefault(const RunOptions &options);
/// The kinds of data that are run: those of --fill; by default those that the
/// rule can judge (rules other than the bound cannot leave elements open); no
/// special data with --no-special.
llvm::SmallVector<FillKind, 4> fillsOf(const RunOptions &options);

/// The run knobs that are not at their default, as written before "--driver" in
/// a repro line.
std::string reproText(const RunOptions &options);

} // namespace assay::verify
