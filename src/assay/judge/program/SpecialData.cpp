// One number at a time, from its index alone.
#include "assay/judge/program/SpecialData.h"
#include "assay/numerics/FloatFormats.h"
#include "mlir/IR/TypeUtilities.h"

#include <algorithm>
#include <cmath>

using namespace assay;
using namespace assay::judge;

/// The patterns of a line.
enum class Line : uint8_t {
  NanFirst,    ///< a NaN with numbers after it
  AllLowest,   ///< only minus infinity
  Infinity,    ///< one among ordinary numbers
  Zeros,       ///< of both signs among ordinary numbers
  NanLast,     ///< a NaN at the end
  AllHighest,  ///< infinity alone
  MinusInfinity,
  Largest,     ///< the largest number among ordinary ones
  Subnormal,   ///< only subnormal numbers
  NanInside,
  Opposed,     ///< both infinities
  Plain,
};
static_assert(static_cast<int64_t>(Line::Plain) + 1 == kSpecialLines);

/// Makes each image that is weighed by position a line.
static ArgumentUse linesOf(ArgumentUse use) {
  use.folded |= use.weighed;
  return use;
}

SpecialData::SpecialData(const tensor::TensorType &type, const ArgumentUse &use,
                         CounterRandom random, int draw, int shift,
                         const KeptNumbers &kept)
    : use_(use), random_(random), draw_(draw), shift_(shift),
      lines_(type.shape, linesOf(use)) {
  numerics::FormatInfo info = numerics::formatInfo(type.element.format);
  bool isOpen = use.isDelicate || use.isPower;
  // The bits of a NaN depend on the processor that makes it.
  hasNan_ = info.hasNan() && kept.nan && !use.hidesNan && !use.isBits;
  // Some forms of x f(x) are NaN at infinity, or overflow on the way.
  hasInfinity_ = info.hasInfinity() && kept.infinity && !isOpen &&
                 !use.isCentred && !use.isChained && !use.isBlended &&
                 !(use.isCurved && use.isMultiplied);
  // Functions may treat subnormal arguments as zero, in all or some of their
  // formulas.
  hasSubnormals_ = kept.subnormal && !isOpen && !use.isCurved &&
                   !use.isPeriodic && !use.isBits;
  largest_ = isOpen || use.isMultiplied || use.isBlended
                 ? 1
                 : numerics::maxFinite(type.element.format);
  smallestNormal_ = numerics::minNormal(type.element.format);
  smallest_ = numerics::minPositive(type.element.format);
}

/// NaN of either sign: processors make negative NaNs of zero times infinity,
/// and a kernel that tests the sign bit mistakes those for negative numbers.
double SpecialData::nan(double plain) const {
  return !hasNan_                 ? plain
         : use_.isTotallyOrdered ? NAN
                                 : std::copysign(NAN, plain);
}

double SpecialData::infinity(double sign, double plain) const {
  if (!hasInfinity_)
    return plain;
  // Padding, and the initial value of a maximum, may be the lowest finite
  // number.
  return use_.isWindowed && sign < 0 ? -std::min(largest_, 1e30)
                                     : sign * INFINITY;
}

double SpecialData::subnormal(uint64_t index, double plain) const {
  if (!hasSubnormals_)
    return plain;
  double size = smallest_ + random_.uniform(index) * smallestNormal_ / 2;
  return std::copysign(size, plain);
}

/// One in four is a zero of either sign.
double SpecialData::withZeros(uint64_t index, double plain) const {
  return (random_.bits(index) & 3) == 0 ? std::copysign(0.0, plain) : plain;
}

double SpecialData::inLine(const LinePlace &place, uint64_t index,
                           double plain) const {
  int64_t last = lines_.length() - 1;
  bool isInside = place.at == pick(static_cast<uint64_t>(place.line), 0, last);
  switch (static_cast<Line>(lines_.patternOf(place, draw_, shift_) % kSpecialLines)) {
  case Line::NanFirst:
    return place.at == 0 ? nan(plain) : plain;
  case Line::AllLowest:
    return infinity(-1, plain);
  case Line::Infinity:
    return isInside ? infinity(1, plain) : plain;
  case Line::Zeros:
    return withZeros(index, plain);
  case Line::NanLast:
    return place.at == last ? nan(plain) : plain;
  case Line::AllHighest:
    return infinity(1, plain);
  case Line::MinusInfinity:
    return isInside ? infinity(-1, plain) : plain;
  case Line::Largest:
    return isInside ? std::copysign(largest_, plain) : plain;
  case Line::Subnormal:
    return subnormal(index, plain);
  case Line::NanInside:
    return isInside ? nan(plain) : plain;
  case Line::Opposed: // their sum is NaN
    return !hasNan_           ? plain
           : place.at == 0    ? infinity(1, plain)
           : place.at == last ? infinity(-1, plain)
                              : plain;
  case Line::Plain:
    break;
  }
  return plain;
}

/// At one index of the summed dimensions, lines hold 0 or infinity, which make
/// NaN where they meet; at another, one line in four holds a NaN.
double SpecialData::asFactor(const LinePlace &place, double plain) const {
  int64_t at = lines_.length() / 3, 
          kind = lines_.patternOf(place, draw_, shift_) % kFactorLines;
  if (place.at == at && kind < 3)
    return kind == 1 ? infinity(plain < 0 ? -1 : 1, plain)
           : hasNan_ ? std::copysign(0.0, plain)
                     : plain;
  bool isNext = place.at == (at + 1) % std::max<int64_t>(lines_.length(), 1);
  return isNext && kind == 2 ? nan(plain) : plain;
}

/// Few special numbers, so that windows without them remain. Two infinities in
/// a window may make NaN.
double SpecialData::inImage(uint64_t index, double plain) const {
  switch (pick(index, 0, 127)) {
  case 0:
    return nan(plain);
  case 1:
    return hasNan_ ? infinity(plain < 0 ? -1 : 1, plain) : plain;
  case 2:
  case 3:
    return std::copysign(0.0, plain);
  default:
    return plain;
  }
}

double SpecialData::alone(uint64_t index, double plain) const {
  double sign = random_.bits(index + 3) & 1 ? -1 : 1;
  switch (pick(index, 0, 15)) {
  case 0:
  case 1:
    return nan(plain);
  case 2:
  case 3:
    return infinity(sign, plain);
  case 4:
  case 5:
    return sign * 0.0;
  case 6:
    return sign * largest_;
  case 7:
    return hasSubnormals_ ? sign * smallest_ : plain;
  case 8:
    return subnormal(index, plain);
  case 9:
    return sign;
  default:
    return plain;
  }
}

/// Whole images are NaN: a NaN beside a number would show which of two
/// neighbours has the weight 0, and so would 0 times infinity.
double SpecialData::weighed(uint64_t index, double plain) const {
  switch (lines_.patternOf(lines_.placeOf(index), draw_, shift_) % kFactorLines) {
  case 0:
    return nan(plain);
  case 1:
    return subnormal(index, plain);
  case 2:
    return withZeros(index, plain);
  default:
    return plain;
  }
}

/// NaN, and zeros where the function has a value there.
double SpecialData::delicate(uint64_t index, double plain) const {
  int64_t which = use_.isSignal ? 15 : pick(index, 0, 15);
  return which == 0                                     ? nan(plain)
         : which == 1 && !use_.hasPoles && !use_.isPower ? 0.0
                                                         : plain;
}

/// Complex numbers: NaN in both parts, which arithmetic passes on, and zeros.
double SpecialData::part(uint64_t index, double plain) const {
  if (use_.isWidened || use_.isFilter || use_.isImage || use_.isBits ||
      use_.meetsFunction)
    return plain;
  uint64_t element = index / 2;
  if (use_.folded || use_.isFactor) {
    LinePlace place = lines_.placeOf(element);
    bool isInside =
        place.at == pick(static_cast<uint64_t>(place.line), 0, lines_.length() - 1);
    bool isHit = lines_.patternOf(place, draw_, shift_) % kFactorLines == 0;
    return isHit && isInside ? nan(plain) : plain;
  }
  int64_t which = pick(element, 0, 15);
  return which < 2 ? nan(plain) : which == 2 && !use_.isPower ? 0.0 : plain;
}

double SpecialData::element(uint64_t index, double plain) const {
  if (use_.isWidened || use_.isFilter)
    return plain;
  if (use_.weighed)
    return weighed(index, plain);
  if (use_.isDelicate || use_.isPower)
    return delicate(index, plain);
  if (use_.isImage)
    return inImage(index, plain);
  if (use_.isFactor)
    return asFactor(lines_.placeOf(index), plain);
  return keepsLines(use_) ? inLine(lines_.placeOf(index), index, plain)
                          : alone(index, plain);
}

/// iota is not among them: weights computed from positions may be 0, and an
/// engine may leave out terms of weight 0.
static constexpr llvm::StringRef kCarrying =
    " add subtract multiply divide negate sqrt rsqrt convert reshape "
    "broadcast_in_dim transpose concatenate slice reverse pad constant "
    "reduce reduce_window dot_general gather scatter return ";

bool judge::carriesNan(mlir::func::FuncOp function) {
  auto isFloat = [](mlir::Type type) {
    return mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(type));
  };
  bool carries = true;
  function.getBody().walk([&](mlir::Operation *op) {
    std::string name = (" " + op->getName().stripDialect() + " ").str();
    bool hasOperands = op->getNumOperands() != 0; // others may be indices
    carries &= kCarrying.contains(name) &&
               (!hasOperands || llvm::all_of(op->getResultTypes(), isFloat));
  });
  return carries;
}
