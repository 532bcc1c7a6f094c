// Reads ZIP archives from memory. The end record is searched from the back. The
// central directory is walked, with every offset checked against the file. A
// member's data are found after its local header. ZIP64 fields replace 32-bit
// ones that are saturated. Source: PKWARE APPNOTE 6.3; zlib inflates.
#include "assay/formats/Types.h"
#include "assay/formats/Zip.h"

#include <algorithm>
#include <zlib.h>

namespace assay::formats {

static constexpr int64_t kMaxMembers = 10'000'000;

namespace {
/// Reads little-endian numbers at checked offsets; `ok` becomes false at the
/// first offset outside the file.
struct Bytes {
  llvm::ArrayRef<uint8_t> data;
  bool ok = true;

  uint64_t number(int64_t at, int width) {
    if (at < 0 || at > static_cast<int64_t>(data.size()) - width) {
      ok = false;
      return 0;
    }
    uint64_t value = 0;
    for (int i = width; i-- > 0;)
      value = value << 8 | data[static_cast<size_t>(at + i)];
    return value;
  }
  std::string text(int64_t at, int64_t size) {
    if (at < 0 || size < 0 || at > static_cast<int64_t>(data.size()) - size) {
      ok = false;
      return {};
    }
    return std::string(reinterpret_cast<const char *>(data.data()) + at,
                       static_cast<size_t>(size));
  }
};

struct DirectoryPlace {
  int64_t offset = 0, entries = 0;
};
} // namespace

static llvm::Expected<DirectoryPlace> findDirectory(Bytes &in,
                                                    llvm::StringRef what) {
  auto size = static_cast<int64_t>(in.data.size());
  if (size < 4 || in.data[0] != 'P' || in.data[1] != 'K')
    return makeError(ErrorCode::InvalidArgument,
                     "{0} is not an .npz (ZIP) file", what);
  int64_t lowest = std::max<int64_t>(0, size - 22 - 65535);
  for (int64_t at = size - 22; at >= lowest; --at) {
    if (in.number(at, 4) != 0x06054b50)
      continue;
    DirectoryPlace place{static_cast<int64_t>(in.number(at + 16, 4)),
                         static_cast<int64_t>(in.number(at + 10, 2))};
    if (at >= 20 && in.number(at - 20, 4) == 0x07064b50) {
      auto end64 = static_cast<int64_t>(in.number(at - 20 + 8, 8));
      if (in.number(end64, 4) != 0x06064b50)
        break;
      place.entries = static_cast<int64_t>(in.number(end64 + 32, 8));
      place.offset = static_cast<int64_t>(in.number(end64 + 48, 8));
    }
    if (in.ok && place.entries >= 0 && place.entries <= kMaxMembers)
      return place;
    break;
  }
  return makeError(ErrorCode::DataLoss,
                   "{0} is truncated or damaged: its ZIP directory is missing",
                   what);
}

/// ZIP64: 8-byte values for only those fields that are saturated, in this
/// order.
static void readZip64(Bytes &in, int64_t at, int64_t end, ZipMember &member) {
  while (in.ok && at + 4 <= end) {
    uint64_t id = in.number(at, 2);
    auto length = static_cast<int64_t>(in.number(at + 2, 2));
    at += 4;
    if (id == 1) {
      for (int64_t *field :
           {&member.bytes, &member.compressedBytes, &member.headerOffset}) {
        if (*field != 0xffffffff)
          continue;
        *field = static_cast<int64_t>(in.number(at, 8));
        at += 8;
      }
      return;
    }
    at += length;
  }
}

llvm::Expected<std::vector<ZipMember>>
readZipDirectory(llvm::ArrayRef<uint8_t> file, llvm::StringRef what) {
  Bytes in{file};
  llvm::Expected<DirectoryPlace> place = findDirectory(in, what);
  if (!place)
    return place.takeError();
  auto damaged = [&] {
    return makeError(ErrorCode::DataLoss, "{0} has a damaged ZIP directory",
                     what);
  };
  std::vector<ZipMember> members;
  int64_t at = place->offset;
  for (int64_t i = 0; i < place->entries; ++i) {
    if (in.number(at, 4) != 0x02014b50)
      return damaged();
    ZipMember member;
    uint64_t flags = in.number(at + 8, 2);
    member.method = static_cast<int>(in.number(at + 10, 2));
    member.crc = static_cast<uint32_t>(in.number(at + 16, 4));
    member.compressedBytes = static_cast<int64_t>(in.number(at + 20, 4));
    member.bytes = static_cast<int64_t>(in.number(at + 24, 4));
    auto nameSize = static_cast<int64_t>(in.number(at + 28, 2)),
         extraSize = static_cast<int64_t>(in.number(at + 30, 2)),
         commentSize = static_cast<int64_t>(in.number(at + 32, 2));
    member.headerOffset = static_cast<int64_t>(in.number(at + 42, 4));
    member.name = in.text(at + 46, nameSize);
    member.comment = in.text(at + 46 + nameSize + extraSize, commentSize);
    readZip64(in, at + 46 + nameSize, at + 46 + nameSize + extraSize, member);
    if (!in.ok || member.bytes < 0 || member.compressedBytes < 0 ||
        member.headerOffset < 0)
      return damaged();
    if (flags & 1)
      return makeError(ErrorCode::Unsupported, "{0}: member '{1}' is encrypted",
                       what, member.name);
    at += 46 + nameSize + extraSize + commentSize;
    members.push_back(std::move(member));
  }
  return members;
}

llvm::Expected<llvm::ArrayRef<uint8_t>>
packedBytes(llvm::ArrayRef<uint8_t> file, const ZipMember &member,
            llvm::StringRef what) {
  Bytes in{file};
  bool header = in.number(member.headerOffset, 4) == 0x04034b50;
  auto nameSize = static_cast<int64_t>(in.number(member.headerOffset + 26, 2));
  auto extraSize = static_cast<int64_t>(in.number(member.headerOffset + 28, 2));
  int64_t start = member.headerOffset + 30 + nameSize + extraSize;
  if (!header || !in.ok ||
      start > static_cast<int64_t>(file.size()) - member.compressedBytes)
    return makeError(ErrorCode::DataLoss, "{0} is truncated or damaged", what);
  return file.slice(static_cast<size_t>(start),
                    static_cast<size_t>(member.compressedBytes));
}

llvm::Error inflateMember(llvm::ArrayRef<uint8_t> packed,
                          llvm::MutableArrayRef<uint8_t> out,
                          llvm::StringRef what) {
  constexpr size_t kChunk = 1 << 30; // zlib counts bytes in 32 bits
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return makeError(ErrorCode::ResourceLimit, "{0}: no memory to decompress",
                     what);
  size_t read = 0, written = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    size_t in = std::min(kChunk, packed.size() - read),
           room = std::min(kChunk, out.size() - written);
    stream.next_in = const_cast<Bytef *>(packed.data() + read);
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = out.data() + written;
    stream.avail_out = static_cast<uInt>(room);
    status = inflate(&stream, Z_NO_FLUSH);
    size_t consumed = in - stream.avail_in, produced = room - stream.avail_out;
    read += consumed;
    written += produced;
    if (consumed == 0 && produced == 0)
      break;
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END || written != out.size())
    return makeError(ErrorCode::DataLoss, "{0} has damaged compressed data",
                     what);
  return llvm::Error::success();
}

llvm::Error checkCrc(llvm::ArrayRef<uint8_t> bytes, const ZipMember &member,
                     llvm::StringRef what) {
  if (crc32_z(crc32_z(0, nullptr, 0), bytes.data(), bytes.size()) == member.crc)
    return llvm::Error::success();
  return makeError(ErrorCode::DataLoss,
                   "{0} is damaged: its checksum does not match", what);
}

llvm::Expected<llvm::ArrayRef<uint8_t>>
unpackMember(llvm::ArrayRef<uint8_t> file, const ZipMember &member,
             llvm::StringRef what, std::shared_ptr<const void> &owner) {
  llvm::Expected<llvm::ArrayRef<uint8_t>> packed =
      packedBytes(file, member, what);
  if (!packed)
    return packed.takeError();
  if (member.method == 0) {
    if (member.bytes != member.compressedBytes)
      return makeError(ErrorCode::DataLoss, "{0} has a damaged ZIP directory",
                       what);
    return *packed;
  }
  if (member.method != 8)
    return makeError(
        ErrorCode::Unsupported,
        "{0} uses ZIP compression method {1}; stored and deflated are known",
        what, member.method);
  if (member.bytes / 1040 >
      member
          .compressedBytes) // deflate cannot expand that far: damaged
    return makeError(ErrorCode::DataLoss,
                     "{0} claims {1} bytes in {2} compressed ones", what,
                     member.bytes, member.compressedBytes);
  std::shared_ptr<Buffer> buffer = Buffer::allocate(member.bytes);
  if (!buffer)
    return makeError(ErrorCode::ResourceLimit, "{0}: no memory for {1} bytes",
                     what, member.bytes);
  auto *data = reinterpret_cast<uint8_t *>(buffer->mutableData());
  llvm::MutableArrayRef<uint8_t> out(data, static_cast<size_t>(member.bytes));
  if (llvm::Error error = inflateMember(*packed, out, what))
    return error;
  owner = std::move(buffer);
  return llvm::ArrayRef<uint8_t>(out);
}

} // namespace assay::formats
