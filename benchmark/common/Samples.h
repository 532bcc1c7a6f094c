/// All samples of a benchmark's case, and the one statistic that all benchmarks
/// report: the median of the paired ratios with its interval, together with the
/// ratio of the smallest times. samples.py is the same for benchmarks in
/// Python.
#pragma once

#include "assay/kernels/Machine.h"
#include "assay/select/Timing.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <string>
#include <vector>

namespace assay::bench {

/// Times in any one unit; ours[i] and peers[name][i] were measured one after
/// the other.
struct Samples {
  std::vector<double> ours;
  std::map<std::string, std::vector<double>> peers;

  double least() const;
  double leastOf(const std::string &peer) const;
  /// The peer's time / ours, turn by turn: median and 95 % interval.
  select::PairStatistics against(const std::string &peer) const;
  /// The peer with the smallest median ratio, "" without peers.
  std::string bestPeer() const;
  /// {"ours": [...], "peers": {NAME: [...]}, "ratio": {NAME: {...}}}
  llvm::json::Object json() const;
};

/// `1.04x [1.02, 1.05]`
std::string toString(const select::PairStatistics &ratio);

/// The geometric mean and the worst of several ratios, as the closing line
/// shows them: `1.20x PEER (geomean of 12 cases, worst 0.90)`.
std::string closingWords(const std::string &peer,
                         const std::vector<double> &ratios);

/// The head of a benchmark's JSON: its name, date, processor and instruction
/// set, so that figures from several machines can be compared.
llvm::json::Object head(llvm::StringRef benchmark,
                        const kernels::Machine &machine);

/// Writes the object; if it cannot, prints the reason to standard error.
void write(const std::string &path, llvm::json::Object object);

} // namespace assay::bench
