/// What every file format shares once the position of a tensor's bytes is known:
/// byte order, Fortran order, checks of values that the file could hold and the
/// type could not, and the expected type of a program.
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
  bool opaque = false; ///< raw bytes without a meaning of their own (NumPy's
                       ///< V1, V2): only the width is known
  bool fortranOrder = false; ///< first index fastest
  bool swapBytes = false;    ///< the other endianness
  llvm::ArrayRef<uint8_t>
      bytes; ///< exactly elementCount * storageBytes of them
  std::shared_ptr<const void>
      owner; ///< keeps `bytes` alive beyond the call; null: they are copied
};

/// The tensor: native, row-major, of the expected type if one is given.
/// Types:   expected element type equal to the stored one, or of the same
/// storage width while the stored one is an
///          integer or opaque (bf16 as uint16, f8 as uint8, int4 as int8 within
///          its range); an opaque V2 is bf16, as ml_dtypes writes it;
///          booleans become 0 and 1
/// Errors:  InvalidArgument when type or shape differ from the expected ones,
/// or a value does not fit a sub-byte type;
///          Unsupported for an opaque type without an expected one. `what`
///          names file and member.
llvm::Expected<Tensor> finishStored(const StoredTensor &stored,
                                    const std::optional<TensorType> &expected,
                                    llvm::StringRef what);

/// What readers say about a name that the file at `path` lacks; the first of `names`
/// are listed.
llvm::Error noTensor(llvm::StringRef path, llvm::StringRef name,
                     llvm::ArrayRef<std::string> names);

} // namespace assay::formats
