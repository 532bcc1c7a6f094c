// A memfd mapped once over a large reserved range: growing the file makes more
// of the range usable, and no pointer ever moves. The worker processes inherit
// the descriptor and map the regions that they need.
#include "assay/engine/Arena.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace assay;
using namespace assay::engine;

llvm::Expected<Arena> Arena::create(int64_t reserveBytes) {
  Arena arena;
  arena.fd_ = memfd_create("assay-tensors", MFD_CLOEXEC);
  if (arena.fd_ < 0)
    return makeError(ErrorCode::ResourceLimit,
                     "cannot create shared memory: {0}", std::strerror(errno));
  void *base = mmap(nullptr, reserveBytes, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_NORESERVE, arena.fd_, 0);
  if (base == MAP_FAILED)
    return makeError(ErrorCode::ResourceLimit,
                     "cannot reserve {0} bytes of address space: {1}",
                     reserveBytes, std::strerror(errno));
  arena.base_ = static_cast<std::byte *>(base);
  arena.reserved_ = reserveBytes;
  // The first page holds the crash note, which is read whenever a worker dies.
  if (llvm::Error error = arena.grow(kPageBytes))
    return error;
  return arena;
}

Arena::Arena(Arena &&other) noexcept { *this = std::move(other); }

Arena &Arena::operator=(Arena &&other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(base_, other.base_);
  std::swap(reserved_, other.reserved_);
  std::swap(size_, other.size_);
  return *this;
}

Arena::~Arena() {
  if (base_)
    munmap(base_, reserved_);
  if (fd_ >= 0)
    close(fd_);
}

llvm::Error Arena::grow(int64_t bytes) {
  bytes = roundToPages(bytes);
  if (bytes <= size_)
    return llvm::Error::success();
  if (bytes > reserved_)
    return makeError(
        ErrorCode::ResourceLimit,
        "the tensors need {0} bytes, the limit is {1} (--max-memory)", bytes,
        reserved_);
  if (ftruncate(fd_, bytes) != 0)
    return makeError(ErrorCode::ResourceLimit,
                     "cannot get {0} bytes of shared memory: {1}", bytes,
                     std::strerror(errno));
  size_ = bytes;
  return llvm::Error::success();
}

void Arena::shrink(int64_t bytes) {
  bytes = roundToPages(bytes);
  if (bytes < size_ && ftruncate(fd_, bytes) == 0)
    size_ = bytes;
}

std::vector<Placement> engine::placeTensors(llvm::ArrayRef<Extent> tensors,
                                            Guard guard, int alignment) {
  std::vector<Placement> placements;
  int64_t offset = kPageBytes;
  for (const Extent &tensor : tensors) {
    int64_t region = roundToPages(std::max<int64_t>(tensor.bytes, 1));
    int64_t unit = std::max<int64_t>(alignment, tensor.alignment);
    int64_t at =
        guard == Guard::AtEnd ? (region - tensor.bytes) / unit * unit : 0;
    placements.push_back({offset, region, at});
    offset += region;
  }
  return placements;
}

int64_t engine::endOf(llvm::ArrayRef<Placement> placements) {
  int64_t end = kPageBytes;
  for (const Placement &placement : placements)
    end = std::max(end, placement.fileOffset + placement.regionBytes);
  return end;
}
