// One number at a time, from its index alone.
#include "assay/judge/program/EdgeData.h"
#include "assay/numerics/FloatFormats.h"

#include <algorithm>
#include <cmath>

using namespace assay;
using namespace assay::judge;

/// The patterns of a line.
enum class Line : uint8_t {
  Wide,      ///< of both signs, up to where exp leaves the type
  Negative,  ///< all below zero, by little
  Beyond,    ///< all above what exp can take
  Shifted,   ///< about a mean of 1000
  Repeated,  ///< one value
  FarBelow,  ///< all below what exp can show
  Tiny,      ///< of size 1e-31
  Dominated, ///< one number far above the others
  Large,     ///< in the hundreds
  Positive,  ///< all above zero, by little
};
static_assert(static_cast<int64_t>(Line::Positive) + 1 == kRangeLines);

/// A bias or a gain meets every line, a filter the padding: what is extreme
/// there would hide the others.
static bool staysPlain(const ArgumentUse &use) {
  return use.isWidened || use.isDelicate || use.isFilter;
}

bool judge::keepsLines(const ArgumentUse &use) {
  return use.folded && !use.isImage && !staysPlain(use);
}

int64_t judge::linesOf(const ArgumentUse &use, llvm::ArrayRef<int64_t> shape) {
  int64_t lines = 1;
  for (size_t d = 0; d < shape.size(); ++d)
    if (d >= 32 || !(use.folded >> d & 1))
      lines *= shape[d];
  return lines;
}

EdgeData::EdgeData(const tensor::TensorType &type, const ArgumentUse &use,
                   CounterRandom random, int draw)
    : use_(use), random_(random), draw_(draw),
      shape_(type.shape.begin(), type.shape.end()) {
  numerics::FormatInfo info = numerics::formatInfo(type.element.format);
  largest_ = numerics::maxFinite(type.element.format);
  smallest_ = numerics::minNormal(type.element.format);
  // A wide type's exponentials are computed in f32 by many: its end is the edge.
  edge_ = std::log(std::min(largest_, 3.4e38));
  isNarrowed_ = use.digits > 0 && use.digits < info.precision();
  digits_ = isNarrowed_ ? use.digits : info.precision();
  for (size_t d = 0; d < shape_.size(); ++d)
    if (d < 32 && use.folded >> d & 1)
      length_ *= shape_[d];
}

EdgeData::Place EdgeData::placeOf(uint64_t index) const {
  Place place;
  int64_t lineStep = 1, step = 1;
  auto rest = static_cast<int64_t>(index);
  for (size_t d = shape_.size(); d-- > 0;) {
    int64_t size = std::max<int64_t>(shape_[d], 1), i = rest % size;
    rest /= size;
    if (d < 32 && use_.folded >> d & 1)
      place.at += i * step, step *= size;
    else
      place.line += i * lineStep, lineStep *= size;
  }
  return place;
}

double EdgeData::bounded(double x) const {
  return std::clamp(x, -largest_, largest_);
}

/// Half way between two neighbours of the narrowest type, where the argument can
/// hold that; else an integer whose sum with another such one may be.
double EdgeData::tie(uint64_t index) const {
  int64_t half = int64_t{1} << (std::min(digits_, 20) - 1);
  int64_t x = isNarrowed_ ? 2 * draw(index, half, 2 * half - 1) + 1
                          : draw(index, half, 2 * half - 1);
  return static_cast<double>(random_.bits(index) & 1 ? -x : x);
}

/// Halves within the integer type's range, its ends, and numbers far outside.
double EdgeData::beyondInteger(uint64_t index) const {
  double limit = use_.integerLimit, sign = random_.bits(index + 7) & 1 ? -1 : 1;
  switch (draw(index, 0, 4)) {
  case 0:
    return limit * sign + static_cast<double>(draw(index + 1, -4, 4)) / 2;
  case 1:
    return sign * limit * (1 + 3 * random_.uniform(index));
  case 2:
    return sign * std::exp2(20 + 14 * random_.uniform(index));
  default: {
    auto most = static_cast<int64_t>(std::min(limit, 4096.0));
    return static_cast<double>(draw(index, -most, most)) + 0.5;
  }
  }
}

double EdgeData::inLine(const Place &place, uint64_t index,
                        double plain) const {
  double size = std::fabs(plain);
  switch (static_cast<Line>((place.line + draw_) % kRangeLines)) {
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
    return -1.2 * edge_ - size;
  case Line::Tiny:
    return plain * std::max(1e-31, 16 * smallest_);
  case Line::Dominated:
    return place.at == draw(static_cast<uint64_t>(place.line), 0, length_ - 1)
               ? 0.9 * edge_
               : plain;
  case Line::Large:
    return plain * std::min(300.0, largest_ / 8);
  case Line::Positive:
    return 0.5 + size;
  }
  return plain;
}

double EdgeData::alone(uint64_t index, double plain) const {
  int64_t which = draw(index, 0, 15);
  double sign = random_.bits(index + 3) & 1 ? -1 : 1,
         u = random_.uniform(index);
  if (use_.integerLimit > 0 && which < 8)
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

double EdgeData::element(uint64_t index, double plain) const {
  if (staysPlain(use_))
    return plain;
  return bounded(keepsLines(use_) ? inLine(placeOf(index), index, plain)
                                  : alone(index, plain));
}
