// Between floats and quantised elements (StableHLO specification, "quantization
// computations"):
//
//   quantize     q = round_even(clamp(x / scale + zero point))
//   dequantize   x = (q - zero point) * scale
//
// A product with the reciprocal of the scale is a division too. An integer is
// exact where all of these round to it, else open; a tie is decided where the
// scale is a power of two and x / scale + zero point has few digits.
#include "assay/judge/program/ErrorTracker.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/numerics/Quantization.h"

#include <algorithm>
#include <cmath>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using numerics::FloatFormat;
using numerics::QuantizationParameters;
using program::Value;

namespace {
/// The scale and zero point of an element.
struct Channel {
  double scale;
  double zeroPoint;
};
} // namespace

static Channel channelOf(const QuantizationParameters &p,
                         llvm::ArrayRef<int64_t> shape, int64_t element) {
  int64_t inner = 1, index = 0;
  if (p.axis >= 0) {
    for (int64_t size : shape.drop_front(static_cast<size_t>(p.axis) + 1))
      inner *= size;
    index = element / inner % shape[static_cast<size_t>(p.axis)];
  }
  double scale = p.scales[static_cast<size_t>(index)];
  return {p.expressed.format == FloatFormat::F64
              ? scale
              : static_cast<double>(static_cast<float>(scale)),
          static_cast<double>(p.zeroPoints[static_cast<size_t>(index)])};
}

/// Whether all that a correct implementation may compute rounds to one integer.
static bool isDecided(double x, double error, const Channel &c,
                      const QuantizationParameters &p) {
  double unit = sumUnit(p.expressed), scaled = x / c.scale,
         moved = scaled + c.zeroPoint, off = 0;
  int exponent;
  bool isExact = std::frexp(c.scale, &exponent) == 0.5 &&
                 std::fabs(moved) < 0.125 / unit &&
                 std::trunc(16 * moved) == 16 * moved;
  if (!isExact)
    off = 4 * unit * std::fabs(scaled) + unit * std::fabs(moved);
  off += error / c.scale;
  auto rounded = [&](double value) {
    return std::nearbyint(std::clamp(value, static_cast<double>(p.storageMin),
                                     static_cast<double>(p.storageMax)));
  };
  return rounded(moved - off) == rounded(moved + off); // no for NaN
}

BoundResult judge::quantizeBound(BoundRequest &r) {
  const Value &from = *r.operands[0], &to = r.results[0];
  ElementType source = from.tensor().elementType(),
              target = to.tensor().elementType();
  if (source.quantization && target.quantization)
    return makeError(ErrorCode::Unsupported, "");
  const QuantizationParameters &p =
      source.quantization ? *source.quantization : *target.quantization;
  if (numerics::formatInfo(p.expressed.format).precision() <
      numerics::formatInfo(FloatFormat::F32).precision())
    return makeError(ErrorCode::Unsupported,
                     "scales of 16 bits are computed in several ways");
  std::vector<double> exact = exactValues(source.quantization ? to : from);
  auto out = std::make_shared<std::vector<double>>(exact.size());
  const Errors &errors = r.operandErrors[0];
  for (size_t k = 0; k < exact.size(); ++k) {
    double error = errors ? (*errors)[k] : 0, x = exact[k];
    Channel c = channelOf(p, to.tensor().shape(), static_cast<int64_t>(k));
    if (!source.quantization)
      (*out)[k] = isDecided(x, error, c, p) ? 0 : INFINITY;
    else // one rounding of the product, one of the scale
      (*out)[k] = error * c.scale +
                  2 * sumUnit(p.expressed) * std::fabs(x) + halfUlp(x, target);
  }
  return std::vector<Errors>{out};
}
