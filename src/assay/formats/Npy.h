/// Reads and writes NumPy's .npy format (versions 1 to 3).
#pragma once

#include "assay/formats/Stored.h"

namespace assay::formats {

/// Finds header and data of the .npy image in `bytes`; nothing is copied.
/// `what` names file and member in errors.
/// Types:   b1, i1..i8, u1..u8, f2 f4 f8, c8 c16, V1 V2 (opaque), f1 (ml_dtypes'
///          float8_e5m2); any byte order
/// Errors:  InvalidArgument for other files; Unsupported for objects, strings,
///          dates, records, long double; DataLoss when the data are shorter than
///          the shape requires; ResourceLimit for absurd shapes
/// Source:  NumPy, NEP 1 "A simple file format for NumPy arrays",
///          numpy.lib.format
llvm::Expected<StoredTensor> parseNpy(llvm::ArrayRef<uint8_t> bytes,
                                      llvm::StringRef what);

/// The header for a tensor, padded so that the data after it begin at a
/// multiple of 64 bytes. Types that NumPy lacks are written as integers of the
/// same width: bf16 and f8 as unsigned, signed sub-byte integers as int8.
std::string npyHeader(const TensorType &type);

/// Reads a whole .npy file (mapped where possible).
llvm::Expected<Tensor>
readNpy(llvm::StringRef path,
        const std::optional<TensorType> &expected = std::nullopt);

/// Writes a .npy file under its final name only when it is complete.
llvm::Error writeNpy(llvm::StringRef path, const Tensor &tensor);

} // namespace assay::formats
