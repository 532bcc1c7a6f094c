// The parent fills the outputs, the worker fills the heap and the stack. For
// the heap, glibc fills blocks that it allocates with one byte and blocks that
// are freed with its complement (M_PERTURB). Small blocks in the thread's cache
// are filled here, since that cache returns them unchanged.
#include "assay/engine/Unwritten.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <malloc.h>

using namespace assay;
using namespace assay::engine;

static constexpr int64_t kBlock = 16;
/// 1.3e7 in f32 and bf16, 14.6 in f16, 5.5 in f8_e4m3, 75 in bytes; with the
/// sign bit -2.7e7, -15.6, -5.5, -53.
static constexpr unsigned char kPositive = 0x4b, kNegative = 0xcb;

std::byte engine::unwrittenByte(int64_t offset, Unwritten how, bool isFloat) {
  switch (how) {
  case Unwritten::AsItIs:
  case Unwritten::Marks:
    return std::byte{static_cast<unsigned char>(isFloat ? 0xff : 0x5a)};
  case Unwritten::Zeros:
    return std::byte{0};
  case Unwritten::Garbage:
  case Unwritten::OtherGarbage:
    break;
  }
  // Signs without a regular pattern: a bit of a hash of the block's number.
  uint64_t hash =
      (static_cast<uint64_t>(offset / kBlock) + 1) * 0x9e3779b97f4a7c15;
  bool isNegative = (hash >> 63) != (how == Unwritten::OtherGarbage);
  return std::byte{isNegative ? kNegative : kPositive};
}

void engine::fillUnwritten(std::byte *region, int64_t bytes, Unwritten how,
                           bool isFloat) {
  bool isUniform = how != Unwritten::Garbage && how != Unwritten::OtherGarbage;
  int64_t step = isUniform ? bytes : kBlock;
  for (int64_t at = 0; at < bytes; at += step)
    std::memset(region + at, static_cast<int>(unwrittenByte(at, how, isFloat)),
                static_cast<size_t>(std::min(step, bytes - at)));
}

/// Leaves blocks full of `byte` in the heap's caches.
static void fillSmallBlocks(unsigned char byte) {
  constexpr size_t kLargest = 1032, kStep = 16, kEach = 7; // the limits of
                                                           // glibc's cache
  void *blocks[kLargest / kStep + 1][kEach];
  mallopt(M_PERTURB, 0); // freed memory must keep its content
  for (size_t i = 0; i <= kLargest / kStep; ++i)
    for (void *&block : blocks[i]) {
      block = std::malloc(24 + i * kStep);
      if (block)
        std::memset(block, byte, 24 + i * kStep);
    }
  for (auto &row : blocks)
    for (void *block : row)
      std::free(block);
}

__attribute__((noinline)) static void spoilStack(unsigned char byte) {
  constexpr size_t kBytes = size_t(128) << 10;
  char below[kBytes];
  std::memset(below, byte, kBytes);
  asm volatile("" : : "r"(below) : "memory"); // keeps the compiler from
                                              // removing it
}

void engine::fillScratch(Unwritten how) {
  if (how == Unwritten::AsItIs) {
    mallopt(M_PERTURB, 0);
    return;
  }
  // 3.0 and its complement -1.5 in one run, large numbers in the next.
  unsigned char byte = how == Unwritten::Marks ? 0x40 : kPositive;
  fillSmallBlocks(byte);
  spoilStack(byte);
  mallopt(M_PERTURB, byte ^ 0xff); // allocated blocks get the complement
}
