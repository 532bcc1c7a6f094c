// The heap's allocations are known to the byte (mallinfo2: all arenas, and
// blocks that are mapped separately). Memory that an engine maps itself, such
// as stacks of threads, shows only in the process's private memory.
#include "assay/engine/MemoryWatch.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace assay;
using namespace assay::engine;

int64_t engine::privateBytesOf(llvm::StringRef process) {
  auto text =
      llvm::MemoryBuffer::getFileAsStream("/proc/" + process + "/statm");
  llvm::SmallVector<llvm::StringRef, 8> fields;
  if (text)
    (*text)->getBuffer().split(fields, ' ');
  int64_t pages = 0; // private memory is the sixth number
  if (fields.size() < 6 || fields[5].getAsInteger(10, pages))
    return 0;
  return pages * sysconf(_SC_PAGESIZE);
}

MemoryUse MemoryUse::now() {
  MemoryUse use;
  struct mallinfo2 heap = mallinfo2();
  use.heapBytes = static_cast<int64_t>(heap.uordblks + heap.hblkhd);
  use.mappedBytes = privateBytesOf("self");
  struct stat tasks; // a folder per thread; the parent folder has two further
                     // links
  if (stat("/proc/self/task", &tasks) == 0)
    use.threads = static_cast<int64_t>(tasks.st_nlink) - 2;
  return use;
}

int64_t engine::steadyGrowth(llvm::ArrayRef<int64_t> counts, int64_t least) {
  llvm::ArrayRef<int64_t> later = counts.drop_front(counts.size() / 2);
  if (later.size() < 4) // three calls are too few to show anything
    return 0;
  for (size_t i = 1; i < later.size(); ++i)
    if (later[i] - later[i - 1] < least)
      return 0;
  return (later.back() - later.front()) /
         static_cast<int64_t>(later.size() - 1);
}

void MemoryWatch::add(const MemoryUse &use) {
  heap_.push_back(use.heapBytes);
  mapped_.push_back(use.mappedBytes);
  threads_.push_back(use.threads);
}

int64_t MemoryWatch::bytesPerCall() const {
  if (!threads_.empty() && threads_.back() > threads_[threads_.size() / 2])
    return 0;
  return std::max(steadyGrowth(heap_, leastHeapBytes_),
                  steadyGrowth(mapped_, sysconf(_SC_PAGESIZE)));
}

void MemoryWatch::restart() {
  heap_.clear();
  mapped_.clear();
  threads_.clear();
}
