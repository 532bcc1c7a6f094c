/// Elements of 2 and 4 bits in the memory that engines see: element i of a
/// tensor takes bits (i * width) mod 8 and up of byte (i * width) / 8, low bits
/// first, as in oneDNN, ml_dtypes and hardware. Tensors inside of
/// Assay keep one byte per element (ElementType.h); 6-bit floats and i1 take a
/// byte everywhere.
#pragma once

#include "assay/numerics/ElementType.h"

namespace assay::numerics {

/// True where several elements share a byte.
inline bool isPacked(ElementType type) {
  return !type.isBool() && (type.bits == 2 || type.bits == 4);
}

/// Bytes that `elements` elements take, the last byte counted whole.
int64_t packedBytes(ElementType type, int64_t elements);

/// out[i] = element first + i * stride of `packed`, one byte each: integers
/// with their sign, floats as their code. Only for packed types.
void unpackElements(ElementType type, const void *packed, int64_t first,
                    int64_t stride, int64_t n, void *out);

/// The reverse: the bits of the other elements stay as they are.
/// Threads: two that write into one byte at the same time lose elements.
void packElements(ElementType type, const void *in, void *packed, int64_t first,
                  int64_t stride, int64_t n);

} // namespace assay::numerics
