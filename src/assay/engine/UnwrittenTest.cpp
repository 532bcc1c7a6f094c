#include "assay/engine/Unwritten.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <vector>

using namespace assay::engine;

/// The content of a region of 4096 bytes, as numbers of a type.
template <typename T> static std::vector<T> held(Unwritten how, bool isFloat) {
  std::vector<T> values(4096 / sizeof(T));
  fillUnwritten(reinterpret_cast<std::byte *>(values.data()), 4096, how,
                isFloat);
  return values;
}

TEST(Unwritten, TheRunsOfACheckBeginWithOtherContents) {
  EXPECT_EQ(unwrittenOf(0), Unwritten::Marks);
  EXPECT_EQ(unwrittenOf(1), Unwritten::Garbage);
  EXPECT_EQ(unwrittenOf(2), Unwritten::OtherGarbage);
  EXPECT_EQ(unwrittenOf(3), Unwritten::Marks);
}

TEST(Unwritten, MarksAreNaNAndGarbageIsLargeOfBothSigns) {
  for (float x : held<float>(Unwritten::Marks, true))
    EXPECT_TRUE(std::isnan(x));
  int positive = 0, negative = 0;
  std::vector<float> one = held<float>(Unwritten::Garbage, true),
                     other = held<float>(Unwritten::OtherGarbage, true);
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_TRUE(std::isfinite(one[i]));
    EXPECT_GT(std::fabs(one[i]), 1e6);
    EXPECT_NE(std::signbit(one[i]), std::signbit(other[i]));
    (one[i] > 0 ? positive : negative)++;
  }
  EXPECT_GT(positive, 256);
  EXPECT_GT(negative, 256);
  for (double x : held<double>(Unwritten::Garbage, true))
    EXPECT_GT(std::fabs(x), 1e6);
}

TEST(Unwritten, EachByteIsWhatTheCheckOfGapsExpects) {
  for (Unwritten how : {Unwritten::Marks, Unwritten::Garbage,
                        Unwritten::OtherGarbage, Unwritten::Zeros})
    for (bool isFloat : {false, true}) {
      std::vector<uint8_t> bytes = held<uint8_t>(how, isFloat);
      for (size_t i = 0; i < bytes.size(); ++i)
        EXPECT_EQ(std::byte{bytes[i]},
                  unwrittenByte(static_cast<int64_t>(i), how, isFloat));
    }
}

TEST(Unwritten, WhatTheHeapGivesOutHoldsNumbers) {
  fillScratch(Unwritten::Garbage);
  for (size_t size : {200, 1000, 5000, 1 << 20}) {
    std::vector<unsigned char> seen(size);
    auto *block = static_cast<unsigned char *>(std::malloc(size));
    ASSERT_NE(block, nullptr);
    asm volatile("" : : "r"(block) : "memory");
    EXPECT_EQ(block[size - 1], 0x4b) << size;
    EXPECT_EQ(block[size / 2], 0x4b) << size;
    std::free(block);
  }
  fillScratch(Unwritten::AsItIs);
}
