/// The data types of the problem grammar (`--dt`, `--bia-dt`, post-op and scale
/// types): name, size and the facts that fills and bounds need. Types that
/// Assay does not compute with are known by name, so that a problem that asks
/// for one is UNIMPLEMENTED and not a syntax error.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace assay::verify {

enum class DataType : uint8_t {
  Undef,
#define ASSAY_DATA_TYPE(id, name, bytes, supported, integer, isSigned, digits) \
  id,
#include "assay/verify/DataTypes.def"
#undef ASSAY_DATA_TYPE
};

struct DataTypeInfo {
  const char *name;
  int bytes;      ///< of one stored element; 0 for undef
  bool supported; ///< Assay fills, runs and judges it
  bool isInteger;
  bool isSigned;
  int digits; ///< bits of the significand (floats, with the hidden one) or of
              ///< the magnitude (integers)
};

const DataTypeInfo &info(DataType type);
std::optional<DataType> parseDataType(llvm::StringRef name);
inline const char *nameOf(DataType type) { return info(type).name; }

/// Half a unit in the last place of 1, as a relative error: 2^-digits. 0 for
/// integers.
double unitRoundoff(DataType type);
/// The largest and smallest finite value.
double maxValue(DataType type);
double minValue(DataType type);
/// The smallest positive normal value (floats).
double minNormal(DataType type);

/// Rounds to the nearest value of the type, ties to even; integers saturate,
/// floats overflow to infinity. NaN becomes 0 in an integer type.
double roundTo(DataType type, double value);

} // namespace assay::verify
