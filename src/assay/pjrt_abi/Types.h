/// Converts element types of the PJRT C API to Assay's and back.
#pragma once

#include "assay/numerics/ElementType.h"
#include "assay/pjrt_abi/Abi.h"

namespace assay::pjrt {

/// The interface's element type, or kInvalid where it has none.
BufferType bufferTypeOf(numerics::ElementType type);
std::optional<numerics::ElementType> elementTypeOf(BufferType type);

} // namespace assay::pjrt
