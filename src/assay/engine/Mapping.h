/// Tensors in the worker's address space: each region of the arena is mapped
/// separately, with a page without access before and after it, and inputs are
/// read-only. The address of a fault in one of these ranges shows what the
/// engine did wrong.
#pragma once

#include "assay/engine/Protocol.h"
#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace assay::engine {

class Mapping {
public:
  ~Mapping() { clear(); }
  /// Maps tensor i at placements[i]; those from `firstOutput` on are writable.
  /// Inputs are mapped from `readOnlyFd`, the same file opened for reading, so
  /// that an engine cannot make them writable either. An input that shares its
  /// place with an output has the output's address. False when memory is
  /// exhausted.
  bool map(int arenaFd, int readOnlyFd, llvm::ArrayRef<Placement> placements,
           size_t firstOutput);
  void clear();
  void *data(size_t tensor) const { return ranges_[tensor].data; }

  /// The tensor and place of `address`, as in CrashNote; tensor -1 when it is
  /// not in these mappings.
  void locate(const void *address, CrashNote &note) const;

private:
  struct Range {
    char *base, *data;
    size_t
        bytes; ///< of the region; the reservation has another page on both
               ///< sides
  };
  std::vector<Range> ranges_;
};

} // namespace assay::engine
