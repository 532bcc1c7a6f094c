#include "assay/engine/native/DimensionOrder.h"
#include "llvm/ADT/STLExtras.h"

namespace assay::engine {

bool isPlain(llvm::ArrayRef<int64_t> order) {
  for (size_t d = 0; d < order.size(); ++d)
    if (order[d] != static_cast<int64_t>(d))
      return false;
  return true;
}

Order channelsLast(size_t rank) {
  Order order{0};
  for (size_t d = 2; d < rank; ++d)
    order.push_back(static_cast<int64_t>(d));
  order.push_back(1);
  return order;
}

Order inverse(llvm::ArrayRef<int64_t> order) {
  Order result(order.size());
  for (size_t d = 0; d < order.size(); ++d)
    result[static_cast<size_t>(order[d])] = static_cast<int64_t>(d);
  return result;
}

std::optional<ReshapeGroups> reshapeGroups(llvm::ArrayRef<int64_t> from,
                                           llvm::ArrayRef<int64_t> to) {
  ReshapeGroups groups;
  groups.from.assign(from.size(), -1);
  groups.to.assign(to.size(), -1);
  size_t i = 0, j = 0;
  while (true) {
    while (i < from.size() && from[i] == 1)
      ++i;
    while (j < to.size() && to[j] == 1)
      ++j;
    if (i == from.size() || j == to.size())
      return i == from.size() && j == to.size() ? std::optional(groups)
                                                : std::nullopt;
    int64_t left = from[i], right = to[j];
    groups.from[i++] = groups.count, groups.to[j++] = groups.count;
    while (left != right) {
      bool isLeft = left < right;
      if (isLeft ? i == from.size() : j == to.size())
        return std::nullopt;
      if (isLeft)
        left *= from[i], groups.from[i++] = groups.count;
      else
        right *= to[j], groups.to[j++] = groups.count;
    }
    ++groups.count;
  }
}

Order together(const ReshapeGroups &groups, llvm::ArrayRef<int64_t> order) {
  Order result;
  for (int64_t d : order) {
    int group = groups.from[static_cast<size_t>(d)];
    if (llvm::is_contained(result, d))
      continue;
    if (group < 0)
      result.push_back(d);
    for (size_t other = 0; group >= 0 && other < groups.from.size(); ++other)
      if (groups.from[other] == group)
        result.push_back(static_cast<int64_t>(other));
  }
  return result;
}

Order reshapedOrder(const ReshapeGroups &groups,
                    llvm::ArrayRef<int64_t> order) {
  Order result;
  int last = -1;
  for (int64_t d : order) {
    int group = groups.from[static_cast<size_t>(d)];
    if (group < 0 || group == last)
      continue;
    for (size_t t = 0; t < groups.to.size(); ++t)
      if (groups.to[t] == group)
        result.push_back(static_cast<int64_t>(t));
    last = group;
  }
  for (size_t t = 0; t < groups.to.size(); ++t)
    if (groups.to[t] < 0)
      result.insert(llvm::find_if(
                        result, [&](int64_t other) { return other > int64_t(t); }),
                    static_cast<int64_t>(t));
  return result;
}

} // namespace assay::engine
