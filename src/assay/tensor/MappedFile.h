/// The bytes of a file in memory, read-only and without a copy. They stay
/// mapped as long as any object refers to them.
#pragma once

#include "assay/tensor/Tensor.h"

namespace assay::tensor {

/// A whole file mapped into memory; a file that cannot be mapped, such as a
/// pipe, is read. Shared by the tensors made from it.
class MappedFile {
public:
  /// Errors: NotFound, or InvalidArgument for a folder or an unreadable file;
  /// each names the path and the reason.
  static llvm::Expected<std::shared_ptr<const MappedFile>>
  open(llvm::StringRef path);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;

  llvm::ArrayRef<uint8_t> bytes() const {
    return {data_, static_cast<size_t>(size_)};
  }

private:
  MappedFile() = default;
  const uint8_t *data_ = nullptr;
  int64_t size_ = 0;
  bool mapped_ = false;
  std::string copy_; // for files that cannot be mapped
};

/// Opens a reader that keeps the file's bytes alive: Reader::fromBytes(bytes,
/// path, owner). Errors: those of MappedFile::open and of fromBytes.
template <typename Reader>
llvm::Expected<Reader> openMapped(llvm::StringRef path) {
  llvm::Expected<std::shared_ptr<const MappedFile>> file =
      MappedFile::open(path);
  if (!file)
    return file.takeError();
  return Reader::fromBytes((*file)->bytes(), path, *file);
}

/// A buffer with the bytes. It is a view when `owner` is given, the bytes are
/// 64-byte aligned and a vector load past their end stays on the last mapped
/// page; else a copy. Errors: ResourceLimit.
llvm::Expected<std::shared_ptr<Buffer>>
viewOrCopy(llvm::ArrayRef<uint8_t> bytes, std::shared_ptr<const void> owner);

} // namespace assay::tensor
