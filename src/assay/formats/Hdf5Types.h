/// Converts element types to HDF5 datatypes and back. Private to the HDF5 files
/// of this component.
#pragma once

#include "assay/formats/Hdf5Handle.h"
#include "assay/formats/Stored.h"

namespace assay::formats::hdf5 {

/// The element type of a file's datatype.
struct StoredElement {
  ElementType type;
  bool opaque = false;
  bool swapBytes = false;
};

/// Types:   integers, IEEE and custom floats (bf16, the float8 formats by their
///          fields), bitfields, opaque of 1 or 2 bytes, h5py's enum for bool,
///          compounds of two equal floats (r and i) for complex
/// Errors:  Unsupported with a description of the type
llvm::Expected<StoredElement> elementOf(hid_t datatype);

/// The datatype in which a dump stores an element type: bf16 and narrower
/// floats become unsigned integers of their width.
Handle datatypeFor(ElementType type);

/// The element type that a `dtype` attribute names, in the spelling of NumPy,
/// ml_dtypes, StableHLO or PyTorch ("torch.bfloat16").
std::optional<ElementType> elementFromName(llvm::StringRef name);

} // namespace assay::formats::hdf5
