/// Splits updates that may have the same target, and whose order per target
/// must be kept, into rounds: the targets within a round are distinct, so its
/// updates can be evaluated side by side.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace assay::reference {

struct Update {
  int64_t target; ///< element of the result
  int64_t source; ///< element of the updates
};

/// Round r holds update number r of each target. Targets are numbers below
/// `targets`.
inline std::vector<std::vector<Update>>
roundsOf(const std::vector<Update> &updates, int64_t targets) {
  std::vector<std::vector<Update>> rounds;
  auto place = [&](int32_t round, const Update &update) {
    if (rounds.size() <= static_cast<size_t>(round))
      rounds.resize(static_cast<size_t>(round) + 1);
    rounds[static_cast<size_t>(round)].push_back(update);
  };
  // Use a table of counts if it is small compared with the updates, else a map.
  if (targets <= static_cast<int64_t>(updates.size()) * 8 + 1024) {
    std::vector<int32_t> seen(static_cast<size_t>(targets), 0);
    for (const Update &update : updates)
      place(seen[static_cast<size_t>(update.target)]++, update);
  } else {
    std::unordered_map<int64_t, int32_t> seen;
    for (const Update &update : updates)
      place(seen[update.target]++, update);
  }
  return rounds;
}

} // namespace assay::reference
