// See Mapping.h. There is one guard page on either side of a region. An access
// further away hits whatever the process has there, as it would in the user's
// own program.
#include "assay/engine/Mapping.h"
#include "assay/engine/Arena.h"

#include <sys/mman.h>

using namespace assay;
using namespace assay::engine;

bool Mapping::map(int arenaFd, int readOnlyFd,
                  llvm::ArrayRef<Placement> placements, size_t firstOutput) {
  clear();
  for (size_t i = 0; i < placements.size(); ++i) {
    const Placement &p = placements[i];
    size_t bytes = p.regionBytes;
    void *base = mmap(nullptr, bytes + 2 * kPageBytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
      return false;
    char *region = static_cast<char *>(base) + kPageBytes;
    ranges_.push_back(
        {static_cast<char *>(base), region + p.dataOffset, bytes});
    int access = i < firstOutput ? PROT_READ : PROT_READ | PROT_WRITE;
    // The pages exist already: this call maps all of them at once, which saves
    // a page fault for every few of them.
    if (bytes &&
        mmap(region, bytes, access, MAP_SHARED | MAP_FIXED | MAP_POPULATE,
             i < firstOutput ? readOnlyFd : arenaFd,
             p.fileOffset) == MAP_FAILED)
      return false;
  }
  // An output in place of an input: the engine receives one address for both.
  for (size_t i = 0; i < firstOutput; ++i)
    for (size_t j = firstOutput; j < placements.size(); ++j)
      if (placements[i].fileOffset == placements[j].fileOffset)
        ranges_[i].data = ranges_[j].data;
  return true;
}

void Mapping::clear() {
  for (Range &range : ranges_)
    munmap(range.base, range.bytes + 2 * kPageBytes);
  ranges_.clear();
}

void Mapping::locate(const void *address, CrashNote &note) const {
  note.tensor = -1;
  const char *at = static_cast<const char *>(address);
  for (size_t i = 0; i < ranges_.size(); ++i) {
    const Range &range = ranges_[i];
    if (at < range.base || at >= range.base + range.bytes + 2 * kPageBytes)
      continue;
    note.tensor = static_cast<int32_t>(i);
    note.place = at < range.base + kPageBytes                  ? -1
                 : at >= range.base + kPageBytes + range.bytes ? 1
                                                               : 0;
  }
}
