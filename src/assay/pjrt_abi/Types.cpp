// One row for each element type: the interface's number and our name.
#include "assay/pjrt_abi/Types.h"

#include <utility>

namespace assay::pjrt {

static constexpr std::pair<BufferType, const char *> kTypes[] = {
    {kPred, "i1"},
    {kS2, "i2"},
    {kS4, "i4"},
    {kS8, "i8"},
    {kS16, "i16"},
    {kS32, "i32"},
    {kS64, "i64"},
    {kU2, "ui2"},
    {kU4, "ui4"},
    {kU8, "ui8"},
    {kU16, "ui16"},
    {kU32, "ui32"},
    {kU64, "ui64"},
    {kF16, "f16"},
    {kBf16, "bf16"},
    {kF32, "f32"},
    {kF64, "f64"},
    {kC64, "complex<f32>"},
    {kC128, "complex<f64>"},
    {kF8E5M2, "f8E5M2"},
    {kF8E4M3, "f8E4M3"},
    {kF8E3M4, "f8E3M4"},
    {kF8E4M3FN, "f8E4M3FN"},
    {kF8E4M3B11FNUZ, "f8E4M3B11FNUZ"},
    {kF8E5M2FNUZ, "f8E5M2FNUZ"},
    {kF8E4M3FNUZ, "f8E4M3FNUZ"},
    {kF8E8M0FNU, "f8E8M0FNU"},
    {kF4E2M1FN, "f4E2M1FN"},
};

BufferType bufferTypeOf(numerics::ElementType type) {
  for (auto [code, name] : kTypes)
    if (numerics::parseElementType(name) == type)
      return code;
  return kInvalid;
}

std::optional<numerics::ElementType> elementTypeOf(BufferType type) {
  for (auto [code, name] : kTypes)
    if (code == type)
      return numerics::parseElementType(name);
  return std::nullopt;
}

} // namespace assay::pjrt
