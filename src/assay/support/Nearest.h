/// The name that a mistyped word most likely stands for, for messages.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <algorithm>

namespace assay {

/// The name of `known` (a range of strings) with the fewest edits from `word`;
/// empty when none is near.
template <typename Names>
llvm::StringRef nearestName(llvm::StringRef word, const Names &known) {
  llvm::StringRef nearest;
  auto distance =
      static_cast<unsigned>(std::min<size_t>(4, word.size() / 3 + 1));
  for (llvm::StringRef name : known)
    if (unsigned d = word.edit_distance(name); d < distance)
      nearest = name, distance = d;
  return nearest;
}

} // namespace assay
