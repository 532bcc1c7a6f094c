// The key of an integer has its sign bit flipped; that of a float has the bits
// of negative numbers reversed (narrow floats as f32). Long lists are sorted by
// radix, from the last byte of the key to the first, with stable passes; a byte
// that is the same in all keys needs no pass. A selection reads each key once
// and keeps a list of candidates, which is cut to the wanted number whenever it
// is full.
#include "assay/reference/KeyOrder.h"
#include "assay/numerics/Convert.h"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>
#include <utility>

namespace assay::reference {

using numerics::ElementType;
using numerics::FloatFormat;

bool hasKeys(ElementType type) {
  return !type.isComplex() && !type.quantization && type.bits <= 64;
}

template <typename Key, typename Float>
static bool floatKeys(KeyRule rule, const Float *values, int64_t count,
                      Key *keys) {
  constexpr int kSign = 8 * sizeof(Key) - 1;
  constexpr Key kTop = Key{1} << kSign;
  const Key flip = rule.descending ? ~Key{0} : Key{0};
  auto keyOf = [](Key bits) {
    return static_cast<Key>(bits ^ ((Key{0} - (bits >> kSign)) | kTop));
  };
  if (rule.total) {
    for (int64_t i = 0; i < count; ++i)
      keys[i] = keyOf(std::bit_cast<Key>(values[i])) ^ flip;
    return false;
  }
  Key anyNan = 0;
  for (int64_t i = 0; i < count; ++i) {
    Key nan = Key{0} - static_cast<Key>(values[i] != values[i]);
    Key zero = Key{0} - static_cast<Key>(values[i] == Float{0});
    Key bits = std::bit_cast<Key>(values[i]) & ~zero;
    keys[i] = (keyOf(bits) ^ flip) | nan;
    anyNan |= nan;
  }
  return anyNan != 0;
}

template <typename Key>
static void integerKeys(bool isSigned, KeyRule rule, const void *values,
                        int64_t count, Key *keys) {
  Key flip = isSigned ? Key{1} << (8 * sizeof(Key) - 1) : Key{0};
  if (rule.descending)
    flip = ~flip;
  const auto *from = static_cast<const Key *>(values);
  for (int64_t i = 0; i < count; ++i)
    keys[i] = from[i] ^ flip;
}

/// The type to which elements are converted before their bits are read.
static ElementType keyedType(ElementType type) {
  if (type.isFloat())
    return ElementType::floating(type.bits <= 32 ? FloatFormat::F32
                                                 : FloatFormat::F64);
  int bits = type.bits <= 32 ? 32 : 64;
  return type.isSigned() ? ElementType::integer(bits)
                         : ElementType::unsignedInteger(bits);
}

template <typename Key>
bool makeKeys(ElementType type, KeyRule rule, const void *values, int64_t count,
              Key *keys) {
  using Float = std::conditional_t<sizeof(Key) == 4, float, double>;
  ElementType keyed = keyedType(type);
  if (keyed == type)
    return type.isFloat()
               ? floatKeys(rule, static_cast<const Float *>(values), count,
                           keys)
               : (integerKeys(type.isSigned(), rule, values, count, keys),
                  false);
  constexpr int64_t kBlock = 1024;
  alignas(64) std::byte block[kBlock * sizeof(Key)];
  const auto *bytes = static_cast<const std::byte *>(values);
  bool anyNan = false;
  for (int64_t at = 0; at < count; at += kBlock) {
    int64_t now = std::min(kBlock, count - at);
    numerics::convertArray(type, bytes + at * type.storageBytes(), keyed, block,
                           now);
    if (type.isFloat())
      anyNan |= floatKeys(rule, reinterpret_cast<const Float *>(block), now,
                          keys + at);
    else
      integerKeys(type.isSigned(), rule, block, now, keys + at);
  }
  return anyNan;
}

template <typename Key>
void sortEntries(std::vector<Entry<Key>> &entries,
                 std::vector<Entry<Key>> &scratch) {
  constexpr size_t kShort = 512, kBytes = sizeof(Key);
  if (entries.size() <= kShort)
    return std::sort(entries.begin(), entries.end());
  std::array<std::array<uint32_t, 256>, kBytes> counts{};
  for (Entry<Key> entry : entries)
    for (size_t b = 0; b < kBytes; ++b)
      ++counts[b][static_cast<uint8_t>(entry >> (32 + 8 * b))];
  scratch.resize(entries.size());
  for (size_t b = 0; b < kBytes; ++b) {
    auto digit = [&](Entry<Key> entry) {
      return static_cast<uint8_t>(entry >> (32 + 8 * b));
    };
    std::array<uint32_t, 256> &count = counts[b];
    if (count[digit(entries.front())] == entries.size())
      continue;
    uint32_t before = 0;
    for (uint32_t &each : count)
      before += std::exchange(each, before);
    for (Entry<Key> entry : entries)
      scratch[count[digit(entry)]++] = entry;
    entries.swap(scratch);
  }
}

template <typename Key>
void selectEntries(const Key *keys, int64_t count, int64_t wanted,
                   std::vector<Entry<Key>> &entries,
                   std::vector<Entry<Key>> &scratch) {
  entries.clear();
  if (wanted == 0)
    return;
  auto cut = [&] {
    std::nth_element(entries.begin(), entries.begin() + (wanted - 1),
                     entries.end());
    entries.resize(static_cast<size_t>(wanted));
  };
  const auto room = static_cast<size_t>(2 * wanted + 256);
  Key limit =
      ~Key{0}; // key of the last wanted entry; later equal keys are not wanted
  bool isFull = false;
  for (int64_t i = 0; i < count; ++i) {
    if (isFull ? keys[i] >= limit : keys[i] > limit)
      continue;
    entries.push_back(entryOf(keys[i], i));
    if (entries.size() < room)
      continue;
    cut();
    limit = static_cast<Key>(entries[static_cast<size_t>(wanted - 1)] >> 32);
    isFull = true;
  }
  if (!isFull) { // all entries are candidates, sorted by key and place
    sortEntries<Key>(entries, scratch);
    return entries.resize(static_cast<size_t>(wanted));
  }
  if (static_cast<int64_t>(entries.size()) > wanted)
    cut();
  std::sort(entries.begin(), entries.end());
}

#define ASSAY_KEY(Key)                                                         \
  template bool makeKeys(ElementType, KeyRule, const void *, int64_t, Key *);  \
  template void sortEntries<Key>(std::vector<Entry<Key>> &,                    \
                                 std::vector<Entry<Key>> &);                   \
  template void selectEntries(const Key *, int64_t, int64_t,                   \
                              std::vector<Entry<Key>> &,                       \
                              std::vector<Entry<Key>> &);
ASSAY_KEY(uint32_t)
ASSAY_KEY(uint64_t)
#undef ASSAY_KEY

} // namespace assay::reference
