/// Data at the edges of what an operation takes, chosen by what the program does
/// with an argument (ArgumentUses.h): numbers up to and beyond where exp leaves
/// the type, tiny and large ones, ties and numbers beyond the type where values
/// are rounded to a narrower one. Numbers that are folded together (a row of a
/// softmax, a line of a mean) make a line; each line gets a pattern of its own:
/// all negative, all positive, about a mean far from zero, of one value, with
/// one number that dominates. Where there are fewer lines than patterns, further
/// draws hold the others.
#pragma once

#include "assay/judge/program/ArgumentUses.h"
#include "assay/support/Random.h"
#include "assay/tensor/Tensor.h"

namespace assay::judge {

/// The patterns of lines.
constexpr int64_t kRangeLines = 10;

/// Whether the lines of an argument get patterns.
bool keepsLines(const ArgumentUse &use);
/// Its lines.
int64_t linesOf(const ArgumentUse &use, llvm::ArrayRef<int64_t> shape);

/// One float argument of Range data.
class EdgeData {
public:
  /// `draw`: which of several tensors.
  EdgeData(const tensor::TensorType &type, const ArgumentUse &use,
           CounterRandom random, int draw);
  /// The number that takes the place of `plain`, ordinary real data there.
  double element(uint64_t index, double plain) const;

private:
  /// Where an element stands: its line, its place there.
  struct Place {
    int64_t line = 0, at = 0;
  };
  Place placeOf(uint64_t index) const;
  double inLine(const Place &place, uint64_t index, double plain) const;
  double alone(uint64_t index, double plain) const;
  double tie(uint64_t index) const;
  double beyondInteger(uint64_t index) const;
  double bounded(double x) const;
  int64_t draw(uint64_t index, int64_t low, int64_t high) const {
    return random_.integer(index + (uint64_t{1} << 41), low, high);
  }

  ArgumentUse use_;
  CounterRandom random_;
  int draw_;
  double largest_, smallest_, edge_; ///< edge: where exp leaves the type
  int digits_;                       ///< of the narrowest type on the way
  bool isNarrowed_;                  ///< that is narrower than the argument's
  llvm::SmallVector<int64_t, 6> shape_;
  int64_t length_ = 1; ///< of a line
};

} // namespace assay::judge
