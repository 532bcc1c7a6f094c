// The table of data types and rounding to each of them. Everything downstream
// computes in double and comes here to learn what the declared type would have
// stored, so the rounding is written once: scale the value so that the last
// kept bit has weight one, round to nearest even, scale back. Source: IEEE
// 754-2019 (rounding), the oneDNN developer guide (saturation of integer
// outputs).
#include "assay/verify/DataType.h"

#include <cmath>
#include <limits>

using namespace assay;
using namespace assay::verify;

static constexpr DataTypeInfo kInfos[] = {
    {"undef", 0, true, false, false, 0},
#define ASSAY_DATA_TYPE(id, name, bytes, supported, integer, isSigned, digits) \
  {name, bytes, supported, integer, isSigned, digits},
#include "assay/verify/DataTypes.def"
#undef ASSAY_DATA_TYPE
};

const DataTypeInfo &verify::info(DataType type) {
  return kInfos[static_cast<int>(type)];
}

std::optional<DataType> verify::parseDataType(llvm::StringRef name) {
  for (size_t i = 0; i < std::size(kInfos); ++i)
    if (name == kInfos[i].name)
      return static_cast<DataType>(i);
  return std::nullopt;
}

double verify::unitRoundoff(DataType type) {
  return info(type).isInteger || type == DataType::Undef
             ? 0.0
             : std::ldexp(1.0, -info(type).digits);
}

static int minExponent(DataType type) {
  switch (type) {
  case DataType::F64:
    return -1022;
  case DataType::F16:
    return -14;
  default:
    return -126;
  }
}

double verify::minNormal(DataType type) {
  return info(type).isInteger ? 1.0 : std::ldexp(1.0, minExponent(type));
}

double verify::maxValue(DataType type) {
  const DataTypeInfo &facts = info(type);
  if (facts.isInteger)
    return std::ldexp(1.0, facts.digits) - 1;
  if (type == DataType::F64)
    return std::numeric_limits<double>::max();
  int maxExponent = type == DataType::F16 ? 15 : 127;
  return std::ldexp(2.0 - std::ldexp(1.0, 1 - facts.digits), maxExponent);
}

double verify::minValue(DataType type) {
  const DataTypeInfo &facts = info(type);
  if (facts.isInteger)
    return facts.isSigned ? -std::ldexp(1.0, facts.digits) : 0.0;
  return -maxValue(type);
}

double verify::roundTo(DataType type, double value) {
  if (type == DataType::F64 || type == DataType::Undef)
    return value;
  if (type == DataType::F32)
    return static_cast<float>(value);
  const DataTypeInfo &facts = info(type);
  if (facts.isInteger) {
    if (std::isnan(value))
      return 0;
    double rounded = std::nearbyint(value);
    return std::min(std::max(rounded, minValue(type)), maxValue(type));
  }
  if (value == 0 || !std::isfinite(value))
    return value;
  int exponent = std::max(std::ilogb(value), minExponent(type));
  double ulp = std::ldexp(1.0, exponent - facts.digits + 1);
  double rounded = std::nearbyint(value / ulp) * ulp;
  return std::abs(rounded) > maxValue(type)
             ? std::copysign(std::numeric_limits<double>::infinity(), value)
             : rounded;
}
