/// The part of the ZIP format that .npz and PyTorch's .pt files use: listing
/// members, stored or deflated data, ZIP64.
#pragma once

#include "assay/support/AtomicFile.h"
#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <vector>

namespace assay::formats {

struct ZipMember {
  std::string name;
  std::string comment;
  int method = 0; ///< 0 stored, 8 deflated
  uint32_t crc = 0;
  int64_t compressedBytes = 0, bytes = 0;
  int64_t headerOffset = 0; ///< offset of the local header
};

/// The members of the archive in `file`, in the directory's order; does not
/// unpack them. Errors: InvalidArgument for files that are not ZIP, DataLoss
/// for a damaged or truncated directory. Source: PKWARE APPNOTE 6.3, sections
/// 4.3 and 4.5.3
llvm::Expected<std::vector<ZipMember>>
readZipDirectory(llvm::ArrayRef<uint8_t> file, llvm::StringRef what);

/// The packed bytes of a member inside `file`. Errors: DataLoss.
llvm::Expected<llvm::ArrayRef<uint8_t>>
packedBytes(llvm::ArrayRef<uint8_t> file, const ZipMember &member,
            llvm::StringRef what);

/// Unpacks a deflated member into `out` (exactly member.bytes). Errors:
/// DataLoss.
llvm::Error inflateMember(llvm::ArrayRef<uint8_t> packed,
                          llvm::MutableArrayRef<uint8_t> out,
                          llvm::StringRef what);

/// The unpacked bytes of a member: in place where it is stored, else in a new
/// buffer, to which `owner` is set. Errors: DataLoss, Unsupported (another
/// method), ResourceLimit.
llvm::Expected<llvm::ArrayRef<uint8_t>>
unpackMember(llvm::ArrayRef<uint8_t> file, const ZipMember &member,
             llvm::StringRef what, std::shared_ptr<const void> &owner);

/// Errors: DataLoss when the checksum of `bytes` differs from the directory's.
llvm::Error checkCrc(llvm::ArrayRef<uint8_t> bytes, const ZipMember &member,
                     llvm::StringRef what);

/// Writes an archive front to back. The same input always produces the same
/// bytes, because dates are fixed.
class ZipWriter {
public:
  static llvm::Expected<std::unique_ptr<ZipWriter>>
  create(llvm::StringRef path);

  /// Adds a member whose content is `head` followed by `body`. Stored members
  /// begin at a multiple of 64 bytes, so that they can be used in place;
  /// `comment` is written to the directory.
  llvm::Error add(llvm::StringRef name, llvm::StringRef head,
                  llvm::ArrayRef<uint8_t> body, bool compress,
                  llvm::StringRef comment = {});
  /// Writes the directory and renames the file to its final name.
  llvm::Error finish();

private:
  llvm::Error writeData(llvm::StringRef head, llvm::ArrayRef<uint8_t> body);
  std::unique_ptr<AtomicFile> file_;
  std::vector<ZipMember> members_;
};

} // namespace assay::formats
