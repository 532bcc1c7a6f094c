/// Elements of 2 and 4 bits in the memory that engines see: element i of a
/// tensor is in bits (i * width) mod 8 and up of byte (i * width) / 8, low bits
/// first, as in oneDNN, ml_dtypes and hardware. Tensors inside Assay have one
/// byte per element (ElementType.h); 6-bit floats and i1 occupy a byte
/// everywhere.
#pragma once

#include "assay/numerics/ElementType.h"

namespace assay::numerics {

/// True where several elements share a byte.
inline bool isPacked(ElementType type) {
  return !type.isBool() && (type.bits == 2 || type.bits == 4);
}

/// The bytes that `elements` elements occupy, including a partial last byte.
int64_t packedBytes(ElementType type, int64_t elements);

/// out[i] = element first + i * stride of `packed`, in one byte each: integers
/// sign-extended, floats as their code. Only for packed types.
void unpackElements(ElementType type, const void *packed, int64_t first,
                    int64_t stride, int64_t n, void *out);

/// The reverse; the bits of other elements are not changed.
/// Threads: concurrent writes to the same byte lose elements.
void packElements(ElementType type, const void *in, void *packed, int64_t first,
                  int64_t stride, int64_t n);

} // namespace assay::numerics
