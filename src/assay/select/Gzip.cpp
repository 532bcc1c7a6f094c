// Files that may be compressed with gzip: models are stored as model_*.lgbm.gz.
// Reading limits the inflated size, so that a small hostile file cannot fill
// the memory. Writing uses a temporary file and a rename, so that a killed run
// leaves the old file or the new one. The gzip header has no time stamp: the
// same model gives the same bytes.
#include "assay/select/LightGbmText.h"
#include "assay/support/AtomicFile.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <zlib.h>

using namespace assay;

static constexpr size_t kMaxInflatedBytes = size_t(1) << 30;
static constexpr int kGzipWindow = 15 + 16;

static llvm::Expected<std::string> inflateGzip(llvm::StringRef bytes,
                                               llvm::StringRef path) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK)
    return makeError(ErrorCode::Internal, "'{0}': cannot start zlib", path);
  llvm::scope_exit end([&] { inflateEnd(&stream); });
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  std::vector<char> chunk(1 << 18);
  for (int status = Z_OK; status != Z_STREAM_END;) {
    stream.next_out = reinterpret_cast<Bytef *>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    status = inflate(&stream, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END)
      return makeError(ErrorCode::DataLoss,
                       "'{0}' is truncated or damaged: its gzip data ends or "
                       "breaks at byte {1} of {2}",
                       path, stream.total_in, bytes.size());
    out.append(chunk.data(), chunk.size() - stream.avail_out);
    if (out.size() > kMaxInflatedBytes)
      return makeError(ErrorCode::ResourceLimit,
                       "'{0}' inflates to more than {1} bytes", path,
                       kMaxInflatedBytes);
  }
  return out;
}

llvm::Expected<std::string> select::readMaybeGzip(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return makeError(ErrorCode::NotFound, "cannot read '{0}': {1}", path,
                     buffer.getError().message());
  llvm::StringRef bytes = (*buffer)->getBuffer();
  if (bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b')
    return inflateGzip(bytes, path);
  if (path.ends_with(".gz"))
    return makeError(ErrorCode::DataLoss,
                     "'{0}' is named .gz but does not begin as gzip does",
                     path);
  return bytes.str();
}

static llvm::Expected<std::string> deflateGzip(llvm::StringRef bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzipWindow, 9,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    return makeError(ErrorCode::Internal, "cannot start zlib");
  llvm::scope_exit end([&] { deflateEnd(&stream); });
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef *>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
    return makeError(ErrorCode::Internal, "zlib did not finish");
  out.resize(stream.total_out);
  return out;
}

llvm::Error select::writeFileAtomically(llvm::StringRef path,
                                        llvm::StringRef content) {
  std::string compressed;
  if (path.ends_with(".gz")) {
    llvm::Expected<std::string> result = deflateGzip(content);
    if (!result)
      return result.takeError();
    compressed = std::move(*result);
    content = compressed;
  }
  llvm::Expected<std::unique_ptr<AtomicFile>> file =
      AtomicFile::create(path);
  if (!file)
    return file.takeError();
  if (llvm::Error error = (*file)->write(content.data(), content.size()))
    return error;
  return (*file)->commit();
}
