/// Data with NaN, infinities, zeros of both signs, subnormal and the largest
/// numbers where IEEE 754 and StableHLO define the results, chosen by the uses
/// of an argument (ArgumentUses.h). Numbers that are folded together make a
/// line with one special number, or a whole line of them; at one index of the
/// summed dimensions, the factors of a product multiply zeros by infinities.
/// Numbers that are open everywhere are left out: NaN where an order does not
/// know it, anything but NaN where functions differ.
#pragma once

#include "assay/judge/FillKind.h"
#include "assay/judge/program/Lines.h"
#include "assay/support/Random.h"
#include "assay/tensor/Tensor.h"

namespace assay::judge {

/// The patterns of lines, and those of lines of factors.
constexpr int64_t kSpecialLines = 12, kFactorLines = 4;

/// One argument of floats, or of complex numbers, of Special data.
class SpecialData {
public:
  SpecialData(const tensor::TensorType &type, const ArgumentUse &use,
              CounterRandom random, int draw, int shift,
              const KeptNumbers &kept);
  /// The number that replaces `plain`, the ordinary data at this index.
  double element(uint64_t index, double plain) const;
  /// The same for part `index` of complex numbers.
  double part(uint64_t index, double plain) const;

private:
  double inLine(const LinePlace &place, uint64_t index, double plain) const;
  double asFactor(const LinePlace &place, double plain) const;
  double inImage(uint64_t index, double plain) const;
  double alone(uint64_t index, double plain) const;
  double weighed(uint64_t index, double plain) const;
  double delicate(uint64_t index, double plain) const;
  double nan(double plain) const;
  double infinity(double sign, double plain) const;
  double subnormal(uint64_t index, double plain) const;
  double withZeros(uint64_t index, double plain) const;
  int64_t pick(uint64_t index, int64_t low, int64_t high) const {
    return random_.integer(index + (uint64_t{1} << 41), low, high);
  }

  ArgumentUse use_;
  CounterRandom random_;
  int draw_, shift_;
  Lines lines_;
  bool hasNan_, hasInfinity_, hasSubnormals_;
  double largest_, smallestNormal_, smallest_;
};

/// Whether a NaN must reach every result that its arithmetic leads to: the
/// function has only copies, sums, products, quotients and roots.
bool carriesNan(mlir::func::FuncOp function);

} // namespace assay::judge
