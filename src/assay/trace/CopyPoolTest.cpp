// The recorder's memory: blocks are returned and reused, known and prepared
// contents cost no copy, and the hash is always the reference's.
#include "assay/formats/HashVectors.h"
#include "assay/formats/Hdf5Reader.h"
#include "assay/trace/CopyPool.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

#include <cstring>

using namespace assay;
using namespace assay::trace;
using numerics::FloatFormat;
using tensor::ElementType;
using tensor::TensorType;

static TensorType bytesType(int64_t size) {
  return {ElementType::unsignedInteger(8), {size}};
}

static std::vector<uint8_t> pattern(size_t size, unsigned seed) {
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<uint8_t>((i * 2654435761u + seed * 97u) >> 11);
  return bytes;
}

TEST(CopyArena, BlocksAreUsedAgainAndRegionsGoBack) {
  std::shared_ptr<CopyArena> arena = CopyArena::create(40 << 20);
  constexpr int64_t kSize = 3 << 20;
  std::vector<uint8_t> bytes = pattern(kSize, 1);
  std::vector<Copied> held;
  for (int i = 0; i < 40; ++i) { // 120 MiB: four regions and more
    bytes[0] = static_cast<uint8_t>(i);
    held.push_back(llvm::cantFail(arena->copy(bytesType(kSize), bytes.data())));
  }
  for (int i = 0; i < 40; ++i)
    EXPECT_EQ(held[static_cast<size_t>(i)].tensor.data<uint8_t>()[0], i);
  for (size_t i = 0; i < held.size(); i += 2)
    held[i] = {};
  for (size_t i = 1; i < held.size(); i += 2)
    held[i] = {};
  EXPECT_LE(arena->idleBytes(), 40 << 20);
  EXPECT_GE(arena->idleBytes(), 32 << 20);
  int64_t idle = arena->idleBytes();
  Copied again = llvm::cantFail(
      arena->copy(bytesType(20 << 20), pattern(20 << 20, 2).data()));
  EXPECT_EQ(arena->idleBytes(), idle - (20 << 20)) << "neighbours are joined";
  EXPECT_EQ(again.hash, formats::hashBytes(pattern(20 << 20, 2)));
}

TEST(CopyArena, ATensorLargerThanARegionAndAnEmptyOne) {
  std::shared_ptr<CopyArena> arena = CopyArena::create();
  std::vector<uint8_t> bytes = pattern(70 << 20, 3);
  Copied large = llvm::cantFail(
      arena->copy(bytesType(static_cast<int64_t>(bytes.size())), bytes.data()));
  EXPECT_EQ(large.hash, formats::hashBytes(bytes));
  EXPECT_EQ(0, std::memcmp(large.tensor.bytes(), bytes.data(), bytes.size()));
  Copied empty = llvm::cantFail(arena->copy(bytesType(0), nullptr));
  EXPECT_EQ(empty.hash, formats::hashBytes({}));
  EXPECT_EQ(empty.tensor.size(), 0);
  arena.reset(); // the copies keep it
  EXPECT_EQ(large.tensor.data<uint8_t>()[5], bytes[5]);
}

TEST(CopyPool, PreparedAndKnownContentsAreNotCopied) {
  CopyPool pool(1 << 20);
  std::vector<uint8_t> bytes = pattern(4096, 4);
  TensorType type = bytesType(4096);
  llvm::cantFail(pool.prepare(type, bytes.data()));
  Copied first = llvm::cantFail(pool.take(type, bytes.data(), 4096, false));
  ASSERT_TRUE(first.tensor.valid());
  EXPECT_NE(first.tensor.data<uint8_t>(), bytes.data());
  EXPECT_TRUE(pool.setKnown(CopyPool::key(first.hash, type)));
  EXPECT_FALSE(pool.setKnown(CopyPool::key(first.hash, type)));
  for (bool likelyNew : {false, true})
    EXPECT_FALSE(llvm::cantFail(pool.take(type, bytes.data(), 4096, likelyNew))
                     .tensor.valid());
  TensorType halves{ElementType::floating(FloatFormat::F16), {2048}};
  EXPECT_TRUE(llvm::cantFail(pool.take(halves, bytes.data(), 4096, false))
                  .tensor.valid())
      << "equal bytes of another type are another content";
  // Changed after the preparation: the bytes at the time of take() count.
  std::vector<uint8_t> other = pattern(4096, 5);
  llvm::cantFail(pool.prepare(type, other.data()));
  other[4000] ^= 1;
  Copied changed = llvm::cantFail(pool.take(type, other.data(), 4096, false));
  ASSERT_TRUE(changed.tensor.valid());
  EXPECT_EQ(0, std::memcmp(changed.tensor.bytes(), other.data(), 4096));
  EXPECT_EQ(changed.hash, formats::hashBytes(other));
}

TEST(Hash, EveryVectorWidthAndTheCopyAgree) {
  std::vector<uint8_t> bytes = pattern(200000, 6), copy(bytes.size() + 1);
  for (size_t size : {0, 1, 15, 16, 17, 128, 129, 240, 241, 1023, 1024, 1025,
                      16383, 16384, 16385, 100001, 200000}) {
    for (size_t shift : {size_t{0}, size_t{1}}) {
      if (size + shift > bytes.size())
        continue;
      const uint8_t *at = bytes.data() + shift;
      std::string expected = formats::hashBytes({at, size});
      std::fill(copy.begin(), copy.end(), uint8_t{0xee});
      EXPECT_EQ(expected, formats::copyAndHash(copy.data(), {at, size}));
      EXPECT_TRUE(std::equal(at, at + size, copy.begin()));
      EXPECT_EQ(copy[size], 0xee);
      formats::Hash128 generic = formats::hashGeneric(at, size);
#if defined(__x86_64__)
      if (__builtin_cpu_supports("avx2")) {
        EXPECT_EQ(generic.low, formats::hashAvx2(at, size).low) << size;
        EXPECT_EQ(generic.high,
                  formats::copyAndHashAvx2(copy.data(), at, size).high)
            << size;
      }
      if (__builtin_cpu_supports("avx512f")) {
        EXPECT_EQ(generic.low, formats::hashAvx512(at, size).low) << size;
        EXPECT_EQ(generic.high,
                  formats::copyAndHashAvx512(copy.data(), at, size).high)
            << size;
      }
#endif
      EXPECT_EQ(
          expected,
          llvm::formatv("{0:x-16}{1:x-16}", generic.high, generic.low).str());
    }
  }
  // printf abc | xxhsum -H2
  EXPECT_EQ(
      formats::hashBytes({reinterpret_cast<const uint8_t *>("abc"), size_t{3}}),
      "06b05ab6733a618578af5f94892f3950");
}
