/// Data at the edges of the ranges that operations accept, chosen by the uses
/// of an argument (ArgumentUses.h): numbers up to and beyond where exp leaves
/// the type, tiny and large ones, ties and numbers beyond the type where values
/// are rounded to a narrower one. Numbers that are folded together (a row of a
/// softmax, a line of a mean) make a line; each line gets its own pattern: all
/// negative, all positive, about a mean far from zero, of one value, rising and
/// falling, with one number that dominates. Where there are fewer lines than
/// patterns, further draws hold others; where a narrow type holds sums of
/// products, a last draw of small integers makes ties of them.
#pragma once

#include "assay/judge/program/Lines.h"
#include "assay/support/Random.h"
#include "assay/tensor/Tensor.h"

namespace assay::judge {

/// The patterns of lines.
constexpr int64_t kRangeLines = 13;

/// Digits of the narrowest type that products of arguments are rounded to, where
/// ties are worth a draw; 0: nowhere.
int digitsOfTies(llvm::ArrayRef<tensor::TensorType> types,
                 llvm::ArrayRef<ArgumentUse> uses);
/// Sums of `depth` products of integers up to this one make ties of this many
/// digits.
int64_t limitOfTies(int digits, double depth);

/// Whether an element of a line has the value that the program tests for, where
/// the program asks whether any or all elements have it: only the last, all but
/// the last, none, all, only the first, all but the first.
bool isHit(const LinePlace &place, int64_t length, int draw);

/// One argument of floats, or of complex numbers, of Range data.
class EdgeData {
public:
  /// `draw`: the number of the draw; `shift`: the first line's pattern.
  EdgeData(const tensor::TensorType &type, const ArgumentUse &use,
           CounterRandom random, int draw, int shift);
  /// The number that replaces `plain`, the ordinary data at this index.
  double element(uint64_t index, double plain) const;
  /// The same for part `index` of complex numbers, where the program uses the
  /// parts one by one.
  double part(uint64_t index, double plain) const;

private:
  double inLine(const LinePlace &place, uint64_t index, double plain) const;
  double alone(uint64_t index, double plain) const;
  double angle(uint64_t index, double plain) const;
  double tie(uint64_t index) const;
  double beyondInteger(uint64_t index) const;
  double halfUnit(uint64_t index, int64_t most) const;
  double bounded(double x) const;
  int64_t draw(uint64_t index, int64_t low, int64_t high) const {
    return random_.integer(index + (uint64_t{1} << 41), low, high);
  }

  ArgumentUse use_;
  CounterRandom random_;
  int draw_, shift_;
  double largest_, smallest_, edge_; ///< edge: where exp leaves the type
  int digits_;                       ///< of the narrowest type on the way
  bool isNarrowed_;                  ///< that is narrower than the argument's
  Lines lines_;
  /// The factor for arguments whose sums meet exp: two numbers at exp's edge
  /// make a sum near it; larger ones would leave only rounding errors.
  double scale_ = 1;
};

} // namespace assay::judge
