/// PyTorch's .pt files: a ZIP archive with one pickle and one member per
/// storage. They are read without PyTorch and without running code of the file.
#pragma once

#include "assay/formats/Pickle.h"
#include "assay/formats/Zip.h"
#include "llvm/ADT/StringMap.h"

namespace assay::formats {

class PtReader {
public:
  /// Errors: NotFound, InvalidArgument, DataLoss, Unsupported (files of PyTorch
  /// before 1.6, which are not archives); each names the file.
  static llvm::Expected<PtReader> open(llvm::StringRef path);
  static llvm::Expected<PtReader> fromBytes(llvm::ArrayRef<uint8_t> bytes,
                                            llvm::StringRef name,
                                            std::shared_ptr<const void> owner);

  /// Every tensor in the file's value with its path: keys and positions joined
  /// by dots ("model.layer1.weight", "outputs.0"); "" when the value is itself
  /// a tensor. In the file's order.
  const std::vector<std::pair<std::string, PickledTensor>> &tensors() const {
    return tensors_;
  }
  /// Reads one of the tensors, row-major. Errors: DataLoss (storage missing or
  /// too short), Unsupported; each names file and tensor.
  llvm::Expected<Tensor> read(size_t index) const;

private:
  llvm::Error collect(const PickleValue &value, const std::string &name,
                      int depth);
  std::string path_, prefix_; // prefix_ of the members' names: "archive/"
  llvm::ArrayRef<uint8_t> bytes_;
  std::shared_ptr<const void> owner_;
  bool swapBytes_ = false;
  llvm::StringMap<ZipMember> members_;
  std::vector<std::pair<std::string, PickledTensor>> tensors_;
};

} // namespace assay::formats
