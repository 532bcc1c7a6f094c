/// The grammar's data types as element types of the numerics component.
#pragma once

#include "assay/numerics/ElementType.h"
#include "assay/verify/DataType.h"

namespace assay::verify {

inline numerics::ElementType elementType(DataType type) {
  using numerics::ElementType;
  using numerics::FloatFormat;
  switch (type) {
  case DataType::F64:
    return ElementType::floating(FloatFormat::F64);
  case DataType::BF16:
    return ElementType::floating(FloatFormat::BF16);
  case DataType::F16:
    return ElementType::floating(FloatFormat::F16);
  case DataType::S32:
    return ElementType::integer(32);
  case DataType::S8:
    return ElementType::integer(8);
  case DataType::U8:
    return ElementType::unsignedInteger(8);
  default:
    return ElementType::floating(FloatFormat::F32);
  }
}

} // namespace assay::verify
