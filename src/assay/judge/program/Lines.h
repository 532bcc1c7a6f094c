/// The lines of an argument: elements that a program folds together (a row of a
/// softmax, a line of a mean), and the position of an element in its line.
#pragma once

#include "assay/judge/program/ArgumentUses.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace assay::judge {

/// The position of an element: its line, its place in the line.
struct LinePlace {
  int64_t line = 0, at = 0;
};

class Lines {
public:
  Lines(llvm::ArrayRef<int64_t> shape, const ArgumentUse &use);
  LinePlace placeOf(uint64_t index) const;
  /// The number of a line's pattern: patterns follow each other from line to
  /// line, and from the last line of a draw to the first of the next draw.
  int64_t patternOf(const LinePlace &place, int draw, int shift) const {
    return place.line + draw * count_ + shift;
  }
  int64_t count() const { return count_; }
  int64_t length() const { return length_; }

private:
  bool isFolded(size_t dimension) const {
    return dimension < 32 && folded_ >> dimension & 1;
  }
  llvm::SmallVector<int64_t, 6> shape_;
  uint32_t folded_;
  int64_t count_ = 1, length_ = 1;
};

/// A bias or a gain is used with every line, a filter with the padding: extreme
/// values there would hide those of other arguments.
inline bool staysPlain(const ArgumentUse &use) {
  return use.isWidened || use.isDelicate || use.isFilter;
}
/// Whether the lines of an argument get patterns.
inline bool keepsLines(const ArgumentUse &use) {
  return use.folded && !use.isImage && !staysPlain(use);
}

} // namespace assay::judge
