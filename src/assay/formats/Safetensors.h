/// The safetensors format: 8 bytes of header length, a JSON header, one flat
/// buffer.
#pragma once

#include "assay/formats/Stored.h"
#include "llvm/ADT/StringMap.h"

#include <vector>

namespace assay::formats {

class SafetensorsReader {
public:
  /// Maps the file and reads its header. Errors: NotFound, InvalidArgument,
  /// DataLoss; each names the file. Source: github.com/huggingface/safetensors,
  /// "Format"
  static llvm::Expected<SafetensorsReader> open(llvm::StringRef path);
  static llvm::Expected<SafetensorsReader>
  fromBytes(llvm::ArrayRef<uint8_t> bytes, llvm::StringRef name,
            std::shared_ptr<const void> owner);

  /// The names, in the order of their data.
  const std::vector<std::string> &names() const { return names_; }
  const std::vector<std::pair<std::string, std::string>> &metadata() const {
    return metadata_;
  }
  bool contains(llvm::StringRef name) const { return entries_.contains(name); }
  /// Reads one tensor, with the expected type if one is given (see
  /// finishStored). F4 and F6 are packed in the file and are unpacked to one
  /// byte per element. Errors: NotFound, Unsupported, InvalidArgument; each
  /// names file and member.
  llvm::Expected<Tensor>
  read(llvm::StringRef name,
       const std::optional<TensorType> &expected = std::nullopt) const;

private:
  struct Entry {
    std::string dtype;
    Shape shape;
    int64_t begin = 0, end = 0; // offsets in the buffer
  };
  std::string path_;
  llvm::ArrayRef<uint8_t> buffer_;
  std::shared_ptr<const void> owner_;
  std::vector<std::string> names_;
  std::vector<std::pair<std::string, std::string>> metadata_;
  llvm::StringMap<Entry> entries_;
};

} // namespace assay::formats
