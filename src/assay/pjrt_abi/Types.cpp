// One row per element type: the interface's number and Assay's name.
#include "assay/pjrt_abi/Types.h"

#include <utility>

namespace assay::pjrt {

static constexpr std::pair<BufferType, const char *> kTypes[] = {
#define ASSAY_BUFFER_TYPE(code, spelling, number) {code, spelling},
#include "assay/pjrt_abi/BufferTypes.def"
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
