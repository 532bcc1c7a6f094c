// One number at a time, from its index alone.
#include "assay/judge/program/EdgeData.h"
#include "assay/numerics/FloatFormats.h"

#include <algorithm>
#include <cmath>

using namespace assay;
using namespace assay::judge;

/// The patterns of a line; the first of them show most if there is one line.
enum class Line : uint8_t {
  FarBelow,  ///< all so low that exp is 0
  Shifted,   ///< about a mean of 1000
  Wide,      ///< of both signs, up to the numbers where exp leaves the type
  Negative,  ///< all below zero, by little
  Beyond,    ///< all so high that exp overflows
  Repeated,  ///< one value
  Tiny,      ///< of size 1e-31
  Small,     ///< of size kSmall
  Dominated, ///< one number far above the others, where exp overflows
  Large,     ///< in the hundreds
  Positive,  ///< all above zero, by little
  Rising,    ///< the last is the largest
  Falling,   ///< the first is
};
static_assert(static_cast<int64_t>(Line::Falling) + 1 == kRangeLines);

/// Where exp leaves f32; narrower types are computed in f32, too.
static constexpr double kExpEdge = 88.7;

/// The root of the epsilons that norms add to a variance: on numbers of this
/// size another epsilon shows in the whole result, which no bias of ordinary
/// size hides.
static constexpr double kSmall = 3e-3;

int judge::digitsOfTies(llvm::ArrayRef<tensor::TensorType> types,
                        llvm::ArrayRef<ArgumentUse> uses) {
  int digits = 0;
  for (auto [type, use] : llvm::zip(types, uses)) {
    if (!type.element.isFloat() || !(use.isFactor || use.isMultiplied))
      continue;
    int own = numerics::formatInfo(type.element.format).precision();
    if (use.digits > 0)
      own = std::min(own, use.digits);
    digits = digits == 0 ? own : std::min(digits, own);
  }
  return digits <= 11 ? digits : 0;
}

int64_t judge::limitOfTies(int digits, double depth) {
  // The sum of that many products of such integers is of the order of 1.5 *
  // 2^digits.
  return std::max<int64_t>(
      1, std::llround(std::sqrt(4.5 * std::exp2(digits) / std::sqrt(depth))));
}

/// Where one fold follows another (the mean of the losses of rows): the lines
/// of the first fold, if those of all are too few for the patterns.
static ArgumentUse rowsOf(llvm::ArrayRef<int64_t> shape, ArgumentUse use) {
  if (use.foldedFirst && Lines(shape, use).count() < kRangeLines &&
      !use.isFactor)
    use.folded = use.foldedFirst;
  return use;
}

EdgeData::EdgeData(const tensor::TensorType &type, const ArgumentUse &use,
                   CounterRandom random, int draw, int shift)
    : use_(use), random_(random), draw_(draw), shift_(shift),
      lines_(type.shape, rowsOf(type.shape, use)) {
  numerics::FormatInfo info = numerics::formatInfo(type.element.format);
  largest_ = numerics::maxFinite(type.element.format);
  smallest_ = numerics::minNormal(type.element.format);
  // A wide type's exponentials are computed in f32 by many: its end is the edge.
  edge_ = std::log(std::min(largest_, 3.4e38));
  isNarrowed_ = use.digits > 0 && use.digits < info.precision();
  digits_ = isNarrowed_ ? use.digits : info.precision();
  if (use.isFactor && use.isCurved && !use.isCurvedItself)
    scale_ =
        1 / std::sqrt(edge_ * std::sqrt(static_cast<double>(lines_.length())));
}

double EdgeData::bounded(double x) const {
  return std::clamp(x, -largest_, largest_);
}

/// Half way between two neighbours of the narrowest type, where the argument
/// can hold that; else an integer whose sum with another such integer may be.
double EdgeData::tie(uint64_t index) const {
  int most = isNarrowed_ ? 24 : 20;
  int64_t half = int64_t{1} << (std::min(digits_, most) - 1);
  int64_t x = isNarrowed_ ? 2 * draw(index, half, 2 * half - 1) + 1
                          : draw(index, half, 2 * half - 1);
  return static_cast<double>(random_.bits(index) & 1 ? -x : x);
}

/// Half way between two whole numbers, up to `most`, after the constants before
/// the rounding; or, as other arguments may scale it, of a power of two.
double EdgeData::halfUnit(uint64_t index, int64_t most) const {
  int64_t odd = 2 * draw(index, -most / 2, most / 2) + 1;
  double unit = draw(index + 1, 0, 1)
                    ? use_.roundedUnit / 2
                    : std::exp2(static_cast<double>(
                          draw(index + 2, draw(index + 3, 0, 1) ? -3 : -8, 1)));
  return unit * static_cast<double>(odd);
}

/// Numbers half way between two whole ones; the ends of the integer type, and
/// numbers far outside.
double EdgeData::beyondInteger(uint64_t index) const {
  double limit = use_.integerLimit > 0 ? use_.integerLimit : 128,
         sign = random_.bits(index + 7) & 1 ? -1 : 1;
  // Another random word than the one that alone() used for this element.
  switch (draw(index + (uint64_t{1} << 40), 0, 4)) {
  case 0:
    return limit * sign + static_cast<double>(draw(index + 1, -4, 4)) / 2;
  case 1:
    return sign * limit * (1 + 3 * random_.uniform(index));
  case 2:
    return sign * std::exp2(20 + 14 * random_.uniform(index));
  default:
    return halfUnit(index, static_cast<int64_t>(std::min(limit, 4096.0)));
  }
}

double EdgeData::inLine(const LinePlace &place, uint64_t index,
                        double plain) const {
  double size = std::fabs(plain),
         along = static_cast<double>(place.at) /
                 static_cast<double>(std::max<int64_t>(lines_.length() - 1, 1));
  switch (
      static_cast<Line>(lines_.patternOf(place, draw_, shift_) % kRangeLines)) {
  case Line::Wide:
    return 1.2 * edge_ * (2 * random_.uniform(index) - 1);
  case Line::Negative:
    return -0.5 - size;
  case Line::Beyond:
    return edge_ * 1.07 + size;
  case Line::Shifted:
    return std::min(1000.0, largest_ / 8) + plain;
  case Line::Repeated:
    return 3.7;
  case Line::FarBelow:
    return -3 * kExpEdge - size;
  case Line::Tiny:
    return plain * std::max(1e-31, 16 * smallest_);
  case Line::Small:
    return plain * kSmall;
  case Line::Dominated: { // the last one: a kernel's remainder may miss it
    int64_t last = lines_.length() - 1;
    return place.at == (place.line / kRangeLines % 2
                            ? draw(static_cast<uint64_t>(place.line), 0, last)
                            : last)
               ? 1.3 * edge_
               : plain;
  }
  case Line::Large:
    return plain * std::min(300.0, largest_ / 8);
  case Line::Positive:
    return 0.5 + size;
  case Line::Rising:
    return 8 * along - 4;
  case Line::Falling:
    return 4 - 8 * along;
  }
  return plain;
}

double EdgeData::alone(uint64_t index, double plain) const {
  int64_t which = draw(index, 0, 15);
  double sign = random_.bits(index + 3) & 1 ? -1 : 1,
         u = random_.uniform(index);
  if (use_.isRounded && which < 8)
    return beyondInteger(index);
  if (which < 3 && (isNarrowed_ || digits_ <= 11))
    return tie(index);
  if (use_.isCurved)
    return which < 9    ? 1.2 * edge_ * (2 * u - 1)
           : which < 11 ? sign * (edge_ + 2 * u - 1)
           : which < 13 ? sign * std::max(std::exp2(-100 * u), 16 * smallest_)
           : which < 15 ? 10 * (2 * u - 1)
                        : sign * edge_ * (1.2 + u);
  return which < 7    ? sign * std::exp2(160 * u - 80)
         : which < 9  ? plain * std::max(1e-31, 16 * smallest_)
         : which < 11 ? plain * 1000
                      : plain;
}

/// Angles of many turns, whose reduction needs more digits than the type has.
double EdgeData::angle(uint64_t index, double plain) const {
  if (draw(index, 0, 3) != 0)
    return plain;
  double size = std::exp2(13 * random_.uniform(index));
  return std::copysign(std::min(size, largest_ / 8), plain);
}

/// Both parts of one size, or only one part: the sum of their squares leaves the
/// type.
double EdgeData::part(uint64_t index, double plain) const {
  if (staysPlain(use_) || use_.folded || use_.isFactor || use_.isPeriodic ||
      use_.isCurved)
    return plain;
  uint64_t element = index / 2;
  bool isReal = index % 2 == 0;
  double u = random_.uniform(element + (uint64_t{1} << 42));
  int64_t which = draw(element, 0, 15);
  return bounded(which < 6 ? plain * std::exp2(200 * u - 100)
                 : which < 8 && isReal == (which == 6) ? plain * 1e-6
                                                       : plain);
}

bool judge::isHit(const LinePlace &place, int64_t length, int draw) {
  int64_t last = length - 1;
  switch ((place.line + draw) % 6) {
  case 0:
    return place.at == last;
  case 1:
    return place.at != last;
  case 2:
    return false;
  case 3:
    return true;
  case 4:
    return place.at == 0;
  default:
    return place.at != 0;
  }
}

double EdgeData::element(uint64_t index, double plain) const {
  if (use_.asked) {
    double other = plain == *use_.asked ? plain + 1 : plain;
    return isHit(lines_.placeOf(index), lines_.length(), draw_) ? *use_.asked
                                                                : other;
  }
  if (use_.isRounded && use_.isWidened) // a scale that keeps ties
    return std::copysign(std::exp2(static_cast<double>(draw(index, -2, 2))),
                         plain);
  if (staysPlain(use_))
    return plain;
  if (use_.isPeriodic)
    return angle(index, plain);
  return bounded(scale_ * (keepsLines(use_)
                               ? inLine(lines_.placeOf(index), index, plain)
                               : alone(index, plain)));
}
