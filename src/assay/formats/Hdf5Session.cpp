#include "assay/formats/Hdf5Session.h"
#include "assay/formats/Hdf5Catalogue.h"

namespace assay::formats::hdf5 {

static llvm::Error openFailure(llvm::StringRef path) {
  if (hasFailed(H5E_TRUNCATED))
    return makeError(ErrorCode::DataLoss,
                     "'{0}' is truncated: it ends before its data do", path);
  if (hasFailed(H5E_CANTLOCKFILE))
    return makeError(
        ErrorCode::InvalidArgument,
        "'{0}' is open for writing in another process; wait until it is closed",
        path);
  return makeError(ErrorCode::DataLoss, "'{0}' is a damaged HDF5 file: {1}",
                   path, lastError());
}

llvm::Expected<Session> Session::open(const std::string &path) {
  quiet();
  Session result;
  result.path_ = path;
  result.file_ = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  if (!result.file_.valid())
    return openFailure(path);
  return result;
}

llvm::Expected<Catalogue> Session::list() const {
  llvm::Expected<std::vector<Hdf5Dataset>> datasets = listDatasets(file_);
  if (!datasets)
    return addContext(datasets.takeError(), "'" + path_ + "'");
  Handle root(H5Gopen2(file_, "/", H5P_DEFAULT));
  return Catalogue{std::move(*datasets), readAttributes(root)};
}

size_t slabDimension(llvm::ArrayRef<int64_t> shape) {
  size_t d = 0;
  while (d + 1 < shape.size() && shape[d] == 1)
    ++d;
  return d;
}

llvm::Error Session::readRows(const std::string &dataset,
                              llvm::ArrayRef<int64_t> shape, int64_t row,
                              int64_t height, void *out) const {
  quiet();
  size_t cut = slabDimension(shape);
  std::vector<hsize_t> start(shape.size() + 1, 0),
      size(shape.begin(), shape.end());
  size.push_back(1);
  Handle object(H5Dopen2(file_, dataset.c_str(), H5P_DEFAULT));
  Handle type(H5Dget_type(object)), space(H5Dget_space(object)), memory;
  if (!shape.empty()) {
    start[cut] = static_cast<hsize_t>(row);
    size[cut] = static_cast<hsize_t>(height);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr,
                        size.data(), nullptr);
  }
  memory = shape.empty()
               ? Handle(H5Screate(H5S_SCALAR))
               : Handle(H5Screate_simple(static_cast<int>(shape.size()),
                                         size.data(), nullptr));
  if (H5Dread(object, type, memory, space, H5P_DEFAULT, out) < 0)
    return makeError(ErrorCode::DataLoss, "cannot read its data: {0}",
                     lastError());
  return llvm::Error::success();
}

} // namespace assay::formats::hdf5
