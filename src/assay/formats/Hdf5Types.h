/// Element types as HDF5 datatypes, both ways. Private to the HDF5 files of
/// this component.
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
/// fields), bitfields, opaque of 1 or 2
///          bytes, h5py's enum for bool, compounds of two equal floats (r and
///          i) for complex
/// Errors:  Unsupported with a description of the type
llvm::Expected<StoredElement> elementOf(hid_t datatype);

/// The datatype that a dump stores an element type in: bf16 and narrower floats
/// as unsigned integers of their width.
Handle datatypeFor(ElementType type);

/// The reverse of the `dtype` attribute: NumPy's, ml_dtypes', StableHLO's
/// spelling, PyTorch's "torch.bfloat16".
std::optional<ElementType> elementFromName(llvm::StringRef name);

} // namespace assay::formats::hdf5
