// The disk cache of compiled kernels. A file contains: magic, checksum of
// everything after it, verdict, length of the key, the key, the object. The
// whole key is compared, so a collision of file names or an old format is a
// miss, never a wrong kernel. A file with a wrong checksum is reported and
// rebuilt.
#include "assay/kernels/jit/ObjectCache.h"

#include "assay/support/AtomicFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

#include <cstdlib>
#include <cstring>

namespace assay::kernels {

namespace {
struct Header {
  char magic[8];
  uint64_t checksum;
  uint32_t checked, keyBytes;
};
} // namespace

static constexpr char kMagic[8] = {'A', 'S', 'Y', 'K', 'R', 'N', 'L', '1'};

static std::string defaultDirectory() {
  llvm::SmallString<128> path;
  if (const char *own = std::getenv("ASSAY_CACHE_DIR"); own && *own)
    return own;
  if (const char *xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg)
    path = xdg;
  else if (const char *home = std::getenv("HOME"); home && *home)
    llvm::sys::path::append(path, home, ".cache");
  else
    return "";
  llvm::sys::path::append(path, "assay");
  return path.str().str();
}

ObjectCache::ObjectCache(std::string directory, bool enabled)
    : directory_(directory.empty() ? defaultDirectory() : std::move(directory)),
      enabled_(enabled) {
  if (directory_.empty())
    enabled_ = false;
  else
    directory_ += "/kernels";
}

std::string ObjectCache::pathFor(llvm::StringRef key) const {
  return llvm::formatv("{0}/{1:x-16}.kernel", directory_,
                       llvm::xxh3_64bits(key))
      .str();
}

void ObjectCache::note(std::string text) {
  std::lock_guard<std::mutex> lock(mutex_);
  notes_.push_back(std::move(text));
}

std::vector<std::string> ObjectCache::takeNotes() {
  std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(notes_, {});
}

static uint64_t checksumOf(llvm::StringRef body) {
  return llvm::xxh3_64bits(body);
}

std::unique_ptr<llvm::MemoryBuffer> ObjectCache::load(llvm::StringRef key,
                                                      bool &checked) {
  checked = false;
  if (!enabled_)
    return nullptr;
  std::string path = pathFor(key);
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return nullptr;
  llvm::StringRef bytes = (*file)->getBuffer();
  Header header;
  constexpr size_t kSummed = offsetof(Header, checked);
  if (bytes.size() >= sizeof(header))
    std::memcpy(&header, bytes.data(), sizeof(header));
  if (bytes.size() < sizeof(header) ||
      std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0 ||
      header.checksum != checksumOf(bytes.drop_front(kSummed)) ||
      bytes.size() - sizeof(header) < header.keyBytes) {
    note(llvm::formatv("kernel cache entry '{0}' is damaged; it is built again",
                       path)
             .str());
    return nullptr;
  }
  if (bytes.substr(sizeof(header), header.keyBytes) != key)
    return nullptr;
  checked = header.checked == 1;
  return llvm::MemoryBuffer::getMemBufferCopy(
      bytes.drop_front(sizeof(header) + header.keyBytes), path);
}

void ObjectCache::store(llvm::StringRef key, llvm::StringRef object,
                        bool checked) {
  if (!enabled_)
    return;
  std::string body(sizeof(Header), '\0');
  body += key;
  body += object;
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.checked = checked;
  header.keyBytes = static_cast<uint32_t>(key.size());
  std::memcpy(body.data(), &header, sizeof(header));
  header.checksum =
      checksumOf(llvm::StringRef(body).drop_front(offsetof(Header, checked)));
  std::memcpy(body.data(), &header, sizeof(header));

  std::string path = pathFor(key);
  auto write = [&]() -> llvm::Error {
    if (std::error_code code = llvm::sys::fs::create_directories(directory_))
      return makeError(ErrorCode::InvalidArgument, "{0}", code.message());
    auto file = AtomicFile::create(path, Writers::Many);
    if (!file)
      return file.takeError();
    if (llvm::Error error = (*file)->write(body.data(), body.size()))
      return error;
    return (*file)->commit();
  };
  llvm::Error error = write();
  if (!error)
    return;
  ErrorText text = takeError(std::move(error));
  if (!std::exchange(complained_, true))
    note(llvm::formatv("kernel cache folder '{0}' cannot be written ({1}); "
                       "kernels are compiled in every run",
                       directory_, text.message)
             .str());
}

} // namespace assay::kernels
