/// The name that a mistyped word most likely stands for, for messages.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <string>

namespace assay {

/// Edits that turn `word` into `name`; a swap of two neighbours counts as one.
inline unsigned editsBetween(llvm::StringRef word, llvm::StringRef name) {
  for (size_t i = 0; i + 1 < word.size(); ++i) {
    std::string swapped = word.str();
    std::swap(swapped[i], swapped[i + 1]);
    if (swapped == name)
      return 1;
  }
  return word.edit_distance(name);
}

/// The name of `known` (a range of strings) with the fewest edits from `word`;
/// empty when none is near.
template <typename Names>
llvm::StringRef nearestName(llvm::StringRef word, const Names &known) {
  llvm::StringRef nearest;
  auto distance =
      static_cast<unsigned>(std::min<size_t>(4, word.size() / 3 + 1));
  for (llvm::StringRef name : known)
    if (unsigned d = editsBetween(word, name); d < distance)
      nearest = name, distance = d;
  return nearest;
}

} // namespace assay
