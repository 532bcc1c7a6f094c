/// Tensors in the worker's address space: each region of the arena mapped
/// alone, a page without access before and after it, inputs read-only. A fault
/// inside one of these ranges tells what the engine did wrong.
#pragma once

#include "assay/engine/Protocol.h"
#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace assay::engine {

class Mapping {
public:
  ~Mapping() { clear(); }
  /// Maps tensor i at placements[i]; those from `firstOutput` on are writable.
  /// Inputs come from `readOnlyFd`, the same file opened for reading, so that
  /// an engine cannot make them writable either; one that an output shares its
  /// place with has the output's address. False when memory is exhausted.
  bool map(int arenaFd, int readOnlyFd, llvm::ArrayRef<Placement> placements,
           size_t firstOutput);
  void clear();
  void *data(size_t tensor) const { return ranges_[tensor].data; }

  /// The tensor and place of `address`, as in CrashNote; tensor -1 when it
  /// is not ours.
  void locate(const void *address, CrashNote &note) const;

private:
  struct Range {
    char *base, *data;
    size_t
        bytes; ///< of the region; the reservation has a page more on both sides
  };
  std::vector<Range> ranges_;
};

} // namespace assay::engine
