/// Code that all file formats share once they have found a tensor's bytes: byte
/// order, Fortran order, values that the file can hold but the type cannot, and
/// the type that a program expects.
#pragma once

#include "assay/formats/Types.h"
#include "assay/tensor/ByteCount.h"

#include <optional>

namespace assay::formats {

using tensor::byteCount;

/// A tensor as a file describes it, before its bytes are made native and
/// row-major.
struct StoredTensor {
  TensorType type;
  bool opaque = false; ///< raw bytes without a numeric type (NumPy's
                       ///< V1, V2): only the width is known
  bool fortranOrder = false; ///< the first index is the fastest
  bool swapBytes = false;    ///< the file has the other endianness
  llvm::ArrayRef<uint8_t>
      bytes; ///< exactly elementCount * storageBytes bytes
  std::shared_ptr<const void>
      owner; ///< keeps `bytes` alive after the call; null: they are copied
};

/// Makes the tensor: native, row-major, of the expected type if one is given.
/// Types:   the expected element type is the stored one, or has the storage
///          width of a stored integer or opaque type (bf16 as uint16, f8 as
///          uint8, int4 as int8 within its range); an opaque V2 is bf16, as
///          ml_dtypes writes it; booleans become 0 and 1
/// Errors:  InvalidArgument when type or shape differ from the expected ones, or
///          a value does not fit a sub-byte type; Unsupported for an opaque type
///          without an expected type. `what` names file and member.
llvm::Expected<Tensor> finishStored(const StoredTensor &stored,
                                    const std::optional<TensorType> &expected,
                                    llvm::StringRef what);

/// The error for a name that the file at `path` does not have. It lists the
/// first of `names`.
llvm::Error noTensor(llvm::StringRef path, llvm::StringRef name,
                     llvm::ArrayRef<std::string> names);

} // namespace assay::formats
