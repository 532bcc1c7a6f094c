// The arena below CopyPool. A step of a model makes hundreds of copies of half
// a megabyte and more, which the writer frees a little later; the C library
// would map each of them separately, and the page faults of a fresh mapping
// cost three times as much as the copy. Free neighbours are joined, so a
// repeated step finds its blocks again.
#include "assay/trace/CopyArena.h"
#include "assay/formats/Hdf5Reader.h"

#include <algorithm>
#include <sys/mman.h>

namespace assay::trace {

static constexpr int64_t kRegionBytes = 32 << 20, kHugePage = 2 << 20,
                         kPage = 4096, kAlignment = 64;

std::shared_ptr<CopyArena> CopyArena::create(int64_t keepBytes) {
  return std::shared_ptr<CopyArena>(new CopyArena(keepBytes));
}

CopyArena::~CopyArena() {
  for (auto [start, bytes] : regions_)
    ::munmap(start, static_cast<size_t>(bytes));
}

int64_t CopyArena::idleBytes() const {
  std::lock_guard<std::mutex> guard(lock_);
  return idleBytes_;
}

/// A mapping that begins at a huge page.
static std::byte *mapRegion(int64_t bytes) {
  auto padded = static_cast<size_t>(bytes + kHugePage);
  void *mapped = ::mmap(nullptr, padded, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return nullptr;
  auto *begin = static_cast<std::byte *>(mapped);
  size_t before = -reinterpret_cast<uintptr_t>(begin) % kHugePage;
  if (before > 0)
    ::munmap(begin, before);
  ::munmap(begin + before + bytes, kHugePage - before);
  ::madvise(begin + before, static_cast<size_t>(bytes), MADV_HUGEPAGE);
  return begin + before;
}

bool CopyArena::grow(int64_t sizeBytes, bool present) {
  int64_t bytes = (std::max(sizeBytes, kRegionBytes) + kHugePage - 1) /
                  kHugePage * kHugePage;
  std::byte *region = mapRegion(bytes);
  if (!region)
    return false;
  if (present)
    for (int64_t at = 0; at < bytes; at += kPage)
      region[at] = std::byte{0};
  regions_[region] = bytes;
  free_.emplace(region, bytes);
  idleBytes_ += bytes;
  return true;
}

void CopyArena::reserve(int64_t bytes) {
  std::lock_guard<std::mutex> guard(lock_);
  while (idleBytes_ < bytes && grow(kRegionBytes, true))
    ;
}

std::byte *CopyArena::take(int64_t sizeBytes) {
  std::lock_guard<std::mutex> guard(lock_);
  auto fits = [&] {
    return std::find_if(free_.begin(), free_.end(), [&](const auto &block) {
      return block.second >= sizeBytes;
    });
  };
  auto found = fits();
  if (found == free_.end()) {
    if (!grow(sizeBytes, false))
      return nullptr;
    found = fits();
  }
  auto [start, bytes] = *found;
  free_.erase(found);
  if (bytes > sizeBytes)
    free_.emplace(start + sizeBytes, bytes - sizeBytes);
  idleBytes_ -= sizeBytes;
  return start;
}

/// The region that holds `at`: the last one that begins at or before it.
static auto regionOf(const std::map<std::byte *, int64_t> &regions,
                     std::byte *at) {
  return std::prev(regions.upper_bound(at));
}

void CopyArena::giveBack(std::byte *block, int64_t sizeBytes) {
  std::lock_guard<std::mutex> guard(lock_);
  auto here = free_.emplace(block, sizeBytes).first;
  idleBytes_ += sizeBytes;
  auto region = regionOf(regions_, block);
  auto next = std::next(here);
  if (next != free_.end() && here->first + here->second == next->first &&
      regionOf(regions_, next->first) == region) {
    here->second += next->second;
    free_.erase(next);
  }
  if (here != free_.begin()) {
    auto before = std::prev(here);
    if (before->first + before->second == here->first &&
        regionOf(regions_, before->first) == region) {
      before->second += here->second;
      free_.erase(here);
      here = before;
    }
  }
  if (idleBytes_ > keepBytes_ && here->second == region->second)
    trim(here);
}

void CopyArena::trim(std::map<std::byte *, int64_t>::iterator block) {
  ::munmap(block->first, static_cast<size_t>(block->second));
  idleBytes_ -= block->second;
  regions_.erase(block->first);
  free_.erase(block);
}

llvm::Expected<Copied> CopyArena::copy(const tensor::TensorType &type,
                                       const void *bytes) {
  llvm::Expected<int64_t> count = tensor::elementCount(type.shape);
  if (!count)
    return count.takeError();
  int64_t size = *count * type.element.storageBytes();
  int64_t held =
      std::max<int64_t>(1, (size + kAlignment - 1) / kAlignment) * kAlignment;
  std::byte *block = take(held);
  if (!block)
    return makeError(ErrorCode::ResourceLimit, "no memory for a copy of {0}",
                     toString(type));
  std::string hash = formats::copyAndHash(
      block, {static_cast<const uint8_t *>(bytes), static_cast<size_t>(size)});
  std::shared_ptr<const void> owner(
      block, [arena = shared_from_this(), held](const std::byte *data) {
        arena->giveBack(const_cast<std::byte *>(data), held);
      });
  llvm::Expected<tensor::Tensor> made = tensor::Tensor::fromBuffer(
      type, tensor::Buffer::view(block, size, std::move(owner)));
  if (!made)
    return made.takeError();
  return Copied{std::move(*made), std::move(hash)};
}

} // namespace assay::trace
