/// Walks an open HDF5 file and describes its datasets. Private to the HDF5
/// files of this component.
#pragma once

#include "assay/formats/Hdf5Handle.h"
#include "assay/formats/Hdf5Reader.h"

namespace assay::formats::hdf5 {

using Attributes = std::vector<std::pair<std::string, std::string>>;

/// All datasets below the root, groups depth first, each group in creation
/// order. Errors: DataLoss with the path at which the walk failed
llvm::Expected<std::vector<Hdf5Dataset>> listDatasets(hid_t file);

/// The attributes of an object that are text or a single integer, by name.
Attributes readAttributes(hid_t object);

/// Adds a text attribute to an object. Returns false when HDF5 refuses.
bool writeAttribute(hid_t object, const std::string &name,
                    const std::string &value);

} // namespace assay::formats::hdf5
