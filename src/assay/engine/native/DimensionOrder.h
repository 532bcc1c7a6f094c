/// Orders of a tensor's dimensions, and how reshapes change them. Let i be the
/// index of an element of the plain tensor. The tensor in an order has that
/// element at index [j0, j1, ...] with jd = i[order[d]].
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace assay::engine {

using Order = llvm::SmallVector<int64_t, 6>;

/// Whether every dimension is in its own place.
bool isPlain(llvm::ArrayRef<int64_t> order);
/// {0, 2, 3, ..., 1}.
Order channelsLast(size_t rank);
Order inverse(llvm::ArrayRef<int64_t> order);

/// values[order[0]], values[order[1]], ...
template <typename T>
llvm::SmallVector<T, 6> arranged(llvm::ArrayRef<T> values,
                                 llvm::ArrayRef<int64_t> order) {
  llvm::SmallVector<T, 6> result;
  for (int64_t d : order)
    result.push_back(values[static_cast<size_t>(d)]);
  return result;
}

/// Which dimensions a reshape turns into which: the dimensions of a group
/// become those of the same group; -1: dimensions of size 1, which may be
/// placed anywhere.
struct ReshapeGroups {
  llvm::SmallVector<int, 6> from, to;
  int count = 0;
};
/// nullopt: the products of the sizes differ.
std::optional<ReshapeGroups> reshapeGroups(llvm::ArrayRef<int64_t> from,
                                           llvm::ArrayRef<int64_t> to);
/// The order nearest to this one in which each group's dimensions are adjacent.
Order together(const ReshapeGroups &groups, llvm::ArrayRef<int64_t> order);
/// The order of a reshape's result if the operand has this order.
Order reshapedOrder(const ReshapeGroups &groups, llvm::ArrayRef<int64_t> order);

} // namespace assay::engine
