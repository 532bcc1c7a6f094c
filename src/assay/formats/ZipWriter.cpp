// Writes ZIP archives front to back. Checksum and sizes are known before a
// member's header is written, so no data descriptors are needed. Padding in the
// extra field aligns stored data to 64 bytes (like zipalign for Android
// packages, field 0xd935). ZIP64 fields are written only where 32 bits are too
// few. Source: PKWARE APPNOTE 6.3.
#include "assay/formats/Zip.h"

#include <algorithm>
#include <limits>
#include <zlib.h>

namespace assay::formats {

static constexpr uint64_t kMax32 = 0xffffffff;

static void put(std::string &out, uint64_t value, int width) {
  for (int i = 0; i < width; ++i)
    out.push_back(static_cast<char>(value >> (8 * i)));
}

static uint64_t saturate(int64_t value) {
  return std::min(static_cast<uint64_t>(value), kMax32);
}

static bool needsZip64(const ZipMember &member) {
  return static_cast<uint64_t>(member.bytes) >= kMax32 ||
         static_cast<uint64_t>(member.compressedBytes) >= kMax32;
}

/// The fields that the local header and the directory share, from "version
/// needed" to the sizes.
static void putCommon(std::string &out, const ZipMember &member) {
  put(out, needsZip64(member) ? 45 : 20, 2);
  put(out, 0x0800, 2); // names are UTF-8
  put(out, static_cast<uint64_t>(member.method), 2);
  put(out, 0, 2);      // time: midnight
  put(out, 0x0021, 2); // date: 1 January 1980, the earliest possible
  put(out, member.crc, 4);
  put(out, needsZip64(member) ? kMax32 : saturate(member.compressedBytes), 4);
  put(out, needsZip64(member) ? kMax32 : saturate(member.bytes), 4);
  put(out, member.name.size(), 2);
}

static std::string localHeader(const ZipMember &member) {
  std::string extra;
  if (needsZip64(member)) {
    put(extra, 1, 2);
    put(extra, 16, 2);
    put(extra, static_cast<uint64_t>(member.bytes), 8);
    put(extra, static_cast<uint64_t>(member.compressedBytes), 8);
  }
  if (member.method == 0) {
    size_t end = static_cast<size_t>(member.headerOffset) + 30 +
                 member.name.size() + extra.size() + 6;
    size_t padding = (64 - end % 64) % 64;
    put(extra, 0xd935, 2);
    put(extra, 2 + padding, 2);
    put(extra, 64, 2);
    extra.append(padding, '\0');
  }
  std::string header;
  put(header, 0x04034b50, 4);
  putCommon(header, member);
  put(header, extra.size(), 2);
  return header + member.name + extra;
}

static std::string directoryEntry(const ZipMember &member) {
  std::string extra, fields;
  if (needsZip64(member)) {
    put(fields, static_cast<uint64_t>(member.bytes), 8);
    put(fields, static_cast<uint64_t>(member.compressedBytes), 8);
  }
  if (static_cast<uint64_t>(member.headerOffset) >= kMax32)
    put(fields, static_cast<uint64_t>(member.headerOffset), 8);
  if (!fields.empty()) {
    put(extra, 1, 2);
    put(extra, fields.size(), 2);
    extra += fields;
  }
  std::string entry;
  put(entry, 0x02014b50, 4);
  put(entry, 45, 2); // made by: version 4.5, MS-DOS attributes
  putCommon(entry, member);
  put(entry, extra.size(), 2);
  put(entry, member.comment.size(), 2);
  put(entry, 0, 2 + 2 + 4); // disk, attributes
  put(entry, saturate(member.headerOffset), 4);
  return entry + member.name + extra + member.comment;
}

/// Compresses head and body as one raw deflate stream.
static std::string deflateAll(llvm::StringRef head,
                              llvm::ArrayRef<uint8_t> body) {
  constexpr size_t kChunk = 1 << 26;
  z_stream stream = {};
  deflateInit2(&stream, 1, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  std::string out;
  std::vector<uint8_t> chunk(1 << 18);
  auto feed = [&](const uint8_t *data, size_t size, int flush) {
    do {
      size_t part = std::min(size, kChunk);
      stream.next_in = const_cast<Bytef *>(data);
      stream.avail_in = static_cast<uInt>(part);
      data += part;
      size -= part;
      do {
        stream.next_out = chunk.data();
        stream.avail_out = static_cast<uInt>(chunk.size());
        deflate(&stream, size == 0 ? flush : Z_NO_FLUSH);
        out.append(reinterpret_cast<char *>(chunk.data()),
                   chunk.size() - stream.avail_out);
      } while (stream.avail_out == 0);
    } while (size > 0);
  };
  feed(reinterpret_cast<const uint8_t *>(head.data()), head.size(), Z_NO_FLUSH);
  feed(body.data(), body.size(), Z_FINISH);
  deflateEnd(&stream);
  return out;
}

llvm::Expected<std::unique_ptr<ZipWriter>>
ZipWriter::create(llvm::StringRef path) {
  llvm::Expected<std::unique_ptr<AtomicFile>> file = AtomicFile::create(path);
  if (!file)
    return file.takeError();
  auto result = std::make_unique<ZipWriter>();
  result->file_ = std::move(*file);
  return result;
}

llvm::Error ZipWriter::writeData(llvm::StringRef head,
                                 llvm::ArrayRef<uint8_t> body) {
  if (llvm::Error error = file_->write(head.data(), head.size()))
    return error;
  return file_->write(body.data(), body.size());
}

llvm::Error ZipWriter::add(llvm::StringRef name, llvm::StringRef head,
                           llvm::ArrayRef<uint8_t> body, bool compress,
                           llvm::StringRef comment) {
  if (name.size() > std::numeric_limits<uint16_t>::max())
    return makeError(ErrorCode::InvalidArgument,
                     "a member name of {0} bytes does not fit a ZIP file",
                     name.size());
  ZipMember member;
  member.name = name.str();
  member.comment = comment.str();
  member.headerOffset = file_->position();
  member.bytes = static_cast<int64_t>(head.size() + body.size());
  uLong crc =
      crc32_z(0, reinterpret_cast<const Bytef *>(head.data()), head.size());
  member.crc = static_cast<uint32_t>(
      body.empty() ? crc : crc32_z(crc, body.data(), body.size()));
  member.method = compress ? 8 : 0;
  std::string packed = compress ? deflateAll(head, body) : std::string();
  member.compressedBytes =
      compress ? static_cast<int64_t>(packed.size()) : member.bytes;
  members_.push_back(member);
  if (llvm::Error error = writeData(localHeader(member), {}))
    return error;
  return compress ? writeData(packed, {}) : writeData(head, body);
}

llvm::Error ZipWriter::finish() {
  int64_t start = file_->position();
  std::string directory;
  for (const ZipMember &member : members_)
    directory += directoryEntry(member);
  auto size = static_cast<int64_t>(directory.size()),
       count = static_cast<int64_t>(members_.size());
  if (count >= 0xffff || static_cast<uint64_t>(start + size) >= kMax32) {
    put(directory, 0x06064b50, 4);
    put(directory, 44, 8);
    put(directory, 45 | 45 << 16, 4); // made by, needed
    put(directory, 0, 8);             // disks
    put(directory, static_cast<uint64_t>(count), 8);
    put(directory, static_cast<uint64_t>(count), 8);
    put(directory, static_cast<uint64_t>(size), 8);
    put(directory, static_cast<uint64_t>(start), 8);
    put(directory, 0x07064b50, 4);
    put(directory, 0, 4);
    put(directory, static_cast<uint64_t>(start + size), 8);
    put(directory, 1, 4);
  }
  put(directory, 0x06054b50, 4);
  put(directory, 0, 4);
  put(directory, std::min<uint64_t>(static_cast<uint64_t>(count), 0xffff), 2);
  put(directory, std::min<uint64_t>(static_cast<uint64_t>(count), 0xffff), 2);
  put(directory, saturate(size), 4);
  put(directory, saturate(start), 4);
  put(directory, 0, 2);
  if (llvm::Error error = writeData(directory, {}))
    return error;
  return file_->commit();
}

} // namespace assay::formats
