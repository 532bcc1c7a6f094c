/// Maps orders of elements to orders of unsigned integers ("keys") and sorts by
/// them; shared by sort, top_k and the reductions to a place.
#pragma once

#include "assay/numerics/ElementType.h"

#include <cstdint>
#include <vector>

namespace assay::reference {

struct KeyRule {
  bool descending = false;
  /// Orders floats by TOTALORDER. Otherwise -0 equals +0, and every NaN has the
  /// largest key, ascending and descending.
  bool total = true;
};

/// True for real numbers of up to 64 bits; keys of those of up to 32 bits fit
/// uint32_t.
bool hasKeys(numerics::ElementType type);
inline bool hasNarrowKeys(numerics::ElementType type) {
  return type.bits <= 32;
}

/// Sets keys[i] < keys[j] where values[i] comes before values[j]. Returns true
/// if there is a NaN that the rule does not order.
/// Types: Key = uint32_t where hasNarrowKeys(type), else uint64_t
template <typename Key>
bool makeKeys(numerics::ElementType type, KeyRule rule, const void *values,
              int64_t count, Key *keys);

/// A key in the high bits and its place in the low ones: entries are distinct,
/// and equal keys keep their order.
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

/// Sorts entries whose places are ascending: by radix, or by comparison where
/// there are few. `scratch` grows as needed.
template <typename Key>
void sortEntries(std::vector<Entry<Key>> &entries,
                 std::vector<Entry<Key>> &scratch);

/// The `wanted` smallest of `count` keys, as sorted entries.
template <typename Key>
void selectEntries(const Key *keys, int64_t count, int64_t wanted,
                   std::vector<Entry<Key>> &entries,
                   std::vector<Entry<Key>> &scratch);

} // namespace assay::reference
