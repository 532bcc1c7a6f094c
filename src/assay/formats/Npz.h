/// Reads and writes NumPy's .npz archives (a ZIP of .npy members).
#pragma once

#include "assay/formats/Stored.h"
#include "assay/formats/Zip.h"
#include "llvm/ADT/StringMap.h"

namespace assay::formats {

/// The tensors of an .npz file by name (without ".npy"). Opening reads only the
/// directory; read() accesses a single member.
class NpzReader {
public:
  /// Errors: NotFound, InvalidArgument, DataLoss; each names the file.
  static llvm::Expected<NpzReader> open(llvm::StringRef path);
  /// Reads from bytes in memory, which `owner` keeps alive (null: the bytes
  /// outlive the reader and its tensors).
  static llvm::Expected<NpzReader> fromBytes(llvm::ArrayRef<uint8_t> bytes,
                                             llvm::StringRef name,
                                             std::shared_ptr<const void> owner);

  /// The names, in the archive's order.
  const std::vector<std::string> &names() const { return names_; }
  bool contains(llvm::StringRef name) const { return members_.contains(name); }

  /// Reads one tensor, with the expected type if one is given (see
  /// finishStored). A stored member that is aligned in the mapped file becomes
  /// a view. Errors: NotFound (with the names that exist), DataLoss,
  /// Unsupported, InvalidArgument; each names file and member.
  llvm::Expected<Tensor>
  read(llvm::StringRef name,
       const std::optional<TensorType> &expected = std::nullopt) const;
  /// The type that read() returns without an expected type. Does not read the
  /// member's data.
  llvm::Expected<TensorType> typeOf(llvm::StringRef name) const;

private:
  llvm::Expected<StoredTensor> stored(llvm::StringRef name,
                                      std::string &what) const;
  std::string path_;
  llvm::ArrayRef<uint8_t> bytes_;
  std::shared_ptr<const void> owner_;
  std::vector<std::string> names_;
  llvm::StringMap<ZipMember> members_;
};

/// Whether a member's name is that of a program's argument or result: `prefix`
/// and a number (in0), for part of a tuple also out0.1.
bool isNumbered(llvm::StringRef name, llvm::StringRef prefix);

/// Errors: InvalidArgument for a member `prefix` N with N >= count; `because`
/// says why count is the limit.
llvm::Error refuseSurplusMembers(llvm::StringRef path, llvm::StringRef prefix,
                                 size_t count, llvm::StringRef because);

/// Writes an .npz file member by member. Types that NumPy lacks are written as
/// integers of the same width, with the name of the type as the member's ZIP
/// comment, from which NpzReader restores them.
class NpzWriter {
public:
  /// Errors: InvalidArgument with path and reason.
  static llvm::Expected<NpzWriter> create(llvm::StringRef path,
                                          bool compress = false);
  llvm::Error add(llvm::StringRef name, const Tensor &tensor);
  /// Completes the archive; without this call no file appears.
  llvm::Error finish() { return zip_->finish(); }

private:
  std::unique_ptr<ZipWriter> zip_;
  bool compress_ = false;
};

} // namespace assay::formats
