/// Orders of elements as orders of unsigned integers ("keys"), and sorting by
/// them: what sort, top_k and the reductions to a place share.
#pragma once

#include "assay/numerics/ElementType.h"

#include <cstdint>
#include <vector>

namespace assay::reference {

struct KeyRule {
  bool descending = false;
  /// Floats by TOTALORDER. Otherwise -0 equals +0, and every NaN has the largest
  /// key in both directions.
  bool total = true;
};

/// Real numbers of up to 64 bits have keys; those of up to 32 bits fit uint32_t.
bool hasKeys(numerics::ElementType type);
inline bool hasNarrowKeys(numerics::ElementType type) {
  return type.bits <= 32;
}

/// keys[i] < keys[j] where values[i] comes before values[j]. True: a NaN was met
/// and the rule does not order it.
/// Types: Key = uint32_t where hasNarrowKeys(type), else uint64_t
template <typename Key>
bool makeKeys(numerics::ElementType type, KeyRule rule, const void *values,
              int64_t count, Key *keys);

/// A key above its place: entries are distinct, and equal keys keep their order.
template <typename Key> struct EntryOf;
template <> struct EntryOf<uint32_t> {
  using Type = uint64_t;
};
template <> struct EntryOf<uint64_t> {
  __extension__ using Type = unsigned __int128;
};
template <typename Key> using Entry = typename EntryOf<Key>::Type;

constexpr int64_t kMostPlaces = int64_t{1} << 32;

template <typename Key> Entry<Key> entryOf(Key key, int64_t place) {
  return Entry<Key>(key) << 32 | static_cast<uint32_t>(place);
}
template <typename E> int64_t placeOf(E entry) {
  return static_cast<uint32_t>(entry);
}

/// Sorts entries whose places are ascending: by radix, short lists by
/// comparison. `scratch` grows as needed.
template <typename Key>
void sortEntries(std::vector<Entry<Key>> &entries,
                 std::vector<Entry<Key>> &scratch);

/// The `wanted` smallest entries of `count` keys, in order.
template <typename Key>
void selectEntries(const Key *keys, int64_t count, int64_t wanted,
                   std::vector<Entry<Key>> &entries,
                   std::vector<Entry<Key>> &scratch);

} // namespace assay::reference
